// Rules over the front, admission, time-outs and retries.
#include <fmt/format.h>

#include <algorithm>

#include "sim/scenario/check.hpp"

namespace headway {
namespace {

bool takes_time(const FrontStation& station) {
  return law_upper_bound(station.time) > 0 || station.seconds_per_input_token > 0;
}

void check_front_stations(Draft& draft) {
  const Node& root = draft.document.root;
  const Front& front = draft.scenario.front;
  const auto look = [&](const std::optional<FrontStation>& station, const char* path) {
    if (station && !takes_time(*station))
      draft.fail(Draft::place_of(root, path),
                 "a station that takes no time; expected time or per_token above 0");
  };
  look(front.balancer, "front.balancer");
  look(front.tokenizer, "front.tokenizer");
}

bool can_be_without_replica(const Pool& pool) {
  return pool.replicas == 0 || pool.autoscaler || pool.cold_start || pool.failures;
}

void check_admission(Draft& draft) {
  const Node& root = draft.document.root;
  const FrontAdmission& rules = draft.scenario.admission;
  const auto& pools = draft.scenario.fleet;
  if (rules.max_requests == 0)
    draft.warn_no_effect(root, "admission.shed", "max_requests is not given");
  if (std::none_of(pools.begin(), pools.end(), can_be_without_replica))
    draft.warn_no_effect(root, "admission.max_held", "replicas are ready all the time");
  if (rules.max_requests == 0) return;
  const auto& classes = draft.scenario.workload;
  for (std::size_t i = 0; i < rules.shed.size(); ++i) {
    const std::int32_t priority = rules.shed[i].priority;
    if (std::any_of(classes.begin(), classes.end(),
                    [&](const WorkloadClass& each) { return each.priority >= priority; }))
      continue;
    draft.warn(root.find("admission")->find("shed")->items[i].at,
               fmt::format("shedding from priority {} on has no effect: no class has such a "
                           "priority",
                           priority));
  }
}

void check_timeouts(Draft& draft) {
  for (std::size_t i = 0; i < draft.scenario.workload.size(); ++i) {
    const Node& node = draft.class_node(i);
    if (Draft::given(node, "timeouts") && !draft.scenario.workload[i].timeouts.any())
      draft.fail(Draft::place_of(node, "timeouts"),
                 "timeouts without limits; expected at least one of: queue, first_token, total");
  }
}

bool can_fail(const Pool& pool) {
  return pool.failures.has_value();
}

void check_retries(Draft& draft) {
  const auto& pools = draft.scenario.fleet;
  for (std::size_t i = 0; i < draft.scenario.workload.size(); ++i) {
    const WorkloadClass& each = draft.scenario.workload[i];
    const Retries& retries = each.retries;
    const Node& node = draft.class_node(i);
    const Entry* const given = Draft::given(node, "retries");
    if (!given) continue;
    if (retries.longest_seconds < retries.backoff_seconds)
      draft.fail(Draft::place_of(node, "retries.longest"),
                 fmt::format("the longest back-off, {}, is shorter than the first, {}; expected at "
                             "least as long",
                             format_quantity(retries.longest_seconds, Dimension::time),
                             format_quantity(retries.backoff_seconds, Dimension::time)));
    if (retries.attempts == 1) {
      draft.warn_no_effect(node, "retries", "there is one attempt");
      continue;
    }
    if (retries.backoff_seconds == 0)
      for (const char* const key : {"retries.factor", "retries.longest", "retries.jitter"})
        draft.warn_no_effect(node, key, "backoff is 0");
    const bool only_timed_out = retries.timed_out && !retries.rejected && !retries.lost;
    const bool only_lost = retries.lost && !retries.rejected && !retries.timed_out;
    if (only_timed_out && !each.timeouts.any())
      draft.warn_no_effect(node, "retries", "the class has no timeouts");
    if (only_lost && std::none_of(pools.begin(), pools.end(), can_fail))
      draft.warn_no_effect(node, "retries", "no pool has failures");
  }
}

void check_streaming(Draft& draft) {
  for (std::size_t i = 0; i < draft.scenario.workload.size(); ++i)
    if (!draft.scenario.workload[i].streaming)
      draft.warn_no_effect(draft.class_node(i), "slo.tpot",
                           "streaming is false: all tokens come with the last");
  const auto& pools = draft.scenario.fleet;
  if (std::any_of(pools.begin(), pools.end(),
                  [](const Pool& pool) { return pool.kind == Pool::Kind::llm; }))
    return;
  for (std::size_t i = 0; i < draft.scenario.workload.size(); ++i)
    draft.warn_no_effect(draft.class_node(i), "streaming", "no LLM pool makes tokens");
}

}  // namespace

std::vector<Check> traffic_checks() {
  return {
      {"front_stations", "A station of the front takes some time.", check_front_stations},
      {"admission", "Warned of: shedding, and a limit on held requests, that can never happen.",
       check_admission},
      {"timeouts", "timeouts name at least one limit.", check_timeouts},
      {"retries", "The longest back-off is at least the first. Warned of: retries that never come.",
       check_retries},
      {"streaming",
       "Warned of: streaming where no pool makes tokens, a promise of TPOT without it.",
       check_streaming},
  };
}

}  // namespace headway
