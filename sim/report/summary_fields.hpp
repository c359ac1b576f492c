// The fields of summary.json, described once for writing and reading: `fields(io, value)` names
// each member of `value` with its key, and `io` writes or reads it.
#pragma once

#include "sim/report/report.hpp"

namespace headway {

template <class Io>
void fields(Io& io, Figure& figure) {
  io("seconds", figure.value);
  io("half_width_95_seconds", figure.half_width);
  io("converged", figure.converged);
}

template <class Io>
void fields(Io& io, Figures& figures) {
  io("count", figures.count);
  io("unstable", figures.unstable);
  io("exact", figures.exact);
  if (figures.unstable || figures.count == 0) return;
  io("mean", figures.mean);
  io("p50", figures.p50);
  io("p90", figures.p90);
  io("p95", figures.p95);
  io("p99", figures.p99);
  io("p99_9", figures.p99_9);
  io("max_seconds", figures.max);
}

template <class Io>
void fields(Io& io, Latencies& latencies) {
  io("ttft", latencies.ttft);
  io("tpot", latencies.tpot);
  io("e2e", latencies.e2e);
  io("queue", latencies.queue);
  io("client_delay", latencies.client_delay);
  io("ttft_from_sent", latencies.ttft_from_sent);
  io("e2e_from_sent", latencies.e2e_from_sent);
}

template <class Io>
void fields(Io& io, Stability& stability) {
  io.word("verdict", stability.verdict, verdict_name,
          {Verdict::stable, Verdict::unstable, Verdict::undecided, Verdict::finite});
  io("reason", stability.reason);
  io("growth_requests_per_second", stability.growth_per_second);
  io("growth_standard_errors", stability.growth_z);
  io("what_would_decide", stability.what_would_decide);
  io("deciding_seconds", stability.deciding_seconds);
}

inline const char* warm_up_name(WarmUp::How how) {
  switch (how) {
    case WarmUp::How::none:
      return "none";
    case WarmUp::How::fixed:
      return "fixed";
    case WarmUp::How::mser5:
      return "MSER-5";
  }
  return "none";
}

template <class Io>
void fields(Io& io, WarmUp& warm_up) {
  io.word("method", warm_up.how, warm_up_name,
          {WarmUp::How::none, WarmUp::How::fixed, WarmUp::How::mser5});
  io("cut_seconds", warm_up.seconds);
  io("cut_requests", warm_up.requests);
  io("drain_requests", warm_up.drain_requests);
  io("text", warm_up.text);
}

template <class Io>
void fields(Io& io, SloResult& slo) {
  io("given", slo.given);
  io("good_share", slo.good_share);
  io("required_share", slo.required_share);
  io("held", slo.held);
}

template <class Io>
void fields(Io& io, ClassSummary& one) {
  io("name", one.name);
  io("arrived", one.arrived);
  io("completed", one.completed);
  io("rejected", one.rejected);
  io("timed_out", one.timed_out);
  io("hung_up", one.hung_up);
  io("lost", one.lost);
  io("retries", one.retries);
  io("escalations", one.escalations);
  io("offered_requests_per_second", one.offered_per_second);
  io("achieved_requests_per_second", one.achieved_per_second);
  io("goodput_requests_per_second", one.goodput_per_second);
  io("input_tokens_per_second", one.input_tokens_per_second);
  io("output_tokens_per_second", one.output_tokens_per_second);
  io("slo", one.slo);
  io("latency", one.latencies);
}

template <class Io>
void fields(Io& io, GpuHours& hours) {
  for (int phase = static_cast<int>(ReplicaPhase::ordered); phase < kReplicaPhases; ++phase)
    io(phase_name(static_cast<ReplicaPhase>(phase)), hours.phase[phase]);
  io("idle", hours.idle);
  io("rest_of_nodes", hours.rest_of_nodes);
  io("minimum_billing", hours.minimum);
  io("billed", hours.billed);
}

template <class Io>
void fields(Io& io, ExpectedAvailability& expected) {
  io("known", expected.known);
  io("replicas_up_share", expected.share);
  io("counted", expected.counted);
  io("all_up_share", expected.all_up);
  io("none_up_share", expected.none_up);
  io("up_for_99_percent", expected.up_99);
}

template <class Io>
void fields(Io& io, PoolRequests& requests) {
  io("completed", requests.completed);
  io("rejected", requests.rejected);
  io("timed_out", requests.timed_out);
  io("hung_up", requests.hung_up);
  io("lost", requests.lost);
  io("achieved_requests_per_second", requests.achieved_per_second);
  io("goodput_requests_per_second", requests.goodput_per_second);
  io("good_share", requests.good_share);
  io("ttft", requests.ttft);
  io("tpot", requests.tpot);
  io("e2e", requests.e2e);
}

template <class Io>
void fields(Io& io, PoolUse& pool) {
  io("name", pool.name);
  io("service_station", pool.service);
  io("replicas", pool.replicas);
  io("gpus", pool.gpus);
  io("usd_per_hour", pool.usd_per_hour);
  io("replicas_ready", pool.ready);
  io("replicas_ready_least", pool.ready_least);
  io("replicas_ready_most", pool.ready_most);
  io("replicas_existing", pool.existing);
  io("start_ups", pool.start_ups);
  io("failures", pool.failures);
  io("gpu_hours", pool.gpu_hours);
  io("expected_availability", pool.availability);
  io("up_share", pool.up_share);
  io("busy_share", pool.busy);
  io("idle_share", pool.idle);
  io("compute_share", pool.compute);
  io("memory_bandwidth_share", pool.memory_bandwidth);
  io("network_share", pool.network);
  io("host_share", pool.host);
  io("step_time_from_profile_share", pool.from_profile);
  io("step_time_from_interpolation_share", pool.from_interpolation);
  io("step_time_from_roofline_share", pool.from_roofline);
  io("step_time_outside_measured_share", pool.outside_measured);
  io("kv_memory_share", pool.kv_memory);
  io("kv_memory_peak_share", pool.kv_memory_peak);
  io("slots_share", pool.slots);
  io("slots_peak_share", pool.slots_peak);
  io("running_requests", pool.running);
  io("queued_requests", pool.queue);
  io("waiting_share", pool.waiting);
  io("waiting_for_slots_share", pool.waiting_for_slots);
  io("throughput_gain_of_twice_the_slots", pool.slots_gain);
  io("waiting_for_kv_share", pool.waiting_for_kv);
  io("preemptions", pool.preemptions);
  io("requests", pool.requests);
}

template <class Io>
void fields(Io& io, FrontUse& station) {
  io("name", station.name);
  io("servers", station.servers);
  io("busy_share", station.busy);
  io("queued_requests", station.queue);
  io("share_of_time_in_system", station.waiting_share);
}

template <class Io>
void fields(Io& io, Bottleneck& bottleneck) {
  io("resource", bottleneck.resource);
  io("pool", bottleneck.pool);
  io("share", bottleneck.share);
  io("share_of", bottleneck.share_of);
  io("saturated", bottleneck.saturated);
  io("relief", bottleneck.relief);
}

template <class Io>
void fields(Io& io, Cost& cost) {
  io("known", cost.known);
  io("gpus", cost.gpus);
  io("mean_gpus", cost.mean_gpus);
  io("gpu_hours", cost.gpu_hours);
  io("starting_gpu_hours", cost.starting_gpu_hours);
  io("draining_gpu_hours", cost.draining_gpu_hours);
  io("idle_gpu_hours", cost.idle_gpu_hours);
  io("rest_gpu_hours", cost.rest_gpu_hours);
  io("usd", cost.usd);
  io("usd_per_hour", cost.usd_per_hour);
  io("usd_per_request", cost.usd_per_request);
  io("usd_per_million_output_tokens", cost.usd_per_million_output_tokens);
  io("usd_per_million_total_tokens", cost.usd_per_million_total_tokens);
}

template <class Io>
void fields(Io& io, Counts& counts) {
  io("arrived", counts.arrived);
  io("completed", counts.completed);
  io("rejected", counts.rejected);
  const auto rejected = [&](const char* key, Outcome reason) {
    io(key, counts.rejected_by_reason[static_cast<int>(reason)]);
  };
  rejected("rejected_queue_full", Outcome::rejected_queue_full);
  rejected("rejected_kv_capacity", Outcome::rejected_kv_capacity);
  rejected("rejected_model_length", Outcome::rejected_model_length);
  rejected("rejected_rate_limit", Outcome::rejected_rate_limit);
  rejected("rejected_overload", Outcome::rejected_overload);
  rejected("rejected_no_replica", Outcome::rejected_no_replica);
  io("timed_out", counts.timed_out);
  io("hung_up", counts.hung_up);
  io("lost", counts.lost);
  io("in_flight", counts.in_flight);
  io("retries", counts.retries);
  io("escalations", counts.escalations);
  const auto faults = [&](const char* key, FaultUnit::Kind kind) {
    io(key, counts.faults[static_cast<std::size_t>(kind)]);
  };
  faults("gpu_faults", FaultUnit::Kind::gpu);
  faults("node_faults", FaultUnit::Kind::node);
  faults("rack_faults", FaultUnit::Kind::rack);
  faults("engine_crashes", FaultUnit::Kind::crash);
  faults("spot_reclaims", FaultUnit::Kind::spot);
  faults("store_cuts", FaultUnit::Kind::store);
  io("input_tokens", counts.input_tokens);
  io("output_tokens", counts.output_tokens);
  io("prefix_hit_tokens", counts.prefix_hit_tokens);
  io("preemptions", counts.preemptions);
  io("steps", counts.steps);
  io("events", counts.events);
}

template <class Io>
void fields(Io& io, RunFacts::Source& source) {
  io("pool", source.pool);
  io("model", source.model);
  io("gpu", source.gpu);
  io("engine", source.engine);
  io("step_times", source.step_times);
}

template <class Io>
void fields(Io& io, Provenance& provenance) {
  io("headway_version", provenance.headway_version);
  io("scenario_file", provenance.scenario_file);
  io("engine", provenance.engine);
  io("stepping", provenance.stepping);
  io("host", provenance.host);
  io("cores", provenance.cores);
  io("finished_at", provenance.finished_at);
  io("wall_seconds", provenance.wall_seconds);
  io("cpu_seconds", provenance.cpu_seconds);
  io("peak_memory_bytes", provenance.peak_memory_bytes);
}

/// The blocks of the file after its format, version and the keys of load generators; provenance,
/// which is no part of the figures, is last.
template <class Io>
void fields(Io& io, Report& report) {
  Summary& summary = report.summary;
  io("scenario", summary.scenario);
  io("seed", report.facts.seed);
  io("partial", summary.partial);
  io("stopped_by", report.facts.stopped_by);
  io("stability", summary.stability);
  io("warm_up", summary.warm_up);
  io("interval_note", summary.interval_note);
  io("load_seconds", summary.load_seconds);
  io("makespan_seconds", summary.makespan_seconds);
  io("drain_seconds", summary.drain_seconds);
  io("measured_seconds", summary.measured_seconds);
  io("offered_requests_per_second", summary.offered_per_second);
  io("achieved_requests_per_second", summary.achieved_per_second);
  io("input_tokens_per_second", summary.input_tokens_per_second);
  io("output_tokens_per_second", summary.output_tokens_per_second);
  io("total_tokens_per_second", summary.total_tokens_per_second);
  io("goodput_requests_per_second", summary.goodput_per_second);
  io("good_share", summary.good_share);
  io("slo_given", summary.slo_given);
  io("slo_held", summary.slo_held);
  io("requests_in_system", summary.number_in_system);
  io("counts", summary.counts);
  io("latency", summary.latencies);
  io("itl", summary.itl);
  io("classes", summary.classes);
  io("front", summary.front);
  io("pools", summary.pools);
  io("bottleneck", summary.bottleneck);
  io("cost", summary.cost);
  io("client_cap", report.facts.client_cap);
  io("sources", report.facts.sources);
  io("warnings", report.facts.warnings);
  io("provenance", report.provenance);
}

}  // namespace headway
