#include "sim/metrics/recorder.hpp"

#include <algorithm>

namespace headway {

namespace {

Picoseconds limit_of(const std::optional<double>& seconds) {
  return seconds ? to_picoseconds(*seconds) : kNever;
}

std::vector<SloLimits> limits_of(const Scenario& scenario) {
  std::vector<SloLimits> result;
  for (const WorkloadClass& c : scenario.workload) {
    SloLimits limits;
    if (c.slo) {
      limits = {limit_of(c.slo->ttft_seconds), limit_of(c.slo->tpot_seconds),
                limit_of(c.slo->e2e_seconds)};
    }
    result.push_back(limits);
  }
  return result;
}

}  // namespace

Recorder::Recorder(const Scenario& scenario)
    : scenario_(scenario),
      stationary_(scenario.stationary()),
      samples_(limits_of(scenario), scenario.fleet.size()),
      timeline_(scenario),
      bill_(scenario),
      up_time_(scenario),
      classes_(scenario.workload.size()),
      pools_(scenario.fleet.size() > 1 ? scenario.fleet.size() : 0) {
  if (!scenario.run.warm_up_auto) warm_up_ = to_picoseconds(scenario.run.warm_up_seconds);
  duration_ = to_picoseconds(scenario.run.duration_seconds);
}

void Recorder::on_arrival(Time now, std::uint32_t workload_class) {
  timeline_.on_arrival(now);
  ++classes_[workload_class].arrived;
  samples_in_load_ = samples_.size();
}

void Recorder::on_departure(Time now, const RequestRecord& record) {
  ClassCounts& counts = classes_[record.workload_class];
  ++counts.by_outcome[static_cast<int>(record.outcome)];
  counts.escalations += record.escalations;
  if (!pools_.empty() && met_replica(record)) {
    ++pools_[timeline_.pool_of(record.replica)].by_outcome[static_cast<int>(record.outcome)];
  }
  if (record.outcome != Outcome::completed) {
    timeline_.on_failure(now, record.outcome);
    return;
  }
  timeline_.on_completion(now, record.output_tokens);
  counts.input_tokens += record.input_tokens;
  counts.output_tokens += record.output_tokens;
  Sample sample;
  sample.e2e = record.finished - record.scheduled;
  sample.ttft = record.first_token == kNever ? sample.e2e : record.first_token - record.scheduled;
  sample.queue =
      record.started == kNever || record.queued == kNever ? 0 : record.started - record.queued;
  sample.client_delay = record.sent - record.scheduled;
  sample.output_tokens = record.output_tokens;
  sample.workload_class = record.workload_class;
  if (!pools_.empty()) sample.pool = timeline_.pool_of(record.replica);
  samples_.add(sample);
  batches_.add(sample.e2e, now);
  gaps_.on_completion();
  if (now < warm_up_) samples_in_warm_up_ = samples_.size();
  if (now <= duration_) samples_in_load_ = samples_.size();
}

std::int64_t Recorder::OutcomeCounts::rejected() const {
  std::int64_t sum = 0;
  for (int outcome = 0; outcome < kOutcomes; ++outcome) {
    if (is_rejection(static_cast<Outcome>(outcome))) sum += by_outcome[outcome];
  }
  return sum;
}

void Recorder::on_phase(Time now, std::uint32_t replica, ReplicaPhase phase) {
  timeline_.on_phase(now, replica, phase);
  bill_.on_phase(now, replica, phase);
  up_time_.on_phase(now, replica, phase);
}

void Recorder::on_retry(Time now, std::uint32_t workload_class, Outcome) {
  timeline_.on_retry(now);
  ++classes_[workload_class].retries;
}

void Recorder::on_preemption(Time, std::uint32_t replica) {
  timeline_.on_preemption(replica);
}

}  // namespace headway
