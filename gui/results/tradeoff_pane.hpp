// The trade-off plot with what it shows, and the runs that make it.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QWidget>

#include "gui/results/rate_sweep.hpp"
#include "gui/results/tradeoff_plot.hpp"
#include "gui/runs/run_result.hpp"

namespace headway {

class TradeoffPane : public QWidget {
  Q_OBJECT

 public:
  explicit TradeoffPane(QWidget* parent = nullptr);

  /// The run whose scenario the curve is of. Once it is a full run, and while the pane is to be
  /// seen, its curve is made. Null: none.
  void show_result(const RunResultPtr& result);
  void show_baseline(const RunResultPtr& baseline);
  /// The result is of another scenario than the one that is edited.
  void set_stale(bool stale);
  /// A run of the window goes: points wait.
  void set_busy(bool busy);

  TradeoffPlot* plot() { return plot_; }
  RateSweep& sweep() { return sweep_; }
  /// Starts or ends the making of the curve.
  void switch_sweep();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void make_choices();
  void connect_sweep();
  void start_soon();
  void take_curve(const RateCurvePtr& curve);
  void update_plot();

  TradeoffPlot* plot_;
  QComboBox *latency_, *statistic_, *throughput_;
  QPushButton* button_;
  QLabel* progress_;
  RateSweep sweep_;
  QTimer pause_;  // runs out when edits pause
  RunResultPtr result_, baseline_;
  RateCurvePtr curve_, baseline_curve_;  // the latest; may be of an earlier scenario
  std::shared_ptr<const Scenario> scenario_;
  std::string ended_text_;  // of the scenario whose curve was ended by the user, or failed
  bool stale_ = false;
};

/// The scenario of a request; null where it has a fault.
std::shared_ptr<const Scenario> scenario_of(const RunRequest& request);

}  // namespace headway
