// How the latencies of single requests are spread: the curve of their shares, read from
// requests.csv.
#pragma once

#include <QObject>
#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "gui/runs/run_result.hpp"
#include "sim/report/request_samples.hpp"

namespace headway {

/// Share of the samples that are at most so long, at no more points than a screen shows.
struct CumulativeCurve {
  std::int64_t count = 0;       // samples
  std::vector<double> seconds;  // ascending; the first is the least, the last the largest sample
  std::vector<double> share;    // 0..1, of the samples that are no longer
};
/// Of any number of samples: at most some 3,000 points, denser in the last hundredth.
CumulativeCurve cumulative_curve(std::vector<double> samples);

struct LatencyDistribution {
  CumulativeCurve ttft, tpot, e2e;
};

/// Reads the distribution of a run in a thread of its own, since a file of a million requests takes
/// a second; the latest run asked for is told of.
class DistributionReader : public QObject {
  Q_OBJECT

 public:
  explicit DistributionReader(QObject* parent = nullptr) : QObject(parent) {}

  /// Null: what is being read is not told of.
  void read(const RunResultPtr& result);

 Q_SIGNALS:
  void read_done(const headway::RunResultPtr& result,
                 const std::shared_ptr<const headway::LatencyDistribution>& distribution);
  void failed(const QString& message);

 private:
  struct Outcome;
  void take(const RunResultPtr& result, const Outcome& outcome);

  RunResultPtr wanted_;
};

/// The distribution of one run, read at once. Throws InputError (request_samples.hpp).
LatencyDistribution read_distribution(const RunResult& result);

}  // namespace headway
