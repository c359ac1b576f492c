#include <fmt/format.h>

#include <algorithm>

#include "sim/metrics/figures.hpp"
#include "sim/metrics/recorder.hpp"
#include "sim/metrics/stability.hpp"

namespace headway {

namespace {

/// Time until the load ended; that of the run where all requests come at its very start.
double load_seconds(const RunTotals& totals) {
  return to_seconds(totals.load_end > 0 ? totals.load_end : totals.end);
}

bool capped(const WorkloadClass& c) {
  return c.max_concurrency > 0;
}

/// Figures of a system whose queue grows without end. Behind a client's cap the servers' own queue
/// is bounded: what is counted from sending is finite.
void make_unstable(Latencies& latencies, bool behind_cap) {
  for (Figures* f : {&latencies.ttft, &latencies.e2e, &latencies.client_delay}) {
    *f = unstable_figures(*f);
  }
  if (behind_cap) return;
  for (Figures* f : {&latencies.queue, &latencies.ttft_from_sent, &latencies.e2e_from_sent}) {
    *f = unstable_figures(*f);
  }
}

std::string finite_note(const Scenario& scenario) {
  for (const WorkloadClass& c : scenario.workload) {
    if (c.arrivals.kind == Arrivals::Kind::trace) return "single trace, no interval";
  }
  return "single run of a load that changes or ends, no interval";
}

}  // namespace

Recorder::Measured Recorder::measure(const RunTotals& totals, WarmUp& warm_up) const {
  const std::int64_t n = samples_.size();
  Measured measured{samples_.window(0, n), 0, to_seconds(totals.end)};
  if (!stationary_) {
    warm_up.text = "nothing trimmed: the load is no steady one";
    return measured;
  }
  const bool automatic = scenario_.run.warm_up_auto;
  warm_up.how = automatic ? WarmUp::How::mser5 : WarmUp::How::fixed;
  // A load so short that hardly anything completes before it ends has no steady part.
  const std::int64_t in_load = samples_in_load_;
  if (in_load < 20 || in_load < n / 10) {
    warm_up.how = WarmUp::How::none;
    warm_up.text = "nothing trimmed: the load is too short";
    measured.settled = false;
    return measured;
  }
  std::int64_t begin = samples_in_warm_up_;
  if (automatic) {
    const auto full = static_cast<std::size_t>(in_load / batches_.batch_size());
    std::vector<double> means = batches_.means();
    means.resize(std::min(means.size(), full));
    const Truncation cut = mser(means);
    measured.settled = cut.settled;
    begin = static_cast<std::int64_t>(cut.batches) * batches_.batch_size();
  }
  const SampleWindow window = samples_.window(begin, in_load);
  if (window.size() == 0) {
    warm_up.how = WarmUp::How::none;
    warm_up.text = "nothing trimmed: the warm-up leaves no request";
    measured.settled = false;
    return measured;
  }
  measured.samples = window;
  measured.end_seconds = load_seconds(totals);
  const bool as_told = !automatic && window.begin == samples_in_warm_up_;
  measured.begin_seconds =
      std::min(measured.end_seconds,
               as_told ? to_seconds(warm_up_) : batches_.seconds_at(window.begin, totals.load_end));
  warm_up.seconds = measured.begin_seconds;
  warm_up.requests = window.begin;
  warm_up.drain_requests = n - window.end;
  warm_up.text =
      fmt::format("{}: {} requests ({}) at the start, {} that ended after the load",
                  automatic ? "MSER-5" : "as told", warm_up.requests,
                  format_quantity(warm_up.seconds, Dimension::time), warm_up.drain_requests);
  return measured;
}

Stability Recorder::stability(const Measured& measured, const RunTotals& totals,
                              const Figures& e2e) const {
  if (!stationary_) {
    Stability result;
    result.reason = "the load changes or ends: reported as it was";
    return result;
  }
  Evidence evidence;
  const RunTimeline::Range load = timeline_.range(0, totals.load_end);
  evidence.growth = measure_growth(timeline_.sections(load, 30));
  evidence.load_seconds = load_seconds(totals);
  evidence.samples = measured.samples.size();
  evidence.settled = measured.settled;
  evidence.mean_e2e = e2e.mean.value;
  evidence.waiting = 0;
  for (std::size_t p = 0; p < scenario_.fleet.size(); ++p) {
    evidence.waiting = std::max(evidence.waiting, timeline_.use(p, load).waiting);
  }
  evidence.e2e_half_width = e2e.mean.half_width;
  return judge(evidence);
}

void Recorder::fill_times_and_counts(Summary& summary, const RunTotals& totals) const {
  summary.partial = totals.cancelled;
  summary.load_seconds = load_seconds(totals);
  summary.makespan_seconds = to_seconds(totals.end);
  summary.drain_seconds = std::max(0.0, summary.makespan_seconds - summary.load_seconds);
  Counts& counts = summary.counts;
  counts.arrived = totals.arrived;
  counts.completed = totals.completed;
  counts.rejected = totals.rejected;
  counts.timed_out = totals.timed_out;
  counts.hung_up = totals.hung_up;
  counts.lost = totals.lost;
  counts.retries = totals.retries;
  counts.escalations = totals.escalations;
  counts.faults = totals.faults;
  counts.in_flight = totals.in_flight;
  for (const ClassCounts& one : classes_) {
    for (int outcome = 0; outcome < kOutcomes; ++outcome) {
      if (is_rejection(static_cast<Outcome>(outcome)))
        counts.rejected_by_reason[outcome] += one.by_outcome[outcome];
    }
  }
  counts.input_tokens = totals.input_tokens;
  counts.output_tokens = totals.output_tokens;
  counts.prefix_hit_tokens = totals.prefix_hit_tokens;
  counts.preemptions = totals.preemptions;
  counts.steps = totals.steps;
  counts.events = totals.events;
}

void Recorder::apply_verdict(Summary& summary) const {
  switch (summary.stability.verdict) {
    case Verdict::stable:
      return;
    case Verdict::finite:
      summary.interval_note = finite_note(scenario_);
      return;
    case Verdict::undecided:
      summary.interval_note = "undecided: no interval is final";
      drop_intervals(summary.latencies);
      drop_intervals(summary.itl);
      for (ClassSummary& c : summary.classes) drop_intervals(c.latencies);
      for (PoolUse& pool : summary.pools) {
        if (!pool.requests) continue;
        for (Figures* f : {&pool.requests->ttft, &pool.requests->tpot, &pool.requests->e2e}) {
          drop_intervals(*f);
        }
      }
      return;
    case Verdict::unstable:
      summary.interval_note = "unstable: no finite steady-state wait exists";
      make_unstable(summary.latencies,
                    std::all_of(scenario_.workload.begin(), scenario_.workload.end(), capped));
      for (std::size_t c = 0; c < summary.classes.size(); ++c) {
        make_unstable(summary.classes[c].latencies, capped(scenario_.workload[c]));
      }
      for (PoolUse& pool : summary.pools) {
        if (!pool.requests) continue;
        pool.requests->ttft = unstable_figures(pool.requests->ttft);
        pool.requests->e2e = unstable_figures(pool.requests->e2e);
      }
  }
}

Summary Recorder::summarise(const Scenario& scenario, const RunTotals& totals) {
  Summary summary;
  summary.scenario = scenario.name;
  timeline_.finish(totals.end);
  bill_.finish(totals.end);
  up_time_.finish(totals.end);
  fill_times_and_counts(summary, totals);
  const Measured measured = measure(totals, summary.warm_up);
  Histogram scratch;
  summary.latencies = make_latencies(samples_, kAllSamples, measured.samples, stationary_, scratch);
  summary.itl = make_figures(gaps_.segments(measured.samples.begin, measured.samples.end),
                             stationary_, scratch);
  summary.stability = stability(measured, totals, summary.latencies.e2e);
  fill_classes(summary, measured, scratch);
  fill_rates(summary, measured);
  const MeanWaits waits{summary.latencies.client_delay.mean.value,
                        summary.latencies.queue.mean.value, summary.latencies.e2e.mean.value};
  fill_fleet(summary, measured, totals, waits);
  fill_pool_requests(summary, measured, scratch);
  apply_verdict(summary);
  return summary;
}

}  // namespace headway
