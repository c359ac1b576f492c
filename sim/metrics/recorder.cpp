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
      samples_(limits_of(scenario)),
      timeline_(scenario),
      classes_(scenario.workload.size()) {
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
  if (record.outcome != Outcome::completed) {
    timeline_.on_rejection(now);
    ++counts.rejected;
    ++rejected_[static_cast<std::size_t>(record.outcome)];
    return;
  }
  timeline_.on_completion(now, record.output_tokens);
  ++counts.completed;
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
  samples_.add(sample);
  batches_.add(sample.e2e, now);
  gaps_.on_completion();
  if (now < warm_up_) samples_in_warm_up_ = samples_.size();
  if (now <= duration_) samples_in_load_ = samples_.size();
}

void Recorder::on_preemption(Time, std::uint32_t replica) {
  timeline_.on_preemption(replica);
}

}  // namespace headway
