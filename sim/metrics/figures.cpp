#include "sim/metrics/figures.hpp"

#include <algorithm>

#include "sim/metrics/batch_means.hpp"

namespace headway {

namespace {

const std::vector<double> kPercentiles = {0.5, 0.9, 0.95, 0.99, 0.999};
constexpr Figure Figures::*kPercentileMembers[] = {&Figures::p50, &Figures::p90, &Figures::p95,
                                                   &Figures::p99, &Figures::p99_9};

void set(Figure& figure, double picoseconds, std::optional<double> half_width) {
  figure.value = picoseconds / kPicosecondsPerSecond;
  figure.converged = half_width.has_value();
  if (half_width) figure.half_width = *half_width / kPicosecondsPerSecond;
}

Figures fill(const std::vector<SegmentStat>& segments, const SegmentStat& all,
             const std::vector<double>& quantiles, bool intervals) {
  Figures figures;
  figures.count = all.count;
  figures.max = to_seconds(all.max);
  set(figures.mean, all.mean(), intervals ? mean_half_width(segments) : std::nullopt);
  for (std::size_t i = 0; i < kPercentiles.size(); ++i) {
    // The middle of a bin may lie above its largest member.
    const double value = std::min(quantiles[i], static_cast<double>(all.max));
    set(figures.*kPercentileMembers[i], value,
        intervals ? quantile_half_width(segments, all.histogram, kPercentiles[i], value)
                  : std::nullopt);
  }
  return figures;
}

std::vector<double> histogram_quantiles(const SparseHistogram& histogram) {
  std::vector<double> result;
  result.reserve(kPercentiles.size());
  for (const double p : kPercentiles) result.push_back(histogram.quantile(p));
  return result;
}

}  // namespace

Figures make_figures(const SampleStore& store, Metric metric, SampleGroup group,
                     SampleWindow window, bool intervals, Histogram& scratch) {
  const std::vector<SegmentStat> segments = store.segments(metric, group, window);
  const SegmentStat all = merged(segments, scratch);
  const std::vector<double> quantiles =
      store.exact() ? store.exact_quantiles(metric, group, window, all.histogram, kPercentiles)
                    : histogram_quantiles(all.histogram);
  Figures figures = fill(segments, all, quantiles, intervals);
  figures.exact = store.exact();
  return figures;
}

Figures make_figures(const std::vector<SegmentStat>& segments, bool intervals, Histogram& scratch) {
  const SegmentStat all = merged(segments, scratch);
  Figures figures = fill(segments, all, histogram_quantiles(all.histogram), intervals);
  figures.exact = false;
  return figures;
}

Latencies make_latencies(const SampleStore& store, SampleGroup group, SampleWindow window,
                         bool intervals, Histogram& scratch) {
  const auto of = [&](Metric metric) {
    return make_figures(store, metric, group, window, intervals, scratch);
  };
  Latencies result;
  result.ttft = of(Metric::ttft);
  result.tpot = of(Metric::tpot);
  result.e2e = of(Metric::e2e);
  result.queue = of(Metric::queue);
  if (store.has_delays()) {
    result.client_delay = of(Metric::client_delay);
    result.ttft_from_sent = of(Metric::ttft_from_sent);
    result.e2e_from_sent = of(Metric::e2e_from_sent);
  } else {
    result.client_delay.count = result.e2e.count;
    result.ttft_from_sent = result.ttft;
    result.e2e_from_sent = result.e2e;
  }
  return result;
}

Figures unstable_figures(const Figures& figures) {
  Figures result;
  result.count = figures.count;
  result.exact = figures.exact;
  result.unstable = true;
  return result;
}

void drop_intervals(Figures& figures) {
  const auto drop = [](Figure& figure) {
    figure.half_width.reset();
    figure.converged = false;
  };
  drop(figures.mean);
  for (const auto member : kPercentileMembers) drop(figures.*member);
}

void drop_intervals(Latencies& latencies) {
  for (Figures* figures :
       {&latencies.ttft, &latencies.tpot, &latencies.e2e, &latencies.queue, &latencies.client_delay,
        &latencies.ttft_from_sent, &latencies.e2e_from_sent}) {
    drop_intervals(*figures);
  }
}

}  // namespace headway
