// The run over time: arrivals and completions, requests waiting and running, KV memory and
// replicas at work, over one time axis.
#pragma once

#include <memory>

#include "gui/results/plot_view.hpp"
#include "sim/report/report.hpp"

namespace headway {

class TimelinePlot : public PlotView {
  Q_OBJECT

 public:
  explicit TimelinePlot(QWidget* parent = nullptr);

  /// Null: nothing yet.
  void show_result(std::shared_ptr<const Report> report);

  /// plot CSV `headway.timeline_plot` version 1 (gui/README.md).
  std::string csv() const override;

 protected:
  void draw_plot() override;
  void show_all() override;
  QString read_out(QPointF position) const override;

 private:
  QCPAxisRect* add_rect(int row, const QString& label);
  void share_time_axis();
  double bucket_start(std::size_t index) const;  // seconds

  std::shared_ptr<const Report> report_;
  AxisUnit unit_;
  bool tokens_ = false;  // KV memory means something
};

}  // namespace headway
