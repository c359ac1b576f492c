// The share of requests that are answered within a time: of the run, and of the baseline.
#pragma once

#include <memory>

#include "gui/results/latency_choice.hpp"
#include "gui/results/latency_distribution.hpp"
#include "gui/results/plot_view.hpp"

namespace headway {

class DistributionPlot : public PlotView {
  Q_OBJECT

 public:
  /// A run's curves, and the figures that the percentile lines are drawn from.
  struct Data {
    RunResultPtr result;
    std::shared_ptr<const LatencyDistribution> distribution;
  };

  explicit DistributionPlot(QWidget* parent = nullptr);

  void show_kind(LatencyKind kind);
  /// Without a result: nothing yet, or no baseline.
  void show_run(const Data& run);
  void show_baseline(const Data& baseline);

  /// Plot CSV `headway.distribution_plot` version 1 (gui/README.md).
  std::string csv() const override;

 protected:
  void draw_plot() override;
  void show_all() override;
  QString read_out(QPointF position) const override;

 private:
  const CumulativeCurve* curve_of(const Data& shown) const;
  void draw_curve(QCPAxisRect* rect, const CumulativeCurve& curve, const QString& name,
                  const QPen& pen);
  QString percentiles_in_words(const Data& shown) const;

  LatencyKind kind_ = LatencyKind::ttft;
  Data run_, baseline_;
  AxisUnit unit_;
};

}  // namespace headway
