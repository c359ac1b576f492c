#include "gui/results/tradeoff_pane.hpp"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "models/model_error.hpp"
#include "sim/scenario/load.hpp"

namespace headway {

namespace {

constexpr int kPauseMilliseconds = 600;

}  // namespace

std::shared_ptr<const Scenario> scenario_of(const RunRequest& request) {
  try {
    return std::make_shared<const Scenario>(
        parse_scenario(request.scenario_text, request.file,
                       std::filesystem::path(request.file).parent_path(), request.sets));
  } catch (const InputError&) {
    return nullptr;
  } catch (const ModelError&) {
    return nullptr;
  }
}

TradeoffPane::TradeoffPane(QWidget* parent) : QWidget(parent), plot_(new TradeoffPlot(this)) {
  make_choices();
  auto* choices = new QHBoxLayout;
  for (QWidget* widget : std::initializer_list<QWidget*>{latency_, statistic_, throughput_})
    choices->addWidget(widget);
  choices->addWidget(progress_, 1);
  choices->addWidget(button_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 4, 4, 4);
  layout->addLayout(choices);
  layout->addWidget(plot_, 1);
  connect_sweep();
  pause_.setSingleShot(true);
  pause_.setInterval(kPauseMilliseconds);
  connect(&pause_, &QTimer::timeout, this, [this] {
    if (result_ && isVisible()) sweep_.start(result_->request);
  });
}

void TradeoffPane::make_choices() {
  const auto add = [this](const QString& name, const QStringList& items, int current) {
    auto* box = new QComboBox(this);
    box->setAccessibleName(name);
    box->setToolTip(name);
    box->addItems(items);
    box->setCurrentIndex(current);
    connect(box, &QComboBox::currentIndexChanged, this, [this] {
      plot_->show_choice(static_cast<LatencyKind>(latency_->currentIndex()),
                         static_cast<LatencyStatistic>(statistic_->currentIndex()),
                         static_cast<ThroughputKind>(throughput_->currentIndex()));
    });
    return box;
  };
  QStringList latencies, statistics;
  for (const LatencyKind kind : {LatencyKind::ttft, LatencyKind::tpot, LatencyKind::e2e})
    latencies << latency_name(kind);
  for (const LatencyStatistic statistic : {LatencyStatistic::mean, LatencyStatistic::p50,
                                           LatencyStatistic::p90, LatencyStatistic::p99})
    statistics << statistic_name(statistic);
  latency_ = add(tr("Latency"), latencies, 0);
  statistic_ = add(tr("Mean or percentile"), statistics, 3);
  throughput_ = add(tr("Throughput"), {tr("over requests/s"), tr("over output tokens/s")}, 0);
  progress_ = new QLabel(this);
  progress_->setAccessibleName(tr("Progress of the curve"));
  button_ = new QPushButton(tr("&Make the curve"), this);
  button_->setAccessibleName(tr("Make or end the curve"));
  button_->setEnabled(false);
  connect(button_, &QPushButton::clicked, this, &TradeoffPane::switch_sweep);
}

void TradeoffPane::connect_sweep() {
  connect(&sweep_, &RateSweep::changed, this, &TradeoffPane::take_curve);
  connect(&sweep_, &RateSweep::progressed, this, [this](int done, int all) {
    progress_->setText(tr("run %1 of %2").arg(done + 1).arg(all));
    button_->setText(tr("&End the curve"));
  });
  connect(&sweep_, &RateSweep::failed, this, [this](const QString& message) {
    ended_text_ = result_ ? result_->request.scenario_text : std::string();
    progress_->setText(message);
    progress_->setToolTip(message);
  });
  connect(&sweep_, &RateSweep::ended, this, [this] {
    if (curve_ && curve_->complete) progress_->clear();
    button_->setText(tr("&Make the curve"));
  });
}

void TradeoffPane::switch_sweep() {
  if (!result_) return;
  if (sweep_.running()) {
    ended_text_ = result_->request.scenario_text;
    sweep_.cancel();
    progress_->setText(tr("ended early"));
  } else {
    ended_text_.clear();
    sweep_.start(result_->request);
  }
}

void TradeoffPane::show_result(const RunResultPtr& result) {
  result_ = result;
  button_->setEnabled(result != nullptr);
  scenario_ = result ? scenario_of(result->request) : nullptr;
  if (result && scenario_ && (!curve_ || curve_->scenario_text != result->request.scenario_text))
    if (const RateCurvePtr made = sweep_.curve(result->request.scenario_text)) curve_ = made;
  update_plot();
  start_soon();
}

void TradeoffPane::show_baseline(const RunResultPtr& baseline) {
  baseline_ = baseline;
  baseline_curve_ = baseline ? sweep_.curve(baseline->request.scenario_text) : nullptr;
  update_plot();
}

void TradeoffPane::set_stale(bool stale) {
  if (stale_ == stale) return;
  stale_ = stale;
  update_plot();
}

void TradeoffPane::set_busy(bool busy) {
  if (busy) pause_.stop();
  sweep_.set_paused(busy);
  if (!busy) start_soon();
}

// The curve of a scenario that is being changed would be thrown away at the next change.
void TradeoffPane::start_soon() {
  if (!result_ || result_->request.preliminary || !isVisible()) return;
  const std::string& text = result_->request.scenario_text;
  if (text == ended_text_ || (curve_ && curve_->complete && curve_->scenario_text == text)) return;
  pause_.start();
}

void TradeoffPane::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  start_soon();
}

void TradeoffPane::take_curve(const RateCurvePtr& curve) {
  // The curve before stays until the new one says more.
  if (!curve_ || curve->complete || curve->points.size() > 1 ||
      curve_->scenario_text == curve->scenario_text)
    curve_ = curve;
  if (baseline_ && curve->complete && curve->scenario_text == baseline_->request.scenario_text)
    baseline_curve_ = curve;
  update_plot();
}

void TradeoffPane::update_plot() {
  const auto report_of = [](const RunResultPtr& result) {
    return result ? std::shared_ptr<const Report>(result, &result->report) : nullptr;
  };
  const bool other = curve_ && result_ && curve_->scenario_text != result_->request.scenario_text;
  plot_->show_baseline({baseline_curve_, report_of(baseline_), false});
  plot_->show_run({curve_, report_of(result_), stale_ || other}, scenario_);
}

}  // namespace headway
