// The latencies of a result's table: of all requests, by class and by pool.
#include <fmt/format.h>

#include "sim/report/table_sections.hpp"
#include "sim/report/table_text.hpp"

namespace headway {

namespace {

constexpr int kLabel = 16;
constexpr int kCell = 16;

class LatencySection {
 public:
  LatencySection(const Report& report, const TableStyle& style)
      : summary_(report.summary), facts_(report.facts), style_(style) {}

  std::string text();

 private:
  void heading();
  void overall();
  void by_class();
  void by_pool();
  void notes();
  void row(const std::string& label, const Figures& figures);
  std::string cell(const Figure& figure);
  void note(const std::string& text) { out_ += labelled("", text, Ink::bold, style_); }

  const Summary& summary_;
  const RunFacts& facts_;
  TableStyle style_;
  std::string out_;
  bool unconverged_ = false;
};

std::string LatencySection::text() {
  heading();
  overall();
  by_class();
  by_pool();
  notes();
  return std::move(out_);
}

void LatencySection::heading() {
  std::string text = left("Latency", kLabel);
  for (const char* column : {"mean", "p50", "p90", "p99"}) text += right(column, kCell);
  out_ += inked(style_, Ink::bold, text) + "\n";
}

std::string LatencySection::cell(const Figure& figure) {
  std::string text = seconds_text(figure.value, figure.half_width, style_);
  const bool unconverged = figure.half_width && !figure.converged;
  if (unconverged) {
    unconverged_ = true;
    text = inked(style_, Ink::red, "~" + text);
  }
  return right(text, kCell);
}

void LatencySection::row(const std::string& label, const Figures& figures) {
  out_ += left(label, kLabel);
  if (figures.unstable) {
    out_ += inked(style_, Ink::red, "  no finite steady-state value") + "\n";
    return;
  }
  for (const Figure* figure : {&figures.mean, &figures.p50, &figures.p90, &figures.p99})
    out_ += figures.count > 0 ? cell(*figure) : right("-", kCell);
  out_ += '\n';
}

void LatencySection::overall() {
  const Latencies& all = summary_.latencies;
  const bool llm = all.tpot.count > 0 || summary_.itl.count > 0;
  if (llm) {
    row("TTFT", all.ttft);
    row("TPOT", all.tpot);
    row("ITL", summary_.itl);
  }
  row("E2E", all.e2e);
  row("queue time", all.queue);
  if (!facts_.client_cap) return;
  row("client delay", all.client_delay);
  if (llm) row("TTFT from send", all.ttft_from_sent);
  row("E2E from send", all.e2e_from_sent);
}

void LatencySection::by_class() {
  if (summary_.classes.size() < 2) return;
  for (const ClassSummary& one : summary_.classes) {
    out_ += inked(style_, Ink::bold, one.name) +
            fmt::format(": {} /s\n", number_text(one.achieved_per_second));
    if (one.latencies.tpot.count > 0) {
      row("  TTFT", one.latencies.ttft);
      row("  TPOT", one.latencies.tpot);
    }
    row("  E2E", one.latencies.e2e);
  }
}

/// Pools that answered, where there are several.
void LatencySection::by_pool() {
  for (const PoolUse& pool : summary_.pools) {
    if (!pool.requests || pool.requests->completed == 0) continue;
    const PoolRequests& requests = *pool.requests;
    out_ += inked(style_, Ink::bold, "pool " + pool.name) +
            fmt::format(": {} /s", number_text(requests.achieved_per_second));
    if (summary_.slo_given) out_ += fmt::format(", {} good", good_text(*requests.good_share));
    out_ += '\n';
    if (requests.tpot.count > 0) {
      row("  TTFT", requests.ttft);
      row("  TPOT", requests.tpot);
    }
    row("  E2E", requests.e2e);
  }
}

void LatencySection::notes() {
  if (unconverged_) note("~ the interval has not converged: run longer before relying on it");
  if (!summary_.interval_note.empty()) note(summary_.interval_note);
  const Counts& counts = summary_.counts;
  if (counts.timed_out + counts.hung_up + counts.lost > 0)
    note("of the requests that completed: those that ended otherwise have no latency");
  if (!summary_.latencies.e2e.exact) note("percentiles from a histogram, at most 0.1 % off");
}

}  // namespace

std::string latency_section(const Report& report, const TableStyle& style) {
  return LatencySection(report, style).text();
}

}  // namespace headway
