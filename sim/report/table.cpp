#include "sim/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/report/table_text.hpp"

namespace headway {

namespace {

constexpr int kLatencyLabel = 16;
constexpr int kLatencyCell = 16;

class Table {
 public:
  Table(const Report& report, const TableStyle& style)
      : summary_(report.summary), facts_(report.facts), style_(style) {}

  std::string text() {
    title();
    load();
    latencies();
    slo();
    utilisation();
    front_and_replicas();
    bottleneck();
    cost();
    footnotes();
    return std::move(out_);
  }

 private:
  void line(const std::string& label, const std::string& text, Ink ink = Ink::bold) {
    out_ += labelled(label, text, ink, style_);
  }
  void gap() { out_ += '\n'; }
  /// Whether tokens mean anything: not where all pools are service stations.
  bool serves_tokens() const {
    return std::any_of(summary_.pools.begin(), summary_.pools.end(),
                       [](const PoolUse& pool) { return !pool.service; });
  }
  bool unstable() const { return summary_.stability.verdict == Verdict::unstable; }

  void title();
  void load();
  void latencies();
  void latency_row(const std::string& label, const Figures& figures);
  std::string figure_cell(const Figure& figure);
  void slo();
  void utilisation();
  void front_and_replicas();
  void replicas_of(const PoolUse& pool);
  bool faults();
  void bottleneck();
  void cost();
  void footnotes();

  const Summary& summary_;
  const RunFacts& facts_;
  TableStyle style_;
  std::string out_;
  bool unconverged_ = false;
};

void Table::title() {
  const Stability& stability = summary_.stability;
  out_ += inked(style_, Ink::bold, summary_.scenario) + "\n";
  if (summary_.partial)
    line("PARTIAL",
         "stopped by " + facts_.stopped_by + " after " +
             seconds_text(summary_.load_seconds, {}, style_) +
             " of simulated time: figures of what had happened",
         Ink::red);
  Ink ink = Ink::green;
  if (stability.verdict == Verdict::unstable) ink = Ink::red;
  if (stability.verdict == Verdict::undecided) ink = Ink::yellow;
  if (stability.verdict == Verdict::finite) ink = Ink::bold;
  std::string verdict = inked(style_, ink, verdict_name(stability.verdict));
  if (!stability.reason.empty()) verdict += ": " + stability.reason;
  line("Verdict", verdict);
  if (stability.verdict == Verdict::undecided && !stability.what_would_decide.empty())
    line("", "what would decide: " + stability.what_would_decide);
  gap();
}

void Table::load() {
  const Counts& counts = summary_.counts;
  line("Requests",
       fmt::format("offered {} /s, achieved {} /s", number_text(summary_.offered_per_second),
                   number_text(summary_.achieved_per_second)));
  if (serves_tokens())
    line("Tokens", fmt::format("output {} /s, input {} /s, total {} /s",
                               number_text(summary_.output_tokens_per_second),
                               number_text(summary_.input_tokens_per_second),
                               number_text(summary_.total_tokens_per_second)));
  std::string text =
      fmt::format("{} arrived, {} completed", grouped(counts.arrived), grouped(counts.completed));
  const auto add = [&](std::int64_t count, const std::string& what) {
    if (count > 0) text += fmt::format(", {} {}", grouped(count), what);
  };
  for (int outcome = 1; outcome < kOutcomes; ++outcome)
    add(counts.rejected_by_reason[outcome],
        std::string("rejected (") + outcome_name(static_cast<Outcome>(outcome)) + ")");
  add(counts.timed_out, "timed out");
  add(counts.hung_up, "hung up by their clients");
  add(counts.lost, "lost with their replicas");
  add(counts.in_flight, "in flight at the end");
  add(counts.retries, counts.retries == 1 ? "retry" : "retries");
  add(counts.escalations, counts.escalations == 1 ? "escalation" : "escalations");
  add(counts.preemptions, "preemptions");
  line("Counts", text);
  if (counts.prefix_hit_tokens > 0)
    line("Prefix cache",
         fmt::format("{} of {} input tokens were there: {} hit", grouped(counts.prefix_hit_tokens),
                     grouped(counts.input_tokens),
                     share_text(static_cast<double>(counts.prefix_hit_tokens) /
                                static_cast<double>(counts.input_tokens))));
  if (!unstable() && summary_.number_in_system > 0)
    line("In system", number_text(summary_.number_in_system) + " requests on average");
  std::string time =
      fmt::format("load {}, last answer at {}", seconds_text(summary_.load_seconds, {}, style_),
                  seconds_text(summary_.makespan_seconds, {}, style_));
  line("Time", time);
  std::string warm_up = summary_.warm_up.text;
  if (summary_.warm_up.drain_requests > 0)
    warm_up += fmt::format("; {} requests of the drain left out",
                           grouped(summary_.warm_up.drain_requests));
  if (!warm_up.empty()) line("Warm-up", warm_up);
  gap();
}

std::string Table::figure_cell(const Figure& figure) {
  std::string text = seconds_text(figure.value, figure.half_width, style_);
  const bool unconverged = figure.half_width && !figure.converged;
  if (unconverged) {
    unconverged_ = true;
    text = inked(style_, Ink::red, "~" + text);
  }
  return right(text, kLatencyCell);
}

void Table::latency_row(const std::string& label, const Figures& figures) {
  out_ += left(label, kLatencyLabel);
  if (figures.unstable) {
    out_ += inked(style_, Ink::red, "  no finite steady-state value") + "\n";
    return;
  }
  for (const Figure* figure : {&figures.mean, &figures.p50, &figures.p90, &figures.p99})
    out_ += figures.count > 0 ? figure_cell(*figure) : right("-", kLatencyCell);
  out_ += '\n';
}

void Table::latencies() {
  std::string heading = left("Latency", kLatencyLabel);
  for (const char* column : {"mean", "p50", "p90", "p99"}) heading += right(column, kLatencyCell);
  out_ += inked(style_, Ink::bold, heading) + "\n";
  const Latencies& all = summary_.latencies;
  const bool llm = all.tpot.count > 0 || summary_.itl.count > 0;
  if (llm) {
    latency_row("TTFT", all.ttft);
    latency_row("TPOT", all.tpot);
    latency_row("ITL", summary_.itl);
  }
  latency_row("E2E", all.e2e);
  latency_row("queue time", all.queue);
  if (facts_.client_cap) {
    latency_row("client delay", all.client_delay);
    if (llm) latency_row("TTFT from send", all.ttft_from_sent);
    latency_row("E2E from send", all.e2e_from_sent);
  }
  if (summary_.classes.size() > 1)
    for (const ClassSummary& one : summary_.classes) {
      out_ += inked(style_, Ink::bold, one.name) +
              fmt::format(": {} /s\n", number_text(one.achieved_per_second));
      if (one.latencies.tpot.count > 0) {
        latency_row("  TTFT", one.latencies.ttft);
        latency_row("  TPOT", one.latencies.tpot);
      }
      latency_row("  E2E", one.latencies.e2e);
    }
  if (unconverged_) line("", "~ the interval has not converged: run longer before relying on it");
  if (!summary_.interval_note.empty()) line("", summary_.interval_note);
  const Counts& counts = summary_.counts;
  if (counts.timed_out + counts.hung_up + counts.lost > 0)
    line("", "of the requests that completed: those that ended otherwise have no latency");
  if (!all.e2e.exact) line("", "percentiles from a histogram, at most 0.1 % off");
  gap();
}

void Table::slo() {
  if (!summary_.slo_given) return;
  for (const ClassSummary& one : summary_.classes) {
    if (!one.slo.given) continue;
    std::string text =
        one.slo.held ? inked(style_, Ink::green, "held") : inked(style_, Ink::red, "NOT held");
    text += fmt::format(": {} of {} good, {} promised", good_text(one.slo.good_share), one.name,
                        good_text(one.slo.required_share));
    line("SLO", text);
  }
  line("Goodput", number_text(summary_.goodput_per_second) + " good requests /s");
  gap();
}

void Table::utilisation() {
  if (summary_.pools.empty()) return;
  constexpr int kName = 15;
  const auto heading = [&](std::initializer_list<const char*> columns) {
    std::string text = left("Pool", kName);
    for (const char* column : columns) text += right(column, 8);
    out_ += inked(style_, Ink::bold, text) + "\n";
  };
  const auto name = [&](const PoolUse& pool) {
    return left(pool.name.size() < kName ? pool.name : pool.name.substr(0, kName - 2) + "~", kName);
  };
  bool llm = false, service = false;
  for (const PoolUse& pool : summary_.pools) (pool.service ? service : llm) = true;
  if (llm) {
    heading({"GPUs", "busy", "compute", "memory", "network", "host", "slots", "KV"});
    for (const PoolUse& pool : summary_.pools) {
      if (pool.service) continue;
      out_ += name(pool) + right(grouped(pool.gpus), 8);
      for (const double share : {pool.busy, pool.compute, pool.memory_bandwidth, pool.network,
                                 pool.host, pool.slots, pool.kv_memory})
        out_ += right(share_text(share), 8);
      out_ += '\n';
    }
  }
  if (service) {
    heading({"replicas", "busy", "slots", "peak", "queue"});
    for (const PoolUse& pool : summary_.pools) {
      if (!pool.service) continue;
      out_ += name(pool) + right(grouped(pool.replicas), 8);
      for (const double share : {pool.busy, pool.slots, pool.slots_peak})
        out_ += right(share_text(share), 8);
      out_ += right(unstable() ? "-" : number_text(pool.queue), 8) + '\n';
    }
  }
  gap();
}

/// Whether some replica was not ready all the time.
bool comes_and_goes(const PoolUse& pool) {
  return pool.start_ups > 0 || pool.failures > 0 || pool.ready_least != pool.ready_most ||
         pool.existing > pool.ready;
}

void Table::replicas_of(const PoolUse& pool) {
  std::string text = fmt::format("{}: {} ready on average", pool.name, number_text(pool.ready));
  if (pool.ready_least != pool.ready_most)
    text += fmt::format(" ({} to {})", grouped(pool.ready_least), grouped(pool.ready_most));
  const auto add = [&](std::int64_t count, const char* one, const char* several) {
    if (count > 0) text += fmt::format(", {} {}", grouped(count), count == 1 ? one : several);
  };
  add(pool.start_ups, "start-up", "start-ups");
  add(pool.failures, "failure", "failures");
  line("Replicas", text);
  std::string hours;
  const auto part = [&](double gpu_hours, const std::string& what) {
    if (gpu_hours > 0)
      hours += fmt::format("{}{} {}", hours.empty() ? "" : ", ", number_text(gpu_hours), what);
  };
  double starting = 0;
  for (int phase = 0; phase < kReplicaPhases; ++phase) {
    const auto one = static_cast<ReplicaPhase>(phase);
    if (is_starting(one) && is_billed(one)) starting += pool.gpu_hours.phase[phase];
  }
  const auto of = [&](ReplicaPhase phase) { return pool.gpu_hours.phase[static_cast<int>(phase)]; };
  part(of(ReplicaPhase::ready), "ready");
  part(starting, "starting");
  part(of(ReplicaPhase::draining), "draining");
  part(pool.gpu_hours.rest_of_nodes, "rest of nodes");
  part(pool.gpu_hours.minimum, "of minimum billing");
  if (!hours.empty()) line("", "GPU-hours paid: " + hours);
  const double unpaid = of(ReplicaPhase::down);
  if (unpaid > 0) line("", fmt::format("GPU-hours down: {}", number_text(unpaid)));
}

void Table::front_and_replicas() {
  bool any = !summary_.front.empty();
  for (const FrontUse& station : summary_.front)
    line("Front", fmt::format("{}: {} {}, {} busy, {} requests in line on average", station.name,
                              grouped(station.servers), station.servers == 1 ? "server" : "servers",
                              share_text(station.busy), number_text(station.queue)));
  for (const PoolUse& pool : summary_.pools) {
    if (comes_and_goes(pool)) replicas_of(pool);
    if (pool.availability.known) {
      line("Availability", pool.name + ": " + availability_text(pool.availability, pool.replicas));
      if (pool.up_share) line("", good_text(*pool.up_share) + " in this run");
    }
    any |= comes_and_goes(pool) || pool.availability.known;
  }
  any |= faults();
  if (any) gap();
}

/// What failed in the run: a share that was up over few faults, or none, is no evidence.
bool Table::faults() {
  std::string text;
  for (int kind = 0; kind < kFaultKinds; ++kind)
    if (const std::int64_t count = summary_.counts.faults[kind]; count > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", grouped(count),
                          fault_name(static_cast<FaultUnit::Kind>(kind)));
  const bool may_fail = std::any_of(summary_.pools.begin(), summary_.pools.end(),
                                    [](const PoolUse& pool) { return pool.availability.known; });
  if (text.empty() && may_fail) text = "none in this run, which is no evidence of availability";
  if (!text.empty()) line("Faults", text);
  return !text.empty();
}

void Table::bottleneck() {
  const Bottleneck& found = summary_.bottleneck;
  if (found.resource.empty()) return;
  std::string text = inked(style_, found.saturated ? Ink::red : Ink::bold, found.resource);
  if (!found.pool.empty()) text += " of " + found.pool;
  if (found.share > 0 && found.share_of != "of the time")
    text += fmt::format(": {} {}", share_text(found.share), found.share_of);
  else if (found.share > 0 && !found.pool.empty())
    text += fmt::format(", the limit {} of the time", share_text(found.share));
  line("Bottleneck", text);
  for (const PoolUse& pool : summary_.pools) {
    if (pool.name != found.pool || pool.service || found.saturated) continue;
    line("", fmt::format("not exhausted: {} of the sequence slots, {} of the KV memory in use",
                         share_text(pool.slots), share_text(pool.kv_memory)));
  }
  if (!found.relief.empty()) line("Relief", found.relief);
}

void Table::cost() {
  const Cost& cost = summary_.cost;
  if (!cost.known || cost.gpus == 0) {
    if (cost.gpus > 0)
      line("Cost", fmt::format("no price known; {} GPUs, {} GPU-hours", grouped(cost.gpus),
                               number_text(cost.gpu_hours)));
    return;
  }
  const auto usd = [](const std::optional<double>& amount) {
    return amount ? number_text(*amount) + " USD" : std::string("-");
  };
  // The GPUs of a fleet that stays are paid for all of the time, up to the sum's last digits.
  const bool stays = cost.mean_gpus >= static_cast<double>(cost.gpus) * (1 - 1e-9);
  const std::string gpus =
      stays ? fmt::format("{} {}", grouped(cost.gpus), cost.gpus == 1 ? "GPU" : "GPUs")
            : fmt::format("{} GPUs on average, {} at most", number_text(cost.mean_gpus),
                          grouped(cost.gpus));
  line("Cost", fmt::format("{} an hour for {}, idle time included; {} for this run",
                           usd(cost.usd_per_hour), gpus, usd(cost.usd)));
  std::string text = usd(cost.usd_per_request) + " a request";
  if (serves_tokens() && cost.usd_per_million_output_tokens)
    text += fmt::format(", {} a million output tokens ({} a million of all tokens)",
                        usd(cost.usd_per_million_output_tokens),
                        usd(cost.usd_per_million_total_tokens));
  line("", text);
}

void Table::footnotes() {
  for (const RunFacts::Source& source : facts_.sources) {
    std::string text;
    if (!source.model.empty())
      text = fmt::format("{}: {} on {}; ", source.pool, source.model, source.gpu);
    else
      text = source.pool + ": ";
    line("Step times", text + source.step_times, Ink::dim);
  }
  for (const std::string& warning : facts_.warnings) line("Warning", warning, Ink::yellow);
}

}  // namespace

std::string result_table(const Report& report, const TableStyle& style) {
  return Table(report, style).text();
}

}  // namespace headway
