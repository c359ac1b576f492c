#include "sim/metrics/run_timeline.hpp"

#include <gtest/gtest.h>

namespace headway {
namespace {

constexpr Time kSecond = 1'000'000'000'000;

Scenario one_pool() {
  Scenario s;
  WorkloadClass c;
  c.arrivals.kind = Arrivals::Kind::trace;
  s.workload.push_back(c);
  Pool pool;
  pool.name = "main";
  pool.replicas = 2;
  pool.batching.max_num_seqs = 10;
  pool.kv.blocks = 1000;
  s.fleet.push_back(pool);
  return s;
}

TEST(RunTimeline, BucketsHoldEveryEventOnceHoweverLongTheRun) {
  const Scenario scenario = one_pool();
  for (const Time gap : {kSecond / 1000, kSecond, 3600 * kSecond}) {
    RunTimeline timeline(scenario);
    for (int i = 0; i < 2'000; ++i) {
      timeline.on_arrival(i * gap);
      if (i % 10 == 9) {
        timeline.on_failure(i * gap + gap / 4, Outcome::rejected_queue_full);
      } else {
        timeline.on_completion(i * gap + gap / 2, 7);
      }
    }
    timeline.finish(2'000 * gap);
    const Timeline t = timeline.summary();
    EXPECT_LE(t.buckets.size(), RunTimeline::kMost);
    EXPECT_GE(t.buckets.size(), 100U);
    Timeline::Bucket sum;
    for (const Timeline::Bucket& b : t.buckets) {
      sum.arrivals += b.arrivals;
      sum.completions += b.completions;
      sum.rejections += b.rejections;
      sum.output_tokens += b.output_tokens;
    }
    EXPECT_EQ(sum.arrivals, 2'000);
    EXPECT_EQ(sum.completions, 1'800);
    EXPECT_EQ(sum.rejections, 200);
    EXPECT_EQ(sum.output_tokens, 1'800 * 7);
    // 1,800 stay half a gap and 200 a quarter of it.
    EXPECT_NEAR(timeline.mean_in_system(timeline.range(0, 2'000 * gap)), 0.9 / 2 + 0.1 / 4, 1e-9);
  }
}

TEST(RunTimeline, WidthsAreRoundNumbers) {
  Scenario scenario = one_pool();
  scenario.run.duration_seconds = 3600;
  RunTimeline timeline(scenario);
  timeline.finish(3600 * kSecond);
  EXPECT_DOUBLE_EQ(timeline.summary().bucket_seconds, 10);  // 360 buckets
}

TEST(RunTimeline, ASpanIsSharedOutOverTheBucketsThatItCrosses) {
  Scenario scenario = one_pool();
  scenario.run.duration_seconds = 100;  // buckets of 0.2 s
  RunTimeline timeline(scenario);
  StepSpan span;
  span.start = 10 * kSecond;
  span.end = 30 * kSecond;
  span.slots = 5;
  span.waiting = 3;
  span.waiting_time = 60.0 * kSecond;  // three requests, all the while
  span.kv_blocks = 400;
  span.limits.memory_bandwidth = 15 * kSecond;
  span.limits.host = 5 * kSecond;
  timeline.on_steps(span);
  timeline.finish(100 * kSecond);
  const Timeline t = timeline.summary();
  EXPECT_EQ(t.buckets.at(49).running, 0);
  EXPECT_NEAR(t.buckets.at(50).running, 5, 1e-9);
  EXPECT_NEAR(t.buckets.at(149).queue, 3, 1e-9);
  EXPECT_NEAR(t.buckets.at(100).kv_share, 0.2, 1e-9);  // one of two replicas holds 400 of 1,000
  EXPECT_NEAR(t.buckets.at(100).busy, 0.5, 1e-9);
  EXPECT_NEAR(t.buckets.at(150).running, 0, 1e-9);

  const PoolUse whole = timeline.use(0, timeline.range(0, 100 * kSecond));
  EXPECT_NEAR(whole.busy, 0.1, 1e-9);  // 20 s of 2 · 100 s
  EXPECT_NEAR(whole.memory_bandwidth, 0.075, 1e-9);
  EXPECT_NEAR(whole.host, 0.025, 1e-9);
  EXPECT_NEAR(whole.idle, 0.9, 1e-9);
  EXPECT_NEAR(whole.slots, 0.05, 1e-9);
  EXPECT_NEAR(whole.slots_peak, 0.5, 1e-9);
  EXPECT_NEAR(whole.kv_memory, 0.04, 1e-9);
  EXPECT_NEAR(whole.waiting, 0.1, 1e-9);
  EXPECT_EQ(whole.waiting_for_slots, 0);
  EXPECT_EQ(timeline.use(0, timeline.range(40 * kSecond, 90 * kSecond)).busy, 0);
}

TEST(RunTimeline, WaitingIsForSlotsWhenTheyAreFullElseForKvWhenThatIsNearlyGone) {
  const Scenario scenario = one_pool();
  RunTimeline timeline(scenario);
  StepSpan span;
  span.waiting = 1;
  span.slots = 10;
  span.kv_blocks = 990;
  span.end = kSecond;
  timeline.on_steps(span);
  span.start = kSecond;
  span.end = 3 * kSecond;
  span.slots = 9;
  timeline.on_steps(span);
  timeline.finish(10 * kSecond);
  const PoolUse use = timeline.use(0, timeline.range(0, 10 * kSecond));
  EXPECT_NEAR(use.waiting_for_slots, 1.0 / 20, 1e-9);
  EXPECT_NEAR(use.waiting_for_kv, 2.0 / 20, 1e-9);
}

TEST(RunTimeline, AStationsBatchesOverlapOnItsServers) {
  Scenario scenario = one_pool();
  scenario.fleet[0].kind = Pool::Kind::service;
  scenario.fleet[0].replicas = 1;
  scenario.fleet[0].service.servers = 2;
  RunTimeline timeline(scenario);
  StepSpan span;
  span.slots = 1;
  span.prefill_sequences = 4;
  span.waiting_time = 30.0 * kSecond;
  span.end = 10 * kSecond;
  timeline.on_steps(span);
  timeline.on_steps(span);  // the other server, at the same time
  timeline.finish(20 * kSecond);
  const PoolUse use = timeline.use(0, timeline.range(0, 20 * kSecond));
  EXPECT_NEAR(use.busy, 0.5, 1e-9);
  EXPECT_NEAR(use.running, 4, 1e-9);  // 8 requests in service for half of the time
  EXPECT_NEAR(use.queue, 3, 1e-9);    // 60 request-seconds of waiting in 20 s
}

/// Up to three replicas, one of them there at the start.
Scenario scaled_pool() {
  Scenario scenario = one_pool();
  scenario.fleet[0].replicas = 1;
  scenario.fleet[0].autoscaler.emplace();
  scenario.fleet[0].autoscaler->max = 3;
  scenario.run.duration_seconds = 100;  // buckets of 0.2 s
  return scenario;
}

TEST(RunTimeline, SharesAreOfTheTimeInWhichReplicasWereThere) {
  const Scenario scenario = scaled_pool();
  RunTimeline timeline(scenario);
  timeline.on_phase(20 * kSecond, 1, ReplicaPhase::weights);
  timeline.on_phase(50 * kSecond, 1, ReplicaPhase::ready);
  timeline.on_phase(50 * kSecond, 1, ReplicaPhase::warming);  // for no time: the first request came
  timeline.on_phase(50 * kSecond, 1, ReplicaPhase::ready);
  StepSpan span;
  span.replica = 1;
  span.start = 50 * kSecond;
  span.end = 75 * kSecond;
  span.slots = 10;
  span.kv_blocks = 500;
  timeline.on_steps(span);
  timeline.on_phase(75 * kSecond, 1, ReplicaPhase::draining);
  timeline.on_phase(80 * kSecond, 1, ReplicaPhase::off);
  timeline.finish(100 * kSecond);
  const PoolUse use = timeline.use(0, timeline.range(0, 100 * kSecond));
  EXPECT_NEAR(use.ready, 1.25, 1e-12);     // 100 s + 25 s
  EXPECT_NEAR(use.existing, 1.60, 1e-12);  // 100 s + 60 s
  EXPECT_EQ(use.ready_least, 1);
  EXPECT_EQ(use.ready_most, 2);
  EXPECT_EQ(use.start_ups, 1);
  EXPECT_EQ(use.failures, 0);
  EXPECT_NEAR(use.busy, 25 / 130.0, 1e-9);  // of 100 s + 25 s ready + 5 s draining
  EXPECT_NEAR(use.kv_memory, 25 / 130.0 * 0.5, 1e-9);
  const Timeline t = timeline.summary();
  EXPECT_EQ(t.buckets.at(99).ready, 1);
  EXPECT_EQ(t.buckets.at(100).existing, 2);
  EXPECT_EQ(t.buckets.at(250).ready, 2);
  EXPECT_NEAR(t.buckets.at(260).busy, 0.5, 1e-9);
  EXPECT_NEAR(t.buckets.at(260).kv_share, 0.25, 1e-9);
}

TEST(RunTimeline, AFleetThatStaysIsReadyInEveryBucketTheEmptyLastOneToo) {
  Scenario scenario = one_pool();
  scenario.run.duration_seconds = 100;  // buckets of 0.2 s
  RunTimeline timeline(scenario);
  timeline.on_arrival(99 * kSecond);
  timeline.finish(100 * kSecond);
  const Timeline t = timeline.summary();
  ASSERT_EQ(t.buckets.size(), 501U);
  for (const Timeline::Bucket& bucket : t.buckets) {
    ASSERT_EQ(bucket.ready, 2);
    ASSERT_EQ(bucket.existing, 2);
  }
}

TEST(RunTimeline, AnEngineCrashAndAMachineThatGoesDownAreFailures) {
  const Scenario scenario = one_pool();
  RunTimeline timeline(scenario);
  timeline.on_phase(kSecond, 0, ReplicaPhase::process);
  timeline.on_phase(2 * kSecond, 0, ReplicaPhase::ready);
  timeline.on_phase(2 * kSecond, 1, ReplicaPhase::down);
  timeline.on_phase(4 * kSecond, 1, ReplicaPhase::ready);
  timeline.finish(10 * kSecond);
  const PoolUse use = timeline.use(0, timeline.range(0, 10 * kSecond));
  EXPECT_EQ(use.failures, 2);
  EXPECT_EQ(use.start_ups, 2);
  EXPECT_NEAR(use.ready, 1.7, 1e-12);
  EXPECT_EQ(use.ready_least, 1);
}

TEST(RunTimeline, ARunThatHasNoReplicaIsIdleAndHasNoShareOfNothing) {
  Scenario scenario = scaled_pool();
  RunTimeline timeline(scenario);
  timeline.on_phase(0, 0, ReplicaPhase::off);
  timeline.finish(10 * kSecond);
  const PoolUse use = timeline.use(0, timeline.range(0, 10 * kSecond));
  EXPECT_EQ(use.idle, 1);
  EXPECT_EQ(use.busy, 0);
  EXPECT_EQ(use.ready, 0);
  EXPECT_EQ(use.ready_most, 0);
  EXPECT_EQ(timeline.summary().buckets.at(0).busy, 0);
}

TEST(RunTimeline, RequestsThatLeaveWithoutAnAnswerAreCountedByTheirEnd) {
  const Scenario scenario = one_pool();
  RunTimeline timeline(scenario);
  for (int i = 0; i < 10; ++i) timeline.on_arrival(0);
  timeline.on_failure(kSecond, Outcome::timed_out);
  timeline.on_failure(kSecond, Outcome::timed_out);
  timeline.on_failure(kSecond, Outcome::hung_up);
  timeline.on_failure(kSecond, Outcome::rejected_overload);
  for (int i = 0; i < 3; ++i) timeline.on_failure(kSecond, Outcome::lost);
  for (int i = 0; i < 4; ++i) timeline.on_retry(kSecond);
  timeline.finish(2 * kSecond);
  Timeline::Bucket sum;
  for (const Timeline::Bucket& b : timeline.summary().buckets) {
    sum.rejections += b.rejections;
    sum.timeouts += b.timeouts;
    sum.hang_ups += b.hang_ups;
    sum.losses += b.losses;
    sum.retries += b.retries;
  }
  EXPECT_EQ(sum.rejections, 1);
  EXPECT_EQ(sum.timeouts, 2);
  EXPECT_EQ(sum.hang_ups, 1);
  EXPECT_EQ(sum.losses, 3);
  EXPECT_EQ(sum.retries, 4);
  // Ten for the first second, then three.
  EXPECT_NEAR(timeline.mean_in_system(timeline.range(0, 2 * kSecond)), 6.5, 1e-9);
}

TEST(RunTimeline, TheShortageIsTheShareOfReplicasOnTheirWayWhileRequestsWait) {
  const Scenario scenario = scaled_pool();
  RunTimeline timeline(scenario);
  timeline.on_phase(0, 1, ReplicaPhase::ordered);
  timeline.on_phase(0, 2, ReplicaPhase::provisioning);
  for (int i = 0; i < 4; ++i) timeline.on_arrival(0);
  timeline.on_phase(50 * kSecond, 1, ReplicaPhase::ready);
  timeline.on_phase(50 * kSecond, 2, ReplicaPhase::ready);
  timeline.on_phase(50 * kSecond, 0, ReplicaPhase::down);
  timeline.finish(100 * kSecond);
  const Shortage shortage = timeline.shortage(timeline.range(0, 100 * kSecond));
  EXPECT_NEAR(shortage.waiting, 1, 1e-9);         // no step at all
  EXPECT_NEAR(shortage.starting, 1 / 3.0, 1e-9);  // two of three, half of the time
  EXPECT_NEAR(shortage.down, 1 / 6.0, 1e-9);
}

}  // namespace
}  // namespace headway
