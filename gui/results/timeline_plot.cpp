#include "gui/results/timeline_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/report/table_text.hpp"

namespace headway {

namespace {

constexpr int kShares = 2;  // the row of what is in per cent

double failures(const Timeline::Bucket& at) {
  return static_cast<double>(at.rejections + at.timeouts + at.losses);
}

/// Whether the number of ready replicas changes.
bool replicas_vary(const Timeline& line) {
  return std::any_of(line.buckets.begin(), line.buckets.end(), [&](const Timeline::Bucket& at) {
    return at.ready != line.buckets.front().ready || at.existing != at.ready;
  });
}

}  // namespace

TimelinePlot::TimelinePlot(QWidget* parent) : PlotView(parent) {
  setAccessibleName(tr("The run over time"));
  redraw();
}

void TimelinePlot::show_result(std::shared_ptr<const Report> report) {
  report_ = std::move(report);
  redraw();
}

double TimelinePlot::bucket_start(std::size_t index) const {
  return static_cast<double>(index) * report_->summary.timeline.bucket_seconds;
}

QCPAxisRect* TimelinePlot::add_rect(int row, const QString& label) {
  auto* rect = new QCPAxisRect(this);
  plotLayout()->addElement(row, 0, rect);
  rect->axis(QCPAxis::atLeft)->setLabel(label);
  rect->axis(QCPAxis::atLeft)->ticker()->setTickCount(3);
  style_axes(rect);
  return rect;
}

// One axis of time: ranges go together, labels stand below the lowest.
void TimelinePlot::share_time_axis() {
  const QList<QCPAxisRect*> rects = axisRects();
  auto* margins = new QCPMarginGroup(this);
  for (QCPAxisRect* rect : rects) {
    rect->setMarginGroup(QCP::msLeft | QCP::msRight, margins);
    rect->setRangeZoom(Qt::Horizontal);
    QCPAxis* time = rect->axis(QCPAxis::atBottom);
    time->setTickLabels(rect == rects.back());
    for (QCPAxisRect* other : rects)
      if (other != rect)
        connect(time, qOverload<const QCPRange&>(&QCPAxis::rangeChanged),
                other->axis(QCPAxis::atBottom), qOverload<const QCPRange&>(&QCPAxis::setRange));
  }
  rects.back()
      ->axis(QCPAxis::atBottom)
      ->setLabel(tr("time from the run's start (%1)").arg(unit_.name));
}

void TimelinePlot::draw_plot() {
  if (!report_ || report_->summary.timeline.buckets.empty())
    return show_empty(tr("No run yet: open a scenario, and press F5."));
  const Summary& summary = report_->summary;
  const Timeline& line = summary.timeline;
  const double width = line.bucket_seconds;
  unit_ = duration_unit(bucket_start(line.buckets.size()));
  tokens_ = std::any_of(summary.pools.begin(), summary.pools.end(),
                        [](const PoolUse& pool) { return !pool.service; });
  QCPAxisRect* rates = add_rect(0, tr("requests/s"));
  QCPAxisRect* numbers = add_rect(1, tr("requests"));
  QCPAxisRect* shares = add_rect(2, tr("%"));
  const auto halves = QSharedPointer<QCPAxisTickerFixed>::create();
  halves->setTickStep(50);
  shares->axis(QCPAxis::atLeft)->setTicker(halves);
  QCPAxisRect* replicas = replicas_vary(line) ? add_rect(kShares + 1, tr("replicas")) : nullptr;
  share_time_axis();
  using Bucket = Timeline::Bucket;
  const auto add = [&](QCPAxisRect* rect, const QString& name, const QColor& colour,
                       auto value_of) {
    QVector<double> keys, values;
    for (std::size_t i = 0; i < line.buckets.size(); ++i) {
      keys << (bucket_start(i) + width / 2) / unit_.seconds;
      values << value_of(line.buckets[i]);
    }
    add_line(rect, name, QPen(colour, 1.5))->setData(keys, values, true);
  };
  // The last bucket may be cut short by the run's end: its counts are a rate over less.
  add(rates, tr("arrivals"), run_colour(),
      [&](const Bucket& at) { return static_cast<double>(at.arrivals) / width; });
  add(rates, tr("completions"), baseline_colour(),
      [&](const Bucket& at) { return static_cast<double>(at.completions) / width; });
  if (std::any_of(line.buckets.begin(), line.buckets.end(),
                  [](const Bucket& at) { return failures(at) > 0; }))
    add(rates, tr("failures"), limit_colour(),
        [&](const Bucket& at) { return failures(at) / width; });
  add(numbers, tr("waiting"), limit_colour(), [](const Bucket& at) { return at.queue; });
  add(numbers, tr("running"), third_colour(), [](const Bucket& at) { return at.running; });
  add(shares, tr("replicas busy"), palette().color(QPalette::Text),
      [](const Bucket& at) { return at.busy * 100; });
  if (tokens_)
    add(shares, tr("KV memory in use"), fourth_colour(),
        [](const Bucket& at) { return at.kv_share * 100; });
  if (replicas != nullptr) {
    add(replicas, tr("replicas ready"), run_colour(), [](const Bucket& at) { return at.ready; });
    add(replicas, tr("replicas paid for"), faint_colour(),
        [](const Bucket& at) { return at.existing; });
  }
  const QList<QCPAxisRect*> rects = axisRects();
  if (summary.warm_up.seconds > 0)
    for (QCPAxisRect* rect : rects)
      add_limit(rect, Qt::Vertical, summary.warm_up.seconds / unit_.seconds,
                rect == rates ? tr("measured from here") : QString(),
                QPen(faint_colour().darker(dark() ? 70 : 150), 1, Qt::DashLine));
  place_legend(static_cast<int>(rects.size()));
  const std::string end = seconds_text(bucket_start(line.buckets.size()), {}, {});
  const auto peak =
      std::max_element(line.buckets.begin(), line.buckets.end(),
                       [](const Bucket& a, const Bucket& b) { return a.queue < b.queue; });
  show_plot(
      tr("%1 of simulated time in %2 buckets; at most %3 requests waiting on average of a "
         "bucket, at %4")
          .arg(QString::fromStdString(end))
          .arg(line.buckets.size())
          .arg(QString::fromStdString(number_text(peak->queue)),
               QString::fromStdString(seconds_text(
                   bucket_start(static_cast<std::size_t>(peak - line.buckets.begin())), {}, {}))));
}

void TimelinePlot::show_all() {
  const double end = bucket_start(report_->summary.timeline.buckets.size()) / unit_.seconds;
  const QList<QCPAxisRect*> rects = axisRects();
  for (QCPAxisRect* rect : rects) {
    rect->axis(QCPAxis::atBottom)->setRange(0, end);
    rect->axis(QCPAxis::atLeft)->rescale(true);
    const double top = rect->axis(QCPAxis::atLeft)->range().upper;
    rect->axis(QCPAxis::atLeft)->setRange(0, top > 0 ? top * 1.1 : 1);
  }
  rects[kShares]->axis(QCPAxis::atLeft)->setRange(0, 105);
}

QString TimelinePlot::read_out(QPointF position) const {
  const QCPAxisRect* rect = axisRectAt(position);
  if (rect == nullptr || !report_) return {};
  const Timeline& line = report_->summary.timeline;
  const double time = rect->axis(QCPAxis::atBottom)->pixelToCoord(position.x()) * unit_.seconds;
  const double bucket = std::floor(time / line.bucket_seconds);
  if (!(bucket >= 0) || bucket >= static_cast<double>(line.buckets.size())) return {};
  const auto index = static_cast<std::size_t>(bucket);
  const Timeline::Bucket& at = line.buckets[index];
  const auto number = [](double value) { return QString::fromStdString(number_text(value)); };
  const auto share = [](double value) { return QString::fromStdString(share_text(value)); };
  QString text = tr("at %1: %2 arrivals/s, %3 completions/s\nwaiting %4, running %5\nbusy %6")
                     .arg(QString::fromStdString(seconds_text(bucket_start(index), {}, {})),
                          number(static_cast<double>(at.arrivals) / line.bucket_seconds),
                          number(static_cast<double>(at.completions) / line.bucket_seconds),
                          number(at.queue), number(at.running), share(at.busy));
  if (tokens_) text += tr(", KV %1").arg(share(at.kv_share));
  if (replicas_vary(line))
    text += tr("\nreplicas: %1 ready, %2 paid for").arg(number(at.ready), number(at.existing));
  if (failures(at) > 0)
    text += tr("\n%1 failures/s").arg(number(failures(at) / line.bucket_seconds));
  return text;
}

std::string TimelinePlot::csv() const {
  if (!report_) return {};
  const Timeline& line = report_->summary.timeline;
  std::string text = fmt::format(
      "# headway.timeline_plot version 1; buckets of {} s; requests per second, mean numbers of "
      "requests and replicas, shares of 1\n"
      "start_s,arrivals_per_second,completions_per_second,waiting,running,busy_share,kv_share,"
      "failures_per_second,replicas_ready,replicas_existing\n",
      line.bucket_seconds);
  for (std::size_t i = 0; i < line.buckets.size(); ++i) {
    const Timeline::Bucket& at = line.buckets[i];
    text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", bucket_start(i),
                        static_cast<double>(at.arrivals) / line.bucket_seconds,
                        static_cast<double>(at.completions) / line.bucket_seconds, at.queue,
                        at.running, at.busy, at.kv_share, failures(at) / line.bucket_seconds,
                        at.ready, at.existing);
  }
  return text;
}

}  // namespace headway
