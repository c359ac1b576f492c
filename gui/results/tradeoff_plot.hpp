// The trade-off curve: a latency against the throughput, as the load grows.
#pragma once

#include <memory>
#include <vector>

#include "gui/results/latency_choice.hpp"
#include "gui/results/plot_view.hpp"
#include "gui/results/rate_curve.hpp"

namespace headway {

enum class ThroughputKind { requests, output_tokens };

class TradeoffPlot : public PlotView {
  Q_OBJECT

 public:
  /// A curve, and the run at the scenario's own load; either may be null.
  struct Data {
    std::shared_ptr<const RateCurve> curve;
    std::shared_ptr<const Report> run;
    bool stale = false;  // of another scenario than the one that is edited
  };

  explicit TradeoffPlot(QWidget* parent = nullptr);

  void show_choice(LatencyKind kind, LatencyStatistic statistic, ThroughputKind throughput);
  /// `scenario` has the promises; null: none.
  void show_run(const Data& run, std::shared_ptr<const Scenario> scenario);
  void show_baseline(const Data& baseline);

  /// Plot CSV `headway.tradeoff_plot` version 1 (gui/README.md).
  std::string csv() const override;

 protected:
  void draw_plot() override;
  void show_all() override;
  QString read_out(QPointF position) const override;

 private:
  /// A run as a point of the plot.
  struct Point {
    double throughput = 0, seconds = 0;
    const Report* report = nullptr;
    QString series;
  };
  std::vector<Point> points_of(const Data& shown, const QString& series) const;
  std::optional<Point> point_of(const Report& report, const QString& series) const;
  void draw_curve(QCPAxisRect* rect, const Data& shown, const QString& name, const QColor& colour);
  void mark_unsettled(QCPAxisRect* rect, const std::vector<Point>& points, const QColor& ink);
  void draw_promises(QCPAxisRect* rect);
  const Figure& figure_of(const Report& report) const;
  QString throughput_unit() const;
  QString words_of(const Point& point) const;

  LatencyKind kind_ = LatencyKind::ttft;
  LatencyStatistic statistic_ = LatencyStatistic::p99;
  ThroughputKind throughput_ = ThroughputKind::requests;
  Data run_, baseline_;
  std::shared_ptr<const Scenario> scenario_;
  AxisUnit unit_;
  std::vector<Point> drawn_;
};

}  // namespace headway
