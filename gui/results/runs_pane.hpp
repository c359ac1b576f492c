// The right of the window: the runs so far, which of them is the baseline, and what is kept.
#pragma once

#include <QTableView>
#include <QWidget>

#include "gui/results/run_store.hpp"

namespace headway {

class RunsPane : public QWidget {
  Q_OBJECT

 public:
  explicit RunsPane(QWidget* parent = nullptr);

  /// Takes a full run to those that are there, newest first.
  void add_result(const RunResultPtr& result) { store_.add(result); }

  RunStore& store() { return store_; }
  QTableView* view() { return view_; }

  /// Makes the run under the cursor the baseline, or takes that back.
  void switch_baseline();
  void switch_kept();
  void remove_current();

 Q_SIGNALS:
  /// A run was picked to be shown.
  void run_picked(const headway::RunResultPtr& result);

 private:
  void make_actions();
  int current_row() const;

  RunStore store_;
  QTableView* view_;
};

}  // namespace headway
