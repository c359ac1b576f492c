#include "sim/metrics/recorder.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/metrics/single_server_queue.hpp"

namespace headway {
namespace {

constexpr Time kSecond = 1'000'000'000'000;

Scenario trace_scenario() {
  Scenario s;
  s.name = "replay";
  WorkloadClass c;
  c.name = "chat";
  c.arrivals.kind = Arrivals::Kind::trace;
  c.slo = Slo{};
  c.slo->ttft_seconds = 1;
  c.slo->tpot_seconds = 0.1;
  c.slo->percentile = 70;
  s.workload.push_back(c);
  Pool pool;
  pool.name = "main";
  pool.replicas = 2;
  pool.gpus_per_replica = 4;
  pool.usd_per_gpu_hour = 3;
  pool.kv.blocks = 100;
  pool.batching.max_num_seqs = 8;
  s.fleet.push_back(pool);
  return s;
}

/// A request scheduled at `at` seconds, sent `late` later, with its first token `ttft` after the
/// schedule and then a token every 50 ms.
RequestRecord request(double at, double late, double ttft, int output) {
  const auto t = [](double seconds) { return static_cast<Time>(std::llround(seconds * 1e12)); };
  RequestRecord r;
  r.scheduled = t(at);
  r.sent = r.queued = t(at + late);
  r.started = t(at + late) + kSecond / 10;
  r.first_token = t(at + ttft);
  r.finished = t(at + ttft + 0.05 * (output - 1));
  r.input_tokens = 100;
  r.output_tokens = output;
  return r;
}

TEST(Recorder, AReplayIsReportedWholeAndWithoutIntervals) {
  const Scenario scenario = trace_scenario();
  Recorder recorder(scenario);
  for (int i = 0; i < 4; ++i) recorder.on_arrival(i * kSecond, 0);
  const RequestRecord records[] = {request(0, 0, 0.5, 11), request(1, 0.25, 0.75, 21),
                                   request(2, 0, 1.5, 1)};
  // They end after 1.0 s, 2.75 s and 3.5 s.
  for (const RequestRecord& r : records) recorder.on_departure(r.finished + kSecond, r);
  RequestRecord refused;
  refused.scheduled = refused.sent = 3 * kSecond;
  refused.finished = 5 * kSecond;
  refused.outcome = Outcome::rejected_kv_capacity;
  recorder.on_departure(5 * kSecond, refused);
  RunTotals totals;
  totals.end = 5 * kSecond;
  totals.load_end = 4 * kSecond;
  totals.arrived = 4;
  totals.completed = 3;
  totals.rejected = 1;
  totals.input_tokens = 300;
  totals.output_tokens = 33;
  totals.number_in_system_integral = 10 * static_cast<__int128>(kSecond);
  const Summary s = recorder.summarise(scenario, totals);

  EXPECT_EQ(s.scenario, "replay");
  EXPECT_EQ(s.stability.verdict, Verdict::finite);
  EXPECT_EQ(s.interval_note, "single trace, no interval");
  EXPECT_EQ(s.warm_up.how, WarmUp::How::none);
  EXPECT_EQ(s.latencies.e2e.count, 3);
  EXPECT_FALSE(s.latencies.e2e.mean.converged);
  EXPECT_NEAR(s.latencies.ttft.mean.value, (0.5 + 0.75 + 1.5) / 3, 1e-12);
  EXPECT_NEAR(s.latencies.e2e.mean.value, (1.0 + 1.75 + 1.5) / 3, 1e-12);
  EXPECT_NEAR(s.latencies.e2e.p50.value, 1.5, 1e-12);
  EXPECT_NEAR(s.latencies.e2e.p90.value, 1.7, 1e-12);  // numpy.percentile([1, 1.5, 1.75], 90)
  EXPECT_NEAR(s.latencies.e2e.max, 1.75, 1e-12);
  EXPECT_EQ(s.latencies.tpot.count, 2);
  EXPECT_NEAR(s.latencies.tpot.mean.value, 0.05, 1e-12);
  EXPECT_NEAR(s.latencies.queue.mean.value, 0.1, 1e-12);
  EXPECT_NEAR(s.latencies.client_delay.max, 0.25, 1e-12);
  EXPECT_NEAR(s.latencies.ttft_from_sent.mean.value, (0.5 + 0.5 + 1.5) / 3, 1e-12);
  EXPECT_NEAR(s.latencies.e2e_from_sent.mean.value, (1.0 + 1.5 + 1.5) / 3, 1e-12);

  EXPECT_NEAR(s.offered_per_second, 1, 1e-12);     // 4 in 4 s
  EXPECT_NEAR(s.achieved_per_second, 0.6, 1e-12);  // 3 in 5 s
  EXPECT_NEAR(s.output_tokens_per_second, 6.6, 1e-12);
  EXPECT_NEAR(s.total_tokens_per_second, 66.6, 1e-12);
  EXPECT_NEAR(s.goodput_per_second, 0.4, 1e-12);  // the third has a TTFT of 1.5 s
  EXPECT_NEAR(s.good_share, 0.5, 1e-12);          // 2 of 4: a rejected request is not good
  EXPECT_FALSE(s.slo_held);                       // 70 % were promised
  EXPECT_EQ(s.counts.rejected_by_reason[static_cast<int>(Outcome::rejected_kv_capacity)], 1);
  EXPECT_NEAR(s.number_in_system, 2, 1e-12);
  EXPECT_NEAR(s.drain_seconds, 1, 1e-12);

  EXPECT_EQ(s.cost.gpus, 8);
  EXPECT_NEAR(s.cost.usd_per_hour, 24, 1e-12);
  EXPECT_NEAR(s.cost.usd, 24 * 5 / 3600.0, 1e-12);
  EXPECT_NEAR(s.cost.usd_per_request.value(), 8 * 5 / 3600.0, 1e-12);
  EXPECT_NEAR(s.cost.usd_per_million_output_tokens.value(), 24 * 5 / 3600.0 / 33 * 1e6, 1e-6);
}

TEST(Recorder, WhatTimesOutIsLostOrRejectedIsNotGoodAndHangUpsAreLeftOut) {
  const Scenario scenario = trace_scenario();
  Recorder recorder(scenario);
  for (int i = 0; i < 10; ++i) recorder.on_arrival(0, 0);
  recorder.on_retry(kSecond / 2, 0, Outcome::lost);
  recorder.on_retry(kSecond / 2, 0, Outcome::rejected_queue_full);
  for (int i = 0; i < 4; ++i) {
    RequestRecord answered = request(0, 0, 0.5, 11);
    answered.escalations = i == 0 ? 2 : 0;
    recorder.on_departure(2 * kSecond, answered);
  }
  RequestRecord failed = request(0, 0, 0.5, 11);
  for (const Outcome outcome : {Outcome::timed_out, Outcome::timed_out, Outcome::lost,
                                Outcome::rejected_overload, Outcome::hung_up}) {
    failed.outcome = outcome;
    recorder.on_departure(3 * kSecond, failed);
  }
  RunTotals totals;
  totals.end = 5 * kSecond;
  totals.arrived = 10;
  totals.completed = 4;
  totals.rejected = totals.lost = totals.hung_up = totals.in_flight = 1;
  totals.timed_out = 2;
  totals.retries = totals.escalations = 2;
  const Summary s = recorder.summarise(scenario, totals);
  EXPECT_NEAR(s.good_share, 0.5, 1e-12);  // 4 of 8: all but the hang-up and the one in flight
  EXPECT_NEAR(s.classes.at(0).slo.good_share, 0.5, 1e-12);
  EXPECT_EQ(s.counts.timed_out, 2);
  EXPECT_EQ(s.counts.hung_up, 1);
  EXPECT_EQ(s.counts.lost, 1);
  EXPECT_EQ(s.counts.rejected_by_reason[static_cast<int>(Outcome::rejected_overload)], 1);
  EXPECT_EQ(s.counts.rejected_by_reason[static_cast<int>(Outcome::timed_out)], 0);
  const ClassSummary& c = s.classes.at(0);
  EXPECT_EQ(c.arrived, c.completed + c.rejected + c.timed_out + c.hung_up + c.lost + 1);
  EXPECT_EQ(c.retries, 2);
  EXPECT_EQ(c.escalations, 2);
  EXPECT_EQ(s.latencies.e2e.count, 4);
}

/// "main" of two replicas, numbers 0 and 1, and "canary" of one, number 2.
Scenario canary_scenario() {
  Scenario scenario = trace_scenario();
  scenario.fleet.push_back(scenario.fleet[0]);
  scenario.fleet[1].name = "canary";
  scenario.fleet[1].replicas = 1;
  return scenario;
}

RequestRecord at_replica(std::uint32_t replica, RequestRecord record,
                         Outcome outcome = Outcome::completed) {
  record.replica = replica;
  record.outcome = outcome;
  return record;
}

TEST(Recorder, APoolOfSeveralHasTheLatenciesOfTheRequestsThatItAnswered) {
  const Scenario scenario = canary_scenario();
  Recorder recorder(scenario);
  for (int i = 0; i < 4; ++i) recorder.on_arrival(0, 0);
  // TTFT 0.2, 0.4 and 0.6 s before 50 ms a token; the canary's 1.5 s is not good.
  const RequestRecord records[] = {
      at_replica(0, request(0, 0, 0.2, 11)), at_replica(1, request(0, 0, 0.4, 21)),
      at_replica(0, request(0, 0, 0.6, 1)), at_replica(2, request(0, 0, 1.5, 11))};
  for (const RequestRecord& r : records) recorder.on_departure(4 * kSecond, r);
  RunTotals totals;
  totals.end = 4 * kSecond;
  totals.arrived = totals.completed = 4;
  const Summary s = recorder.summarise(scenario, totals);
  const PoolRequests& main = s.pools.at(0).requests.value();
  EXPECT_EQ(main.completed, 3);
  EXPECT_EQ(main.ttft.count, 3);
  EXPECT_NEAR(main.ttft.mean.value, 0.4, 1e-12);
  EXPECT_NEAR(main.ttft.p50.value, 0.4, 1e-12);
  EXPECT_NEAR(main.ttft.p99.value, 0.4 + 0.98 * 0.2, 1e-12);
  EXPECT_EQ(main.tpot.count, 2);
  EXPECT_NEAR(main.tpot.mean.value, 0.05, 1e-12);
  EXPECT_NEAR(main.e2e.mean.value, (0.7 + 1.4 + 0.6) / 3, 1e-12);
  EXPECT_NEAR(main.achieved_per_second, 0.75, 1e-12);
  EXPECT_EQ(main.good_share, 1);
  const PoolRequests& canary = s.pools.at(1).requests.value();
  EXPECT_EQ(canary.completed, 1);
  EXPECT_NEAR(canary.ttft.mean.value, 1.5, 1e-12);
  EXPECT_NEAR(canary.e2e.p99.value, 2, 1e-12);
  EXPECT_EQ(canary.goodput_per_second, 0);
  EXPECT_EQ(canary.good_share, 0);
}

TEST(Recorder, APoolAnswersForWhatItRefusedOrLostAndNotForWhatNeverCameToIt) {
  const Scenario scenario = canary_scenario();
  Recorder recorder(scenario);
  for (int i = 0; i < 8; ++i) recorder.on_arrival(0, 0);
  const RequestRecord answered = request(0, 0, 0.5, 11);
  RequestRecord never_queued = answered;
  never_queued.queued = never_queued.started = never_queued.first_token = kNever;
  recorder.on_departure(2 * kSecond, at_replica(0, answered));
  recorder.on_departure(2 * kSecond, at_replica(2, answered));
  recorder.on_departure(2 * kSecond, at_replica(2, answered));
  for (const Outcome outcome : {Outcome::timed_out, Outcome::lost, Outcome::hung_up})
    recorder.on_departure(3 * kSecond, at_replica(2, answered, outcome));
  for (const Outcome outcome : {Outcome::rejected_queue_full, Outcome::rejected_rate_limit})
    recorder.on_departure(3 * kSecond, at_replica(2, never_queued, outcome));
  RunTotals totals;
  totals.end = 4 * kSecond;
  totals.arrived = 8;
  totals.completed = 3;
  const Summary s = recorder.summarise(scenario, totals);
  const PoolRequests& canary = s.pools.at(1).requests.value();
  EXPECT_EQ(canary.completed, 2);
  EXPECT_EQ(canary.rejected, 1);  // the rate limit stands before every pool
  EXPECT_EQ(canary.timed_out, 1);
  EXPECT_EQ(canary.lost, 1);
  EXPECT_EQ(canary.hung_up, 1);
  EXPECT_NEAR(canary.good_share.value(), 0.4, 1e-12);  // 2 of 5: the hang-up is left out
  EXPECT_EQ(s.pools.at(0).requests->rejected, 0);
  EXPECT_EQ(s.pools.at(0).requests->good_share, 1);
}

TEST(Recorder, APoolThatNoRequestMetHasNoGoodShare) {
  const Scenario scenario = canary_scenario();
  Recorder recorder(scenario);
  EXPECT_FALSE(recorder.summarise(scenario, RunTotals{}).pools.at(1).requests->good_share);
}

TEST(Recorder, AFleetOfOnePoolHasItsLatenciesOnce) {
  const Scenario scenario = trace_scenario();
  Recorder recorder(scenario);
  EXPECT_FALSE(recorder.summarise(scenario, RunTotals{}).pools.at(0).requests.has_value());
}

// Two stations: the queue of the first grows without end, and nothing is known of the whole.
TEST(Recorder, AnUnstableFleetHasNoFiniteWaitByPoolEither) {
  const SingleServerQueue queue{1.5, 20'000, 3};
  Scenario scenario = queue.scenario();
  scenario.fleet.push_back(scenario.fleet[0]);
  Recorder recorder(scenario);
  const RunTotals totals = queue.run(recorder);
  const Summary s = recorder.summarise(scenario, totals);
  ASSERT_EQ(s.stability.verdict, Verdict::unstable);
  const PoolRequests& first = s.pools.at(0).requests.value();
  EXPECT_TRUE(first.ttft.unstable);
  EXPECT_TRUE(first.e2e.unstable);
  EXPECT_EQ(first.e2e.mean.value, 0);
  EXPECT_EQ(s.pools.at(1).requests->completed, 0);
}

TEST(Recorder, ARunOfNothingHasZerosAndNoFigures) {
  const Scenario scenario = trace_scenario();
  Recorder recorder(scenario);
  const Summary s = recorder.summarise(scenario, RunTotals{});
  EXPECT_EQ(s.latencies.ttft.count, 0);
  EXPECT_EQ(s.offered_per_second, 0);
  EXPECT_EQ(s.good_share, 0);
  EXPECT_FALSE(s.cost.usd_per_request.has_value());
  EXPECT_EQ(s.timeline.buckets.size(), 1U);
}

TEST(Recorder, AnMM1QueueAtEightyPerCentIsMeasuredWithinItsInterval) {
  const SingleServerQueue queue{0.8, 2'000'000, 5};
  const Scenario scenario = queue.scenario();
  Recorder recorder(scenario);
  const RunTotals totals = queue.run(recorder);
  const Summary s = recorder.summarise(scenario, totals);
  ASSERT_EQ(s.stability.verdict, Verdict::stable);
  // Sojourn 1 / (1 − 0.8), exponential; queue 0.8 · 5; number in system 0.8 / 0.2.
  const Figures& e2e = s.latencies.e2e;
  EXPECT_NEAR(e2e.mean.value, 5, 0.1);
  EXPECT_NEAR(e2e.mean.value, 5, 1.5 * e2e.mean.half_width.value());
  EXPECT_NEAR(e2e.p99.value, 5 * std::log(100), 1.5 * e2e.p99.half_width.value());
  EXPECT_FALSE(e2e.exact);
  EXPECT_NEAR(s.latencies.queue.mean.value, 4, 0.1);
  EXPECT_NEAR(s.number_in_system, 4, 0.1);
  EXPECT_NEAR(s.pools.at(0).busy, 0.8, 0.01);
  EXPECT_NEAR(s.achieved_per_second, 0.8, 0.01);
  EXPECT_EQ(s.bottleneck.resource, "servers");
}

TEST(Recorder, ADeterministicQueueIsExact) {
  SingleServerQueue queue{0.5, 10'000, 1, true};
  const Scenario scenario = queue.scenario();
  Recorder recorder(scenario);
  const RunTotals totals = queue.run(recorder);
  const Summary s = recorder.summarise(scenario, totals);
  EXPECT_EQ(s.stability.verdict, Verdict::stable);
  EXPECT_EQ(s.latencies.e2e.mean.value, 1);
  EXPECT_EQ(s.latencies.e2e.mean.half_width, 0.0);
  EXPECT_EQ(s.latencies.e2e.p99_9.value, 1);
  EXPECT_EQ(s.latencies.queue.max, 0);
}

TEST(Recorder, AFixedWarmUpIsCutAsTold) {
  SingleServerQueue queue{0.5, 1'000, 1, true};  // an arrival every 2 s, an answer 1 s later
  Scenario scenario = queue.scenario();
  scenario.run.warm_up_auto = false;
  scenario.run.warm_up_seconds = 200;
  Recorder recorder(scenario);
  const RunTotals totals = queue.run(recorder);
  const Summary s = recorder.summarise(scenario, totals);
  EXPECT_EQ(s.warm_up.how, WarmUp::How::fixed);
  EXPECT_EQ(s.warm_up.seconds, 200);
  EXPECT_EQ(s.warm_up.requests, 99);       // answers at 3, 5 … 199 s
  EXPECT_EQ(s.warm_up.drain_requests, 1);  // the last arrival is answered after the load
  EXPECT_EQ(s.latencies.e2e.count, 900);
  EXPECT_EQ(s.measured_seconds, 1'800);
  EXPECT_EQ(s.achieved_per_second, 0.5);
}

TEST(Recorder, AClientsCapKeepsTheFiguresFromSendingFinite) {
  // 100 requests a second are scheduled, one is in flight at a time, each takes 20 ms.
  Scenario scenario = SingleServerQueue{100, 2'000}.scenario();
  scenario.workload[0].max_concurrency = 1;
  Recorder recorder(scenario);
  RunTotals totals;
  std::vector<RequestRecord> records;
  for (int i = 1; i <= 2'000; ++i) {
    RequestRecord r;
    r.scheduled = i * kSecond / 100;
    r.sent = r.queued = r.started = (2 * i - 1) * kSecond / 100;
    r.first_token = r.finished = (2 * i + 1) * kSecond / 100;
    r.output_tokens = 1;
    records.push_back(r);
  }
  std::size_t next = 0;
  const auto depart_until = [&](Time now) {
    for (; next < records.size() && records[next].finished <= now; ++next) {
      StepSpan span;
      span.start = records[next].started;
      span.end = records[next].finished;
      span.slots = span.prefill_sequences = 1;
      recorder.on_steps(span);
      recorder.on_departure(records[next].finished, records[next]);
    }
  };
  for (const RequestRecord& r : records) {
    depart_until(r.scheduled);
    recorder.on_arrival(r.scheduled, 0);
  }
  depart_until(kNever);
  totals.load_end = records.back().scheduled;
  totals.end = records.back().finished;
  totals.arrived = totals.completed = 2'000;
  const Summary s = recorder.summarise(scenario, totals);
  EXPECT_EQ(s.stability.verdict, Verdict::unstable);
  EXPECT_NEAR(s.stability.growth_per_second, 50, 1);
  EXPECT_TRUE(s.latencies.e2e.unstable);
  EXPECT_TRUE(s.latencies.client_delay.unstable);
  EXPECT_FALSE(s.latencies.e2e_from_sent.unstable);
  EXPECT_NEAR(s.latencies.e2e_from_sent.mean.value, 0.02, 1e-9);
  EXPECT_NEAR(s.achieved_per_second, 50, 0.5);
}

TEST(Recorder, TheSameEventsGiveTheSameSummary) {
  const SingleServerQueue queue{0.8, 50'000, 9};
  const Scenario scenario = queue.scenario();
  Recorder first(scenario), second(scenario);
  const RunTotals totals = queue.run(first);
  queue.run(second);
  const Summary a = first.summarise(scenario, totals), b = second.summarise(scenario, totals);
  EXPECT_EQ(a.latencies.e2e.p99.value, b.latencies.e2e.p99.value);
  EXPECT_EQ(a.latencies.e2e.mean.half_width, b.latencies.e2e.mean.half_width);
  EXPECT_EQ(a.number_in_system, b.number_in_system);
}

}  // namespace
}  // namespace headway
