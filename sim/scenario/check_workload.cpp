// Rules over the workload and the length of the run.
#include <fmt/format.h>

#include "sim/scenario/check.hpp"

namespace headway {
namespace {

bool reaches_llm_pool(const Scenario& scenario, const WorkloadClass& each) {
  for (std::size_t p = 0; p < scenario.fleet.size(); ++p)
    if (scenario.fleet[p].kind == Pool::Kind::llm && reaches(each, p)) return true;
  return false;
}

void check_lengths(Draft& draft) {
  for (std::size_t i = 0; i < draft.scenario.workload.size(); ++i) {
    const WorkloadClass& each = draft.scenario.workload[i];
    if (each.arrivals.kind == Arrivals::Kind::trace || !each.arrivals.trace_fallback.empty())
      continue;  // lengths come from the trace, or from its stand-in
    const Node& node = draft.class_node(i);
    for (const char* const key : {"input_tokens", "output_tokens"}) {
      const Entry* const entry = Draft::given(node, key);
      if (entry && entry->value.kind == Node::Kind::scalar && entry->value.text == "trace")
        draft.fail(entry->value.at,
                   fmt::format("{} is 'trace', but the arrivals of class '{}' are no trace; "
                               "expected a law such as {{fixed: 512}}",
                               key, each.name));
      if (!entry && reaches_llm_pool(draft.scenario, each))
        draft.fail(node.at, fmt::format("class '{}' has no '{}', which an LLM pool needs; expected "
                                        "a law such as {{fixed: 512}}",
                                        each.name, key));
    }
  }
}

void check_slo(Draft& draft) {
  for (std::size_t i = 0; i < draft.scenario.workload.size(); ++i) {
    const auto& slo = draft.scenario.workload[i].slo;
    if (slo && !slo->ttft_seconds && !slo->tpot_seconds && !slo->e2e_seconds)
      draft.fail(Draft::place_of(draft.class_node(i), "slo"),
                 "an slo without limits; expected at least one of: ttft, tpot, e2e");
  }
}

bool ends_by_itself(const Arrivals& arrivals) {
  using Kind = Arrivals::Kind;
  return arrivals.kind == Kind::trace || arrivals.kind == Kind::stages ||
         (arrivals.kind == Kind::closed && arrivals.requests > 0);
}

void check_end(Draft& draft) {
  const Run& run = draft.scenario.run;
  if (run.duration_seconds > 0 || run.requests > 0) return;
  for (std::size_t i = 0; i < draft.scenario.workload.size(); ++i) {
    const WorkloadClass& each = draft.scenario.workload[i];
    if (ends_by_itself(each.arrivals)) continue;
    const bool closed = each.arrivals.kind == Arrivals::Kind::closed;
    draft.fail(Draft::place_of(draft.class_node(i), "arrivals"),
               fmt::format("class '{}' never ends, so the run has no end; expected {}", each.name,
                           closed ? "run.duration, run.requests or the closed loop's requests"
                                  : "run.duration or run.requests"));
  }
}

/// Times reach 106 days. Of laws whose mean rate their keys say; others are left to the run.
void check_span(Draft& draft) {
  constexpr double kLongestDays = 106, kDay = 86400;
  const Run& run = draft.scenario.run;
  if (run.requests == 0 || run.duration_seconds > 0) return;
  double rate = 0;
  for (const WorkloadClass& each : draft.scenario.workload) {
    if (!(each.arrivals.rate > 0) || each.session) return;
    rate += each.arrivals.rate;
  }
  const double days = static_cast<double>(run.requests) / rate / kDay;
  if (days > kLongestDays)
    draft.warn(
        Draft::place_of(draft.document.root, "run.requests"),
        fmt::format("{} requests at {:.3g} /s take {:.4g} days; none arrives after {:g} days",
                    run.requests, rate, days, kLongestDays));
}

void check_warm_up(Draft& draft) {
  const Run& run = draft.scenario.run;
  if (run.warm_up_auto || run.duration_seconds <= 0) return;
  if (run.warm_up_seconds >= run.duration_seconds)
    draft.fail(Draft::place_of(draft.document.root, "run.warm_up"),
               fmt::format("warm_up is {} of a run of {}; expected less than the duration",
                           format_quantity(run.warm_up_seconds, Dimension::time),
                           format_quantity(run.duration_seconds, Dimension::time)));
}

void check_client(Draft& draft) {
  for (std::size_t i = 0; i < draft.scenario.workload.size(); ++i) {
    const WorkloadClass& each = draft.scenario.workload[i];
    if (each.arrivals.kind == Arrivals::Kind::closed && each.max_concurrency > 0)
      draft.fail(Draft::place_of(draft.class_node(i), "client"),
                 fmt::format("class '{}' is a closed loop, whose users cap its requests in flight; "
                             "expected 'client' with open arrivals only",
                             each.name));
  }
}

/// Traces have their own conversations in them, and Mooncake's their own prefixes.
void check_session(Draft& draft) {
  for (std::size_t i = 0; i < draft.scenario.workload.size(); ++i) {
    const WorkloadClass& each = draft.scenario.workload[i];
    const Node& node = draft.class_node(i);
    const Entry* const added = Draft::given(node, "session.input_tokens");
    if (added && added->value.kind == Node::Kind::scalar && added->value.text == "trace")
      draft.fail(added->value.at,
                 "input_tokens is 'trace', but later turns stand in no trace; expected a law such "
                 "as {fixed: 100}");
    if (each.arrivals.kind != Arrivals::Kind::trace && each.arrivals.trace_fallback.empty())
      continue;
    if (each.session)
      draft.fail(
          Draft::place_of(node, "session"),
          fmt::format("class '{}' replays a trace, whose requests are as they were; expected "
                      "'session' with other arrivals only",
                      each.name));
    const Entry* const format = Draft::given(node, "arrivals.trace.format");
    if (each.prefix && format && format->value.text == "mooncake")
      draft.fail(
          Draft::place_of(node, "prefix"),
          fmt::format("class '{}' replays a Mooncake trace, which says what its prompts have "
                      "in common; expected no 'prefix'",
                      each.name));
  }
}

}  // namespace

std::vector<Check> workload_checks() {
  return {
      {"lengths", "Token lengths are given, or come from the trace.", check_lengths},
      {"slo", "An slo has at least one limit.", check_slo},
      {"end",
       "A run ends: by run.duration, run.requests, or because every class ends by itself (trace, "
       "stages, a closed loop with requests).",
       check_end},
      {"span", "run.requests arrive within 106 days, after which no request comes.", check_span},
      {"warm_up", "run.warm_up is shorter than run.duration.", check_warm_up},
      {"client", "A client's cap goes with open arrivals.", check_client},
      {"session", "Sessions go with arrivals by a law, prefixes also with traces but Mooncake's.",
       check_session},
  };
}

}  // namespace headway
