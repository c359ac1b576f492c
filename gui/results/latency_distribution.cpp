#include "gui/results/latency_distribution.hpp"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>
#include <algorithm>

#include "sim/scenario/input_error.hpp"

namespace headway {

namespace {

// More than there are pixels, over all and again over the last hundredth.
constexpr std::size_t kPoints = 1500;

}  // namespace

CumulativeCurve cumulative_curve(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  CumulativeCurve curve;
  const std::size_t count = samples.size();
  curve.count = static_cast<std::int64_t>(count);
  const auto add = [&](std::size_t index) {
    curve.seconds.push_back(samples[index]);
    curve.share.push_back(static_cast<double>(index + 1) / static_cast<double>(count));
  };
  const std::size_t tail = count - count / 100;
  const std::size_t step = std::max<std::size_t>(1, tail / kPoints);
  for (std::size_t i = 0; i < tail; i += step) add(i);
  const std::size_t tail_step = std::max<std::size_t>(1, (count - tail) / kPoints);
  for (std::size_t i = tail; i < count; i += tail_step) add(i);
  if (count > 0 && curve.share.back() < 1) add(count - 1);
  return curve;
}

LatencyDistribution read_distribution(const RunResult& result) {
  RequestSamples samples =
      read_request_samples(result.requests_csv().toStdString(), result.report.summary.warm_up);
  return {cumulative_curve(std::move(samples.ttft)), cumulative_curve(std::move(samples.tpot)),
          cumulative_curve(std::move(samples.e2e))};
}

struct DistributionReader::Outcome {
  std::shared_ptr<const LatencyDistribution> distribution;
  QString error;
};

void DistributionReader::read(const RunResultPtr& result) {
  wanted_ = result;
  if (!result) return;
  QThreadPool::globalInstance()->start([self = QPointer<DistributionReader>(this), result] {
    Outcome outcome;
    try {
      outcome.distribution =
          std::make_shared<const LatencyDistribution>(read_distribution(*result));
    } catch (const std::exception& error) {
      outcome.error = QString::fromUtf8(error.what());
    }
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [self, result, outcome] {
          if (self) self->take(result, outcome);
        },
        Qt::QueuedConnection);
  });
}

void DistributionReader::take(const RunResultPtr& result, const Outcome& outcome) {
  if (result != wanted_) return;
  wanted_.reset();
  if (outcome.distribution)
    Q_EMIT read_done(result, outcome.distribution);
  else
    Q_EMIT failed(outcome.error);
}

}  // namespace headway
