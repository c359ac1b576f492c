#include "gui/results/distribution_plot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/report/table_text.hpp"

namespace headway {

namespace {

// Beyond it, the tail would press the rest against the axis; zooming out shows it.
constexpr double kShownShare = 0.999;

double seconds_at(const CumulativeCurve& curve, double share) {
  const auto found = std::lower_bound(curve.share.begin(), curve.share.end(), share);
  return found == curve.share.end()
             ? curve.seconds.back()
             : curve.seconds[static_cast<std::size_t>(found - curve.share.begin())];
}

// Share of the samples that are no longer.
double share_at(const CumulativeCurve& curve, double seconds) {
  const auto after = std::upper_bound(curve.seconds.begin(), curve.seconds.end(), seconds);
  if (after == curve.seconds.begin()) return 0;
  return curve.share[static_cast<std::size_t>(after - curve.seconds.begin()) - 1];
}

QString seconds_words(double seconds) {
  return QString::fromStdString(seconds_text(seconds, {}, {}));
}

constexpr std::pair<LatencyStatistic, const char*> kPercentiles[] = {
    {LatencyStatistic::p50, "p50"}, {LatencyStatistic::p90, "p90"}, {LatencyStatistic::p99, "p99"}};

}  // namespace

DistributionPlot::DistributionPlot(QWidget* parent) : PlotView(parent) {
  setAccessibleName(tr("Distribution of the latency"));
  redraw();
}

void DistributionPlot::show_kind(LatencyKind kind) {
  kind_ = kind;
  redraw();
  reset_zoom();
}

void DistributionPlot::show_run(const Data& run) {
  run_ = run;
  redraw();
}

void DistributionPlot::show_baseline(const Data& baseline) {
  baseline_ = baseline;
  redraw();
}

const CumulativeCurve* DistributionPlot::curve_of(const Data& shown) const {
  if (!shown.distribution) return nullptr;
  const LatencyDistribution& all = *shown.distribution;
  const CumulativeCurve& curve = kind_ == LatencyKind::ttft   ? all.ttft
                                 : kind_ == LatencyKind::tpot ? all.tpot
                                                              : all.e2e;
  return curve.count > 0 ? &curve : nullptr;
}

void DistributionPlot::draw_curve(QCPAxisRect* rect, const CumulativeCurve& curve,
                                  const QString& name, const QPen& pen) {
  QVector<double> keys{curve.seconds.front() / unit_.seconds}, values{0};
  for (std::size_t i = 0; i < curve.seconds.size(); ++i) {
    keys << curve.seconds[i] / unit_.seconds;
    values << curve.share[i] * 100;
  }
  add_line(rect, name, pen)->setData(keys, values, true);
}

void DistributionPlot::draw_plot() {
  const CumulativeCurve* run = curve_of(run_);
  const CumulativeCurve* baseline = curve_of(baseline_);
  if (run == nullptr)
    return show_empty(!run_.distribution
                          ? tr("No run yet: open a scenario, and press F5.")
                          : tr("No request of this run has a %1.").arg(latency_name(kind_)));
  unit_ = latency_unit(seconds_at(*run, kShownShare));
  auto* rect = new QCPAxisRect(this);
  plotLayout()->addElement(0, 0, rect);
  style_axes(rect);
  rect->axis(QCPAxis::atBottom)->setLabel(tr("%1 (%2)").arg(latency_name(kind_), unit_.name));
  rect->axis(QCPAxis::atLeft)->setLabel(tr("requests within it (%)"));
  if (baseline != nullptr)
    draw_curve(rect, *baseline, tr("baseline"), QPen(baseline_colour(), 2, Qt::DashLine));
  draw_curve(rect, *run, tr("this run"), QPen(run_colour(), 2));
  const Figures& figures = latency_figures(run_.result->report.summary, kind_);
  if (!figures.unstable && figures.count > 0) {
    int row = 0;
    for (const auto& [statistic, name] : kPercentiles) {
      const double seconds = statistic_of(figures, statistic).value;
      add_limit(rect, Qt::Vertical, seconds / unit_.seconds,
                QStringLiteral("%1 %2").arg(QLatin1String(name), seconds_words(seconds)),
                QPen(run_colour(), 1, Qt::DotLine), row++);
    }
  }
  place_legend(2);
  QString words = tr("%1 of %2 requests: %3")
                      .arg(latency_name(kind_))
                      .arg(run->count)
                      .arg(percentiles_in_words(run_));
  if (baseline != nullptr)
    words +=
        tr("; of the baseline's %1: %2").arg(baseline->count).arg(percentiles_in_words(baseline_));
  show_plot(words);
}

QString DistributionPlot::percentiles_in_words(const Data& shown) const {
  const Figures& figures = latency_figures(shown.result->report.summary, kind_);
  if (figures.unstable) return tr("no finite steady-state value");
  QStringList words;
  for (const auto& [statistic, name] : kPercentiles)
    words << QLatin1String(name) + QLatin1Char(' ') +
                 seconds_words(statistic_of(figures, statistic).value);
  return words.join(QStringLiteral(", "));
}

void DistributionPlot::show_all() {
  const CumulativeCurve* run = curve_of(run_);
  const CumulativeCurve* baseline = curve_of(baseline_);
  double end = seconds_at(*run, kShownShare);
  if (baseline != nullptr)
    end = std::max(end, std::min(3 * end, seconds_at(*baseline, kShownShare)));
  const double begin = run->seconds.front() > 0.5 * end ? 0.9 * run->seconds.front() : 0;
  QCPAxisRect* rect = axisRects().first();
  rect->axis(QCPAxis::atBottom)
      ->setRange(begin / unit_.seconds, end > 0 ? end * 1.08 / unit_.seconds : 1);
  rect->axis(QCPAxis::atLeft)->setRange(0, 102);
}

QString DistributionPlot::read_out(QPointF position) const {
  const QCPAxisRect* rect = axisRectAt(position);
  const CumulativeCurve* run = curve_of(run_);
  if (rect == nullptr || run == nullptr) return {};
  const double seconds = rect->axis(QCPAxis::atBottom)->pixelToCoord(position.x()) * unit_.seconds;
  if (seconds < 0) return {};
  const auto share = [&](const CumulativeCurve& curve) {
    return QString::fromStdString(share_text(share_at(curve, seconds)));
  };
  QString text = tr("%1 within %2").arg(share(*run), seconds_words(seconds));
  if (const CumulativeCurve* baseline = curve_of(baseline_))
    text += tr("\nbaseline: %1").arg(share(*baseline));
  return text;
}

std::string DistributionPlot::csv() const {
  const CumulativeCurve* run = curve_of(run_);
  if (run == nullptr) return {};
  const std::string metric = latency_name(kind_).toLower().toStdString();
  std::string text = fmt::format(
      "# headway.distribution_plot version 1; share of the measured requests whose {0} is at most "
      "so long\nrun,{0}_s,share\n",
      metric);
  const auto add = [&](const char* name, const CumulativeCurve& curve) {
    for (std::size_t i = 0; i < curve.seconds.size(); ++i)
      text += fmt::format("{},{},{}\n", name, curve.seconds[i], curve.share[i]);
  };
  add("run", *run);
  if (const CumulativeCurve* baseline = curve_of(baseline_)) add("baseline", *baseline);
  return text;
}

}  // namespace headway
