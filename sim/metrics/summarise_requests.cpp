// What became of the requests, by class, by pool and in all: rates, good shares, latencies.
#include "sim/metrics/figures.hpp"
#include "sim/metrics/recorder.hpp"

namespace headway {

namespace {

double ratio(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}
double ratio(std::int64_t part, std::int64_t whole) {
  return ratio(static_cast<double>(part), static_cast<double>(whole));
}

/// Requests that the service failed: not those whose client went away by itself.
template <typename Counted>
std::int64_t failed(const Counted& c) {
  return c.rejected + c.timed_out + c.lost;
}

/// Good among what was completed or failed: `good` and `count` are those that completed in the
/// measured part; what failed is taken over the whole run.
template <typename Counted>
double good_share(std::int64_t good, std::int64_t count, const Counted& c) {
  return ratio(good, count) * ratio(c.completed, c.completed + failed(c));
}

}  // namespace

void Recorder::fill_classes(Summary& summary, const Measured& measured, Histogram& scratch) const {
  const double seconds = measured.seconds();
  for (std::uint32_t c = 0; c < classes_.size(); ++c) {
    const WorkloadClass& workload = scenario_.workload[c];
    const ClassCounts& counts = classes_[c];
    ClassSummary out;
    out.name = workload.name;
    out.arrived = counts.arrived;
    out.completed = counts.of(Outcome::completed);
    out.rejected = counts.rejected();
    out.timed_out = counts.of(Outcome::timed_out);
    out.hung_up = counts.of(Outcome::hung_up);
    out.lost = counts.of(Outcome::lost);
    out.retries = counts.retries;
    out.escalations = counts.escalations;
    out.offered_per_second = ratio(static_cast<double>(counts.arrived), summary.load_seconds);
    const SampleStore::GoodCount good = samples_.good(samples_of_class(c), measured.samples);
    out.achieved_per_second = ratio(static_cast<double>(good.count), seconds);
    out.goodput_per_second = ratio(static_cast<double>(good.good), seconds);
    // Tokens a request are taken over the whole run: their law does not change with time.
    const auto completed = static_cast<double>(out.completed);
    out.input_tokens_per_second =
        out.achieved_per_second * ratio(static_cast<double>(counts.input_tokens), completed);
    out.output_tokens_per_second =
        out.achieved_per_second * ratio(static_cast<double>(counts.output_tokens), completed);
    out.slo.given = workload.slo.has_value();
    out.slo.good_share = good_share(good.good, good.count, out);
    if (out.slo.given) out.slo.required_share = workload.slo->percentile / 100;
    out.latencies = classes_.size() == 1 ? summary.latencies
                                         : make_latencies(samples_, samples_of_class(c),
                                                          measured.samples, stationary_, scratch);
    summary.classes.push_back(std::move(out));
  }
}

void Recorder::fill_pool_requests(Summary& summary, const Measured& measured,
                                  Histogram& scratch) const {
  for (std::uint32_t p = 0; p < pools_.size(); ++p) {
    const OutcomeCounts& counts = pools_[p];
    const SampleGroup group = samples_of_pool(p);
    PoolRequests out;
    out.completed = counts.of(Outcome::completed);
    out.rejected = counts.rejected();
    out.timed_out = counts.of(Outcome::timed_out);
    out.hung_up = counts.of(Outcome::hung_up);
    out.lost = counts.of(Outcome::lost);
    const SampleStore::GoodCount good = samples_.good(group, measured.samples);
    out.achieved_per_second = ratio(static_cast<double>(good.count), measured.seconds());
    out.goodput_per_second = ratio(static_cast<double>(good.good), measured.seconds());
    if (out.completed + failed(out) > 0) out.good_share = good_share(good.good, good.count, out);
    const auto figures = [&](Metric metric) {
      return make_figures(samples_, metric, group, measured.samples, stationary_, scratch);
    };
    out.ttft = figures(Metric::ttft);
    out.tpot = figures(Metric::tpot);
    out.e2e = figures(Metric::e2e);
    summary.pools[p].requests = out;
  }
}

void Recorder::fill_rates(Summary& summary, const Measured& measured) const {
  summary.measured_seconds = measured.seconds();
  summary.slo_held = true;
  double done_per_second = 0;  // completed or failed
  for (ClassSummary& c : summary.classes) {
    c.slo.held =
        c.slo.good_share >= c.slo.required_share && summary.stability.verdict != Verdict::unstable;
    summary.offered_per_second += c.offered_per_second;
    summary.achieved_per_second += c.achieved_per_second;
    summary.goodput_per_second += c.goodput_per_second;
    summary.input_tokens_per_second += c.input_tokens_per_second;
    summary.output_tokens_per_second += c.output_tokens_per_second;
    done_per_second += c.achieved_per_second * (1 + ratio(failed(c), c.completed));
    summary.slo_given |= c.slo.given;
    summary.slo_held &= c.slo.held || !c.slo.given;
  }
  summary.slo_held &= summary.slo_given;
  summary.total_tokens_per_second =
      summary.input_tokens_per_second + summary.output_tokens_per_second;
  summary.good_share = ratio(summary.goodput_per_second, done_per_second);
}

}  // namespace headway
