#include "sim/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/report/table_sections.hpp"
#include "sim/report/table_text.hpp"

namespace headway {

namespace {

class Table {
 public:
  Table(const Report& report, const TableStyle& style)
      : report_(report), summary_(report.summary), facts_(report.facts), style_(style) {}

  std::string text() {
    title();
    load();
    section(latency_section(report_, style_));
    slo();
    section(utilisation_section(summary_, style_));
    section(fleet_section(summary_, style_));
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
  void section(const std::string& text) {
    out_ += text;
    if (!text.empty()) gap();
  }
  /// Whether tokens mean anything: not where all pools are service stations.
  bool serves_tokens() const {
    return std::any_of(summary_.pools.begin(), summary_.pools.end(),
                       [](const PoolUse& pool) { return !pool.service; });
  }
  bool unstable() const { return summary_.stability.verdict == Verdict::unstable; }

  void title();
  void load();
  void slo();
  void bottleneck();
  void cost();
  void footnotes();

  const Report& report_;
  const Summary& summary_;
  const RunFacts& facts_;
  TableStyle style_;
  std::string out_;
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
