// Fast stepping against the reference that takes every step: bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>

#include "random_scenario.hpp"
#include "recording.hpp"

namespace headway {
namespace {

bool by_id(const RequestRecord& a, const RequestRecord& b) {
  return a.id < b.id;
}

/// Both recordings tell the same: every stamp of every request, every token gap, every count.
void expect_same(Recording a, Recording b, const std::string& what) {
  std::sort(a.departed.begin(), a.departed.end(), by_id);
  std::sort(b.departed.begin(), b.departed.end(), by_id);
  ASSERT_EQ(a.departed.size(), b.departed.size()) << what;
  for (std::size_t i = 0; i < a.departed.size(); ++i) {
    const RequestRecord &x = a.departed[i], &y = b.departed[i];
    ASSERT_EQ(x.id, y.id) << what;
    ASSERT_EQ(x.replica, y.replica) << what << ", request " << x.id;
    ASSERT_EQ(x.outcome, y.outcome) << what << ", request " << x.id;
    ASSERT_EQ(x.scheduled, y.scheduled) << what << ", request " << x.id;
    ASSERT_EQ(x.sent, y.sent) << what << ", request " << x.id;
    ASSERT_EQ(x.queued, y.queued) << what << ", request " << x.id;
    ASSERT_EQ(x.started, y.started) << what << ", request " << x.id;
    ASSERT_EQ(x.first_token, y.first_token) << what << ", request " << x.id;
    ASSERT_EQ(x.finished, y.finished) << what << ", request " << x.id;
    ASSERT_EQ(x.preemptions, y.preemptions) << what << ", request " << x.id;
    ASSERT_EQ(x.attempts, y.attempts) << what << ", request " << x.id;
    ASSERT_EQ(x.escalations, y.escalations) << what << ", request " << x.id;
    ASSERT_EQ(x.input_tokens, y.input_tokens) << what << ", request " << x.id;
    ASSERT_EQ(x.prefix_hit_tokens, y.prefix_hit_tokens) << what << ", request " << x.id;
  }
  EXPECT_EQ(a.gaps, b.gaps) << what;
  EXPECT_EQ(a.phases, b.phases) << what;
  EXPECT_EQ(a.preemptions, b.preemptions) << what;
  EXPECT_EQ(a.totals.steps, b.totals.steps) << what;
  EXPECT_EQ(a.totals.in_flight, b.totals.in_flight) << what;
  EXPECT_EQ(a.totals.retries, b.totals.retries) << what;
  EXPECT_EQ(a.totals.faults, b.totals.faults) << what;
  EXPECT_EQ(a.totals.end, b.totals.end) << what;
  EXPECT_TRUE(a.totals.time_in_system_sum == b.totals.time_in_system_sum) << what;
}

std::uint64_t first_seed() {
  const char* given = std::getenv("HEADWAY_STEPPING_SEED");
  return given ? std::strtoull(given, nullptr, 10) : 1;
}
int scenario_count() {
  const char* given = std::getenv("HEADWAY_STEPPING_COUNT");
  return given ? std::atoi(given) : 500;
}

TEST(Stepping, FastAndReferenceAgreeBitForBitOnRandomScenarios) {
  const std::uint64_t seed = first_seed();
  const int count = scenario_count();
  std::cout << "seeds " << seed << " to " << seed + static_cast<std::uint64_t>(count) - 1
            << ", every third under KV pressure\n";
  std::int64_t requests = 0, preemptions = 0, finding = 0, steps = 0, events = 0, preempting = 0,
               pressed = 0, retries = 0, escalations = 0;
  std::int64_t gone[kOutcomes] = {};
  std::int64_t entered[kReplicaPhases] = {};
  FaultCounts faults{};
  for (int i = 0; i < count; ++i) {
    const std::uint64_t s = seed + static_cast<std::uint64_t>(i);
    const bool pressure = i % 3 == 0;
    Scenario scenario = random_scenario(s, pressure);
    const Recording fast = record_run(scenario);
    scenario.run.stepping = Run::Stepping::reference;
    const Recording reference = record_run(scenario);
    expect_same(fast, reference, "seed " + std::to_string(s));
    if (testing::Test::HasFailure()) return;
    requests += fast.totals.arrived;
    preemptions += fast.preemptions;
    steps += fast.totals.steps;
    events += fast.totals.events;
    pressed += pressure;
    retries += fast.totals.retries;
    escalations += fast.totals.escalations;
    for (int kind = 0; kind < kFaultKinds; ++kind) faults[kind] += fast.totals.faults[kind];
    for (const RequestRecord& record : fast.departed) ++gone[static_cast<int>(record.outcome)];
    for (const auto& [at, replica, phase] : fast.phases) ++entered[static_cast<int>(phase)];
    finding += pressure && fast.totals.prefix_hit_tokens > 0;
    preempting += pressure && fast.preemptions > 0;
  }
  std::cout << requests << " requests, " << preemptions << " preemptions, " << steps << " steps in "
            << events << " events; " << preempting << " of " << pressed
            << " scenarios under pressure preempted, " << finding
            << " found something in a prefix cache\n"
            << retries << " retries, " << escalations << " escalations";
  for (int outcome = 0; outcome < kOutcomes; ++outcome) {
    std::cout << ", " << gone[outcome] << ' ' << outcome_name(static_cast<Outcome>(outcome));
  }
  for (int phase = 0; phase < kReplicaPhases; ++phase) {
    std::cout << (phase == 0 ? "\nreplicas: " : ", ") << entered[phase] << ' '
              << phase_name(static_cast<ReplicaPhase>(phase));
  }
  for (int kind = 0; kind < kFaultKinds; ++kind) {
    std::cout << (kind == 0 ? "\nfailures: " : ", ") << faults[kind] << ' '
              << fault_name(static_cast<FaultUnit::Kind>(kind));
    EXPECT_GT(faults[kind], count / 8) << fault_name(static_cast<FaultUnit::Kind>(kind));
  }
  std::cout << '\n';
  // The comparison has to have met what it is for.
  EXPECT_GT(10 * preempting, 8 * pressed);
  EXPECT_GT(preemptions, 50 * pressed);
  EXPECT_GT(4 * finding, pressed);
  EXPECT_GT(steps, events);
  EXPECT_GT(retries, count);
  EXPECT_GT(escalations, count);
  for (int phase = 0; phase < kReplicaPhases; ++phase) {
    EXPECT_GT(entered[phase], count / 8) << phase_name(static_cast<ReplicaPhase>(phase));
  }
  for (const Outcome outcome : {Outcome::timed_out, Outcome::hung_up, Outcome::rejected_queue_full,
                                Outcome::rejected_overload, Outcome::rejected_rate_limit,
                                Outcome::rejected_no_replica, Outcome::lost}) {
    EXPECT_GT(gone[static_cast<int>(outcome)], count / 3) << outcome_name(outcome);
  }
}

TEST(Stepping, SimGridAndTheBareHeapAgreeBitForBit) {
  // SimGrid runs once in a process: each of its runs is a child of this one.
  for (std::uint64_t seed = 1001; seed <= 1020; ++seed) {
    Scenario scenario = random_scenario(seed, seed % 3 == 0);
    scenario.front.bandwidth = 0;  // transfers' times agree to a millionth, not to the bit
    for (Pool& pool : scenario.fleet) {
      if (pool.cold_start) pool.cold_start->image_bytes = pool.cold_start->weight_bytes = 0;
    }
    const Recording heap = record_run(scenario);
    scenario.run.engine = Run::Engine::simgrid;
    EXPECT_EXIT(
        {
          const Recording simgrid = record_run(scenario);
          expect_same(heap, simgrid, "seed " + std::to_string(seed));
          std::exit(testing::Test::HasFailure() ? 1 : 0);
        },
        testing::ExitedWithCode(0), "")
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace headway
