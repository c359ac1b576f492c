// The centre of the window: what came of the runs.
#pragma once

#include <QLabel>
#include <QWidget>

#include "gui/runs/run_result.hpp"

namespace headway {

class ResultsPane : public QWidget {
  Q_OBJECT

 public:
  explicit ResultsPane(QWidget* parent = nullptr);

  /// Shows a result, the short run's or the full one's, in place of the one before.
  void show_result(const RunResultPtr& result);
  /// The result shown is of another scenario than the one that is edited, until the next.
  void set_stale(bool stale);

 private:
  QLabel* headline_;
};

}  // namespace headway
