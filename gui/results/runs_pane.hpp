// The right of the window: the runs so far.
#pragma once

#include <QListWidget>
#include <QWidget>

#include "gui/runs/run_result.hpp"

namespace headway {

class RunsPane : public QWidget {
  Q_OBJECT

 public:
  explicit RunsPane(QWidget* parent = nullptr);

  /// Takes a full run to those that are kept, newest first.
  void add_result(const RunResultPtr& result);

 private:
  QListWidget* runs_;
};

}  // namespace headway
