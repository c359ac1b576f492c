// The distribution plot with the choice of the latency; files are read when it is to be seen.
#pragma once

#include <QComboBox>
#include <QWidget>

#include "gui/results/distribution_plot.hpp"

namespace headway {

class DistributionPane : public QWidget {
  Q_OBJECT

 public:
  explicit DistributionPane(QWidget* parent = nullptr);

  /// Null: none.
  void show_result(const RunResultPtr& result);
  void show_baseline(const RunResultPtr& baseline);

  DistributionPlot* plot() { return plot_; }
  QComboBox* choice() { return choice_; }

 Q_SIGNALS:
  /// The result's curves are drawn.
  void drawn();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void read_what_is_missing();

  DistributionPlot* plot_;
  QComboBox* choice_;
  DistributionReader run_reader_, baseline_reader_;
  RunResultPtr run_, baseline_;            // to be shown
  RunResultPtr run_read_, baseline_read_;  // that is shown, or being read
};

}  // namespace headway
