// The centre of the window: what came of the runs, as a table and as plots.
#pragma once

#include <QLabel>
#include <QTabWidget>
#include <QTableView>
#include <QWidget>

#include "gui/results/distribution_pane.hpp"
#include "gui/results/result_table_model.hpp"
#include "gui/results/timeline_plot.hpp"
#include "gui/results/tradeoff_pane.hpp"
#include "gui/runs/run_result.hpp"

namespace headway {

class ResultsPane : public QWidget {
  Q_OBJECT

 public:
  explicit ResultsPane(QWidget* parent = nullptr);

  /// Shows a result, the short run's or the full one's, in place of the one before.
  void show_result(const RunResultPtr& result);
  /// The run that results are compared with; null: none.
  void show_baseline(const RunResultPtr& baseline);
  /// The result shown is of another scenario than the one that is edited, until the next.
  void set_stale(bool stale);
  /// A run of the window goes.
  void set_busy(bool busy) { tradeoff_->set_busy(busy); }

  const RunResultPtr& result() const { return result_; }
  ResultTableModel& table() { return table_; }
  QTableView* table_view() { return view_; }
  QTabWidget* tabs() { return tabs_; }
  TradeoffPane* tradeoff() { return tradeoff_; }
  DistributionPane* distribution() { return distribution_; }
  TimelinePlot* timeline() { return timeline_; }
  /// The plot of the tab that is open.
  PlotView* current_plot();

  void copy_table_as_text();
  void copy_table_as_csv();
  /// Ask for a file and write it; a message tells what went wrong.
  void export_plot();
  void export_table();

 private:
  void make_table();
  void update_table();
  void update_headline();

  QLabel* headline_;
  ResultTableModel table_;
  QTableView* view_;
  QTabWidget* tabs_;
  TradeoffPane* tradeoff_;
  DistributionPane* distribution_;
  TimelinePlot* timeline_;
  RunResultPtr result_, baseline_;
  bool stale_ = false;
};

}  // namespace headway
