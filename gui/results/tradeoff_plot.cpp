#include "gui/results/tradeoff_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/report/table_text.hpp"

namespace headway {

namespace {

constexpr double kNearPixels = 24;
// The knee goes to the sky; a plot that showed all of it would show nothing else.
constexpr double kShownOfPromise = 2.5, kShownOfMedian = 12;

QString text_of(const std::string& text) {
  return QString::fromStdString(text);
}

}  // namespace

TradeoffPlot::TradeoffPlot(QWidget* parent) : PlotView(parent) {
  setAccessibleName(tr("Trade-off between throughput and latency"));
  redraw();
}

void TradeoffPlot::show_choice(LatencyKind kind, LatencyStatistic statistic,
                               ThroughputKind throughput) {
  kind_ = kind;
  statistic_ = statistic;
  throughput_ = throughput;
  redraw();
  reset_zoom();
}

void TradeoffPlot::show_run(const Data& run, std::shared_ptr<const Scenario> scenario) {
  run_ = run;
  scenario_ = std::move(scenario);
  redraw();
}

void TradeoffPlot::show_baseline(const Data& baseline) {
  baseline_ = baseline;
  redraw();
}

const Figure& TradeoffPlot::figure_of(const Report& report) const {
  return statistic_of(latency_figures(report.summary, kind_), statistic_);
}

QString TradeoffPlot::throughput_unit() const {
  return throughput_ == ThroughputKind::requests ? tr("requests/s") : tr("output tokens/s");
}

std::optional<TradeoffPlot::Point> TradeoffPlot::point_of(const Report& report,
                                                          const QString& series) const {
  const Figures& figures = latency_figures(report.summary, kind_);
  if (figures.unstable || figures.count == 0) return {};
  const double throughput = throughput_ == ThroughputKind::requests
                                ? report.summary.achieved_per_second
                                : report.summary.output_tokens_per_second;
  return Point{throughput, figure_of(report).value, &report, series};
}

std::vector<TradeoffPlot::Point> TradeoffPlot::points_of(const Data& shown,
                                                         const QString& series) const {
  std::vector<Point> points;
  if (shown.curve)
    for (const RatePoint& one : shown.curve->points)
      if (const auto point = point_of(*one.report, series)) points.push_back(*point);
  return points;
}

void TradeoffPlot::draw_curve(QCPAxisRect* rect, const Data& shown, const QString& name,
                              const QColor& colour) {
  const std::vector<Point> points = points_of(shown, name);
  const QColor ink = shown.stale ? faint_colour() : colour;
  const QString legend_name = shown.stale ? tr("%1 (of an earlier scenario)").arg(name) : name;
  if (!points.empty()) {
    // By rising load: past the knee the throughput may fall again.
    auto* line = new QCPCurve(rect->axis(QCPAxis::atBottom), rect->axis(QCPAxis::atLeft));
    line->setName(legend_name);
    line->setPen(QPen(ink, 2, shown.stale ? Qt::DashLine : Qt::SolidLine));
    line->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, ink, 6));
    auto* bars = new QCPErrorBars(rect->axis(QCPAxis::atBottom), rect->axis(QCPAxis::atLeft));
    bars->setDataPlottable(line);
    bars->setPen(QPen(ink, 1));
    bars->setSymbolGap(4);
    QVector<double> keys, values, widths;
    for (const Point& point : points) {
      keys << point.throughput;
      values << point.seconds / unit_.seconds;
      widths << figure_of(*point.report).half_width.value_or(0) / unit_.seconds;
    }
    line->setData(keys, values);
    bars->setData(widths);
    mark_unsettled(rect, points, ink);
  }
  drawn_.insert(drawn_.end(), points.begin(), points.end());
  if (!shown.run) return;
  const auto point = point_of(*shown.run, tr("%1, at its own load").arg(name));
  if (!point) return;
  QCPGraph* own = add_line(rect, point->series, QPen(Qt::NoPen));
  own->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDiamond, QPen(ink, 2),
                                       palette().brush(QPalette::Base), 13));
  own->setData({point->throughput}, {point->seconds / unit_.seconds});
  drawn_.push_back(*point);
}

// Points to be doubted are hollow.
void TradeoffPlot::mark_unsettled(QCPAxisRect* rect, const std::vector<Point>& points,
                                  const QColor& ink) {
  QVector<double> keys, values;
  for (const Point& point : points) {
    const Figure& figure = figure_of(*point.report);
    if (figure.half_width && figure.converged) continue;
    keys << point.throughput;
    values << point.seconds / unit_.seconds;
  }
  if (keys.isEmpty()) return;
  QCPGraph* marks = add_line(rect, tr("no interval that has converged"), QPen(Qt::NoPen));
  marks->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(ink, 1.5),
                                         palette().brush(QPalette::Base), 7));
  marks->setData(keys, values, true);
}

void TradeoffPlot::draw_promises(QCPAxisRect* rect) {
  if (!scenario_) return;
  for (const PromisedLatency& promised : promised_latencies(*scenario_, kind_))
    add_limit(rect, Qt::Horizontal, promised.seconds / unit_.seconds, promised.label,
              QPen(limit_colour(), 1.5, Qt::DashLine));
}

void TradeoffPlot::draw_plot() {
  drawn_.clear();
  std::vector<Point> all = points_of(run_, {});
  if (run_.run)
    if (const auto own = point_of(*run_.run, {})) all.push_back(*own);
  if (all.empty()) {
    if (!run_.run && !run_.curve)
      return show_empty(tr("No run yet: open a scenario, and press F5."));
    return show_empty(tr("No finite %1 at any load so far.").arg(latency_name(kind_)));
  }
  std::vector<double> seconds;
  seconds.reserve(all.size());
  for (const Point& point : all) seconds.push_back(point.seconds);
  std::sort(seconds.begin(), seconds.end());
  unit_ = latency_unit(seconds[seconds.size() / 2]);
  auto* rect = new QCPAxisRect(this);
  plotLayout()->addElement(0, 0, rect);
  style_axes(rect);
  rect->axis(QCPAxis::atBottom)->setLabel(tr("throughput (%1)").arg(throughput_unit()));
  rect->axis(QCPAxis::atLeft)
      ->setLabel(tr("%1 %2 (%3)").arg(latency_name(kind_), statistic_name(statistic_), unit_.name));
  draw_promises(rect);
  draw_curve(rect, baseline_, tr("baseline"), baseline_colour());
  draw_curve(rect, run_, tr("this scenario"), run_colour());
  if (run_.curve && run_.curve->bound_per_second && throughput_ == ThroughputKind::requests)
    add_limit(rect, Qt::Vertical, *run_.curve->bound_per_second, tr("bound"),
              QPen(palette().color(QPalette::Text), 1, Qt::DotLine), 0, true);
  place_legend(2);
  QStringList words;
  for (const Point& point : drawn_) words << words_of(point);
  show_plot(words.join(QStringLiteral("; ")));
}

void TradeoffPlot::show_all() {
  std::vector<double> seconds;
  double right = 0;
  for (const Point& point : drawn_) {
    seconds.push_back(point.seconds);
    right = std::max(right, point.throughput);
  }
  std::sort(seconds.begin(), seconds.end());
  double top = std::min(seconds.back() * 1.1, seconds[seconds.size() / 2] * kShownOfMedian);
  if (scenario_)
    for (const PromisedLatency& promised : promised_latencies(*scenario_, kind_))
      if (promised.seconds < top * 4)
        top = std::max(promised.seconds * 1.15, std::min(top, promised.seconds * kShownOfPromise));
  if (run_.run)
    if (const auto own = point_of(*run_.run, {})) top = std::max(top, own->seconds * 1.15);
  if (run_.curve && run_.curve->bound_per_second && throughput_ == ThroughputKind::requests &&
      *run_.curve->bound_per_second < 2 * right)
    right = std::max(right, *run_.curve->bound_per_second * 1.04);
  QCPAxisRect* rect = axisRects().first();
  rect->axis(QCPAxis::atBottom)->setRange(0, right > 0 ? right * 1.05 : 1);
  rect->axis(QCPAxis::atLeft)->setRange(0, top > 0 ? top / unit_.seconds : 1);
}

QString TradeoffPlot::words_of(const Point& point) const {
  const Summary& summary = point.report->summary;
  const Figure& figure = figure_of(*point.report);
  QString text = tr("%1: %2 %3, %4 %5 %6")
                     .arg(point.series, text_of(number_text(point.throughput)), throughput_unit(),
                          latency_name(kind_), statistic_name(statistic_),
                          text_of(seconds_text(figure.value, figure.half_width,
                                               {.colour = false, .unicode = true})));
  if (figure.half_width && !figure.converged) text += tr(", not converged");
  if (!figure.half_width) text += tr(", no interval");
  if (summary.stability.verdict == Verdict::undecided) text += tr(", undecided whether stable");
  return text;
}

QString TradeoffPlot::read_out(QPointF position) const {
  const QCPAxisRect* rect = axisRectAt(position);
  if (rect == nullptr) return {};
  const Point* nearest = nullptr;
  double distance = kNearPixels;
  for (const Point& point : drawn_) {
    const double x = rect->axis(QCPAxis::atBottom)->coordToPixel(point.throughput);
    const double y = rect->axis(QCPAxis::atLeft)->coordToPixel(point.seconds / unit_.seconds);
    const double away = std::hypot(x - position.x(), y - position.y());
    if (away >= distance) continue;
    distance = away;
    nearest = &point;
  }
  return nearest == nullptr ? QString() : words_of(*nearest);
}

std::string TradeoffPlot::csv() const {
  std::string text = fmt::format(
      "# headway.tradeoff_plot version 1; latency is the {} of {} in seconds, half_width_s of its "
      "95 % interval\n"
      "series,load_factor,offered_requests_per_second,achieved_requests_per_second,"
      "output_tokens_per_second,latency_s,half_width_s,converged,verdict\n",
      statistic_name(statistic_).toStdString(), latency_name(kind_).toStdString());
  const auto line = [&](const char* series, double factor, const Report& report) {
    const Summary& summary = report.summary;
    const Figures& figures = latency_figures(summary, kind_);
    const bool exists = !figures.unstable && figures.count > 0;
    const Figure& figure = figure_of(report);
    text += fmt::format("{},{},{},{},{},{},{},{},{}\n", series, factor, summary.offered_per_second,
                        summary.achieved_per_second, summary.output_tokens_per_second,
                        exists ? fmt::format("{}", figure.value) : "",
                        exists && figure.half_width ? fmt::format("{}", *figure.half_width) : "",
                        !exists || !figure.half_width ? ""
                        : figure.converged            ? "yes"
                                                      : "no",
                        verdict_name(summary.stability.verdict));
  };
  const auto add = [&](const char* series, const char* own, const Data& shown) {
    if (shown.curve)
      for (const RatePoint& point : shown.curve->points) line(series, point.factor, *point.report);
    if (shown.run) line(own, 1, *shown.run);
  };
  if (!run_.run && !run_.curve) return {};
  add("curve", "run", run_);
  add("baseline curve", "baseline", baseline_);
  return text;
}

}  // namespace headway
