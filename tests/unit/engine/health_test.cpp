// Replicas that fail while the router does not know it yet.
#include <gtest/gtest.h>

#include <vector>

#include "runs.hpp"

namespace headway {
namespace {

constexpr Time kSecond = 1'000'000'000'000;

/// Two stations of many servers and 10 ms, a request every 10 ms for an hour; faults some minutes
/// apart take 10 s to repair.
Scenario two_that_fail() {
  WorkloadClass workload;
  workload.arrivals.kind = Arrivals::Kind::constant;
  workload.arrivals.rate = 100;
  Scenario scenario = scenario_of(workload, station(0.010));
  scenario.fleet[0].replicas = 2;
  scenario.fleet[0].service.servers = 10;
  Failures& failures = scenario.fleet[0].failures.emplace();
  Failures::Fault gpu;
  gpu.mtbf_seconds = 300;
  gpu.repair.a = 10;
  failures.gpu = gpu;
  scenario.run.duration_seconds = 3600;
  scenario.router = RouterKind::round_robin;
  return scenario;
}

/// When a replica was down: [from, until).
struct Outage {
  std::uint32_t replica;
  Time from, until;
};

/// Those that begin and end while the other replica is ready, with time around them.
std::vector<Outage> lone_outages(const Recording& recording) {
  std::vector<Outage> all, lone;
  for (const PhaseChange& change : recording.phases) {
    if (change.phase == ReplicaPhase::down) all.push_back({change.replica, change.at, kNever});
    if (change.phase != ReplicaPhase::ready) continue;
    for (Outage& each : all)
      if (each.replica == change.replica && each.until == kNever) each.until = change.at;
  }
  for (const Outage& one : all) {
    bool apart = one.until < 3500 * kSecond;
    for (const Outage& other : all)
      if (&one != &other)
        apart = apart &&
                (other.from > one.until + 20 * kSecond || other.until + 20 * kSecond < one.from);
    if (apart) lone.push_back(one);
  }
  EXPECT_GT(lone.size(), 5u);
  return lone;
}

/// The look at a multiple of 3 s that is the n-th after this time.
Time nth_look(Time after, std::int64_t n) {
  return (after / (3 * kSecond) + n) * 3 * kSecond;
}

TEST(HealthChecks, ARouterThatKnowsAtOnceLosesOnlyWhatIsAtTheReplica) {
  const Recording recording = run(two_that_fail());
  for (const Outage& outage : lone_outages(recording)) {
    for (const RequestRecord& record : recording.departed) {
      if (record.sent < outage.from || record.sent >= outage.until) continue;
      ASSERT_EQ(record.outcome, Outcome::completed);
      ASSERT_NE(record.replica, outage.replica);
    }
  }
  EXPECT_GT(recording.totals.lost, 0);
}

TEST(HealthChecks, UntilTheSecondLookEveryOtherRequestIsLost) {
  Scenario scenario = two_that_fail();
  scenario.router_rules.health = {3, 2, 1};
  const Recording recording = run(scenario);
  for (const Outage& outage : lone_outages(recording)) {
    const Time known = nth_look(outage.from, 2), back = nth_look(outage.until, 1);
    std::int64_t sent = 0, lost = 0, to_the_other = 0, alone = 0, again = 0;
    for (const RequestRecord& record : recording.departed) {
      if (record.sent >= outage.from && record.sent < known) {
        ++sent;
        const bool there = record.replica == outage.replica;
        lost += there;
        ASSERT_EQ(record.outcome, there ? Outcome::lost : Outcome::completed);
        ASSERT_EQ(record.queued == kNever, there);
      } else if (record.sent >= known && record.sent < back) {
        ++alone;
        to_the_other += record.replica != outage.replica;
        ASSERT_EQ(record.outcome, Outcome::completed);
      } else if (record.sent >= back && record.sent < back + kSecond) {
        again += record.replica == outage.replica;
        ASSERT_EQ(record.outcome, Outcome::completed);
      }
    }
    EXPECT_GE(sent, 299);  // 3 to 6 s
    EXPECT_NEAR(static_cast<double>(lost), static_cast<double>(sent) / 2, 1);
    EXPECT_EQ(to_the_other, alone);
    EXPECT_EQ(again, 50) << "of a second's 100";
  }
}

TEST(HealthChecks, WhereAllAreGoneRequestsAreHeldFromTheLookThatSaysSo) {
  Scenario scenario = two_that_fail();
  scenario.fleet[0].replicas = 1;
  scenario.fleet[0].failures->gpu->mtbf_seconds = 150;
  scenario.fleet[0].service.servers = 10000;
  scenario.router_rules.health = {3, 2, 1};
  const Recording recording = run(scenario);
  for (const Outage& outage : lone_outages(recording)) {
    const Time known = nth_look(outage.from, 2), back = nth_look(outage.until, 1);
    for (const RequestRecord& record : recording.departed) {
      if (record.sent < outage.from || record.sent >= back) continue;
      if (record.sent < known) {
        ASSERT_EQ(record.outcome, Outcome::lost);
      } else {
        ASSERT_EQ(record.outcome, Outcome::completed);
        ASSERT_EQ(record.queued, back) << "though the replica was ready before";
      }
    }
  }
}

TEST(HealthChecks, WhatIsLostIsTriedAgainUntilItMeetsAReplicaThatIsThere) {
  Scenario scenario = two_that_fail();
  scenario.router_rules.health = {3, 2, 1};
  Retries& retries = scenario.workload[0].retries;
  retries.attempts = 20;
  retries.backoff_seconds = 0.1;
  retries.factor = 1;
  retries.jitter = Retries::Jitter::full;
  const Recording recording = run(scenario);
  EXPECT_EQ(recording.totals.lost, 0);
  EXPECT_GT(recording.totals.retries, 1000);
}

TEST(HealthChecks, AReplicaThatIsGoneDrawsAllRequestsOfARouterThatGoesByLoad) {
  Scenario scenario = two_that_fail();
  scenario.router = RouterKind::least_requests;
  scenario.router_rules.health = {3, 2, 1};
  scenario.fleet[0].service.time.a = 0.1;  // some ten are under way all the time
  const Recording recording = run(scenario);
  for (const Outage& outage : lone_outages(recording)) {
    const Time known = nth_look(outage.from, 2);
    std::int64_t sent = 0, lost = 0;
    for (const RequestRecord& record : recording.departed) {
      if (record.sent < outage.from || record.sent >= known) continue;
      ++sent;
      lost += record.outcome == Outcome::lost;
    }
    // Where the other has nothing to do either, it may get one in its 100 ms.
    EXPECT_GE(lost, 0.85 * static_cast<double>(sent));
  }
}

}  // namespace
}  // namespace headway
