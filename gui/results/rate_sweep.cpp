#include "gui/results/rate_sweep.hpp"

#include <algorithm>

#include "models/model_error.hpp"
#include "sim/scenario/load.hpp"

namespace headway {

namespace {

constexpr std::size_t kMostCurves = 16;
constexpr int kMostRefined = 3;
constexpr int kEndMilliseconds = 2000;

// What QObject has sent a signal from cannot be deleted there and then.
template <typename Process>
void release(std::unique_ptr<Process>& process) {
  if (process) process.release()->deleteLater();
}

}  // namespace

CheckProcess::CheckProcess(const RunRequest& request, QObject* parent) : QObject(parent) {
  connect(&process_, &QProcess::finished, this,
          [this](int, QProcess::ExitStatus status) { end(status); });
  connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart)
      Q_EMIT failed(tr("%1 cannot be started: %2").arg(process_.program(), process_.errorString()));
  });
  QStringList arguments = {QStringLiteral("check"), QStringLiteral("-"), QStringLiteral("--json")};
  if (!request.file.empty())
    arguments << QStringLiteral("--as") << QString::fromStdString(request.file);
  for (const std::string& set : request.sets)
    arguments << QStringLiteral("--set") << QString::fromStdString(set);
  process_.start(headway_program(), arguments);
  process_.write(request.scenario_text.data(), static_cast<qint64>(request.scenario_text.size()));
  process_.closeWriteChannel();
}

CheckProcess::~CheckProcess() {
  process_.disconnect(this);
  if (process_.state() == QProcess::NotRunning) return;
  process_.kill();
  process_.waitForFinished(kEndMilliseconds);
}

void CheckProcess::end(QProcess::ExitStatus status) {
  const QByteArray text = process_.readAllStandardOutput();
  if (status == QProcess::NormalExit && !text.isEmpty()) {
    try {
      const CheckReport check = parse_check(text.toStdString(), "headway check");
      Q_EMIT finished(check);
      return;
    } catch (const InputError& error) {
      Q_EMIT failed(QString::fromStdString(error.what()));
      return;
    }
  }
  const QString words = QString::fromUtf8(process_.readAllStandardError()).trimmed();
  Q_EMIT failed(words.isEmpty() ? tr("headway check ended without an answer") : words);
}

RateSweep::RateSweep(QObject* parent) : QObject(parent) {}

RateSweep::~RateSweep() = default;

RateCurvePtr RateSweep::curve(const std::string& scenario_text) const {
  for (const RateCurvePtr& curve : made_)
    if (curve->scenario_text == scenario_text) return curve;
  return nullptr;
}

void RateSweep::start(const RunRequest& request) {
  stop_children();
  scenario_.reset();
  if (const RateCurvePtr made = curve(request.scenario_text)) {
    Q_EMIT changed(made);
    Q_EMIT ended();
    return;
  }
  request_ = request;
  curve_ = {.scenario_text = request.scenario_text};
  check_.reset();
  refined_ = 0;
  try {
    scenario_ = std::make_shared<const Scenario>(
        parse_scenario(request.scenario_text, request.file,
                       std::filesystem::path(request.file).parent_path(), request.sets));
    load_sets(*scenario_, 1);
  } catch (const InputError& error) {
    return fail(QString::fromStdString(error.what()));
  } catch (const ModelError& error) {
    return fail(QString::fromStdString(error.what()));
  }
  check();
}

void RateSweep::cancel() {
  if (!running()) return;
  finish();
}

void RateSweep::set_paused(bool paused) {
  if (paused_ == paused) return;
  paused_ = paused;
  if (!running()) return;
  if (paused)
    stop_children();
  else if (!check_)
    check();
  else
    next_point();
}

void RateSweep::stop_children() {
  if (process_) process_.release()->abandon();
  checking_.reset();
}

void RateSweep::check() {
  if (paused_) return;
  checking_ = std::make_unique<CheckProcess>(request_);
  connect(checking_.get(), &CheckProcess::finished, this, &RateSweep::take_check);
  connect(checking_.get(), &CheckProcess::failed, this, &RateSweep::fail);
}

void RateSweep::take_check(const CheckReport& check) {
  release(checking_);
  check_ = check;
  if (check.offered_per_second) curve_.bound_per_second = check.bound_per_second;
  waiting_ = curve_factors(check);
  next_point();
}

void RateSweep::next_point() {
  if (paused_ || process_) return;
  if (waiting_.empty() && refined_ < kMostRefined) {
    if (const auto factor = refining_factor(curve_.points)) {
      ++refined_;
      waiting_.push_back(*factor);
    }
  }
  if (waiting_.empty()) {
    curve_.complete = true;
    const auto made = std::make_shared<const RateCurve>(curve_);
    made_.push_front(made);
    if (made_.size() > kMostCurves) made_.pop_back();
    Q_EMIT changed(made);
    return finish();
  }
  Q_EMIT progressed(static_cast<int>(curve_.points.size()),
                    static_cast<int>(curve_.points.size() + waiting_.size()));
  const double factor = waiting_.front();
  RunRequest point = request_;
  point.background = true;
  for (const auto& sets :
       {load_sets(*scenario_, factor), length_sets(*scenario_, check_->offered_per_second, factor)})
    point.sets.insert(point.sets.end(), sets.begin(), sets.end());
  process_ = std::make_unique<RunProcess>(std::move(point));
  connect(process_.get(), &RunProcess::finished, this,
          [this, factor](const RunResultPtr& result) { take_point(factor, result); });
  connect(process_.get(), &RunProcess::failed, this, [this](const QString& message, bool) {
    release(process_);
    fail(message);
  });
  process_->start();
}

void RateSweep::take_point(double factor, const RunResultPtr& result) {
  release(process_);
  waiting_.erase(waiting_.begin());
  RatePoint point{factor, std::shared_ptr<const Report>(result, &result->report)};
  const bool unstable = point.report->summary.stability.verdict == Verdict::unstable;
  const auto after =
      std::upper_bound(curve_.points.begin(), curve_.points.end(), factor,
                       [](double value, const RatePoint& other) { return value < other.factor; });
  curve_.points.insert(after, std::move(point));
  if (unstable) waiting_.clear();  // what is beyond is no more stable
  Q_EMIT changed(std::make_shared<const RateCurve>(curve_));
  if (running()) next_point();
}

void RateSweep::fail(const QString& message) {
  Q_EMIT failed(message);
  finish();
}

void RateSweep::finish() {
  if (process_) process_.release()->abandon();
  release(checking_);
  scenario_.reset();
  Q_EMIT ended();
}

}  // namespace headway
