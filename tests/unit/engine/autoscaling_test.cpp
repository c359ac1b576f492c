// Autoscalers on a moving pool: what they measure, at which poll, and what comes of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runs.hpp"

namespace headway {
namespace {

using ::testing::IsEmpty;
using Metric = Autoscaler::Metric;
using enum ReplicaPhase;

/// An HPA with the documented poll, tolerance and downward window, and no limit of speed.
Autoscaler hpa(Metric metric, double target, std::int32_t max = 8) {
  Autoscaler settings;
  settings.max = max;
  settings.targets = {{metric, target}};
  settings.down.window_seconds = 300;
  return settings;
}

/// `count` requests, one every `gap_ms` from `from_ms` on.
std::vector<Logged> steady(int count, double gap_ms, double from_ms = 0, std::int32_t input = 1,
                           std::int32_t output = 1) {
  std::vector<Logged> requests;
  for (int i = 0; i < count; ++i) requests.push_back({from_ms + gap_ms * i, input, output});
  return requests;
}

/// When each number of replicas began, from what the run told of phases.
std::vector<std::pair<double, int>> course(const Recording& recording, int from) {
  std::vector<std::pair<double, int>> numbers;
  for (const PhaseChange& change : recording.phases) {
    if (change.phase == ready) ++from;
    if (change.phase == draining) --from;
    if (change.phase != ready && change.phase != draining) continue;
    const double seconds = to_seconds(change.at);
    if (!numbers.empty() && numbers.back().first == seconds) numbers.pop_back();
    numbers.emplace_back(seconds, from);
  }
  return numbers;
}
using Course = std::vector<std::pair<double, int>>;

Course course(const std::vector<Logged>& requests, Pool pool, const Autoscaler& settings) {
  pool.autoscaler = settings;
  return course(run(scenario_of(logged(requests), pool)), pool.replicas);
}

TEST(Autoscaling, OnConcurrencyCountsWaitingAndRunningRequests) {
  // A request a second that takes 10 s: at 15 s, 15 have come and one is done; 14 / 2 = 7. With 7
  // replicas from 15 s on, one each second is still too much for the old one's queue alone.
  const Course numbers = course(steady(30, 1000, 500), station(10), hpa(Metric::concurrency, 2, 7));
  ASSERT_FALSE(numbers.empty());
  EXPECT_EQ(numbers[0], std::make_pair(15.0, 7));
}

TEST(Autoscaling, OnQueueLengthCountsOnlyThoseThatWait) {
  // The same: 15 − 1 done − 1 in service = 13 wait; 13 / 5 = 2.6.
  const Course numbers = course(steady(30, 1000, 500), station(10), hpa(Metric::queue, 5, 3));
  ASSERT_FALSE(numbers.empty());
  EXPECT_EQ(numbers[0], std::make_pair(15.0, 3));
}

TEST(Autoscaling, OnRequestsPerSecondTakesTheRateOfTheLookBack) {
  Autoscaler settings = hpa(Metric::requests_per_second, 1.02);
  settings.look_back_seconds = 30;
  settings.down.window_seconds = 0;
  // 4 /s until 60 s, then 2 /s until 180 s. At 15 s, 61 have come; at 75 s the last 30 s have 90.
  std::vector<Logged> requests = steady(240, 250);
  for (const Logged& each : steady(240, 500, 60'000)) requests.push_back(each);
  EXPECT_EQ(course(requests, station(0.01), settings), (Course{{15, 4}, {75, 3}, {90, 2}}));
}

TEST(Autoscaling, OnTimeToFirstTokenTakesThePercentileOfTheLookBack) {
  Autoscaler settings = hpa(Metric::ttft, 1);
  settings.targets[0].percentile = 90;
  // Ten requests at once, 0.2 s each: 0.2, 0.4 … 2.0 s; the ninth is 1.8 s, and stays so for the
  // look-back of 60 s: 1.8 times 1, 2 and 4 replicas.
  std::vector<Logged> requests = steady(10, 0);
  requests.push_back({100'000});
  EXPECT_EQ(course(requests, station(0.2), settings), (Course{{15, 2}, {30, 4}, {45, 8}}));
  settings.targets[0].percentile = 40;  // 0.8 s: one is enough
  EXPECT_THAT(course(requests, station(0.2), settings), IsEmpty());
}

TEST(Autoscaling, OnTimePerTokenAndTokenRateSeeAnswersAlone) {
  // 100 tokens: a step of 11 ms each (10 ms and 1 ms a token) for a request that is alone.
  const std::vector<Logged> requests = steady(40, 2000, 100, 1, 100);
  EXPECT_EQ(course(requests, engine(), hpa(Metric::tpot, 0.005)),
            (Course{{15, 3}, {30, 7}, {45, 8}}));
  EXPECT_THAT(course(requests, engine(), hpa(Metric::tpot, 0.0105)), IsEmpty());
  // Answered after 1.1 s: seven until 15 s, 700 tokens in 15 s.
  const Course numbers = course(requests, engine(), hpa(Metric::tokens_per_second, 25));
  ASSERT_FALSE(numbers.empty());
  EXPECT_EQ(numbers[0], std::make_pair(15.0, 2));
}

TEST(Autoscaling, OnKvUseTakesTheMeanOverTheReplicas) {
  Pool pool = engine();
  pool.kv.blocks = 1000;
  pool.kv.prefix_caching = false;
  pool.step_time->seconds_per_token = 1e-5;
  // 20 requests of 480 tokens in and 1000 out at 14 s are read in 0.12 s, and have some 86 more
  // tokens at 15 s: 36 blocks each, 72 % of all.
  std::vector<Logged> requests = steady(20, 0, 14'000, 480, 1000);
  requests.insert(requests.begin(), {0});
  const Course numbers = course(requests, pool, hpa(Metric::kv_use, 0.31));
  ASSERT_FALSE(numbers.empty());
  EXPECT_EQ(numbers[0].first, 15);
  EXPECT_EQ(numbers[0].second, 3);
}

TEST(Autoscaling, OfRayServeAveragesOverTheLookBackAndWaits) {
  Autoscaler settings;
  settings.kind = Autoscaler::Kind::ray;
  settings.max = 9;
  settings.targets = {{Metric::concurrency, 2}};
  settings.poll_seconds = 10;
  settings.look_back_seconds = 30;
  settings.upscale_delay_seconds = 20;
  // One request at 10 s, and 13 at 20, 30 and 40 s, for they take long; means 7, 9 and 13. The
  // third poll in a row that wishes for more is that of 40 s: 13 / 2.
  std::vector<Logged> requests = steady(12, 0, 15'000);
  requests.insert(requests.begin(), {0});
  const Course numbers = course(requests, station(100), settings);
  ASSERT_FALSE(numbers.empty());
  EXPECT_EQ(numbers[0], std::make_pair(40.0, 7));
}

TEST(Autoscaling, PredictiveIsThereBeforeTheLoadIs) {
  Autoscaler settings;
  settings.kind = Autoscaler::Kind::predictive;
  settings.max = 9;
  settings.targets = {{Metric::requests_per_second, 1}};
  settings.poll_seconds = settings.look_back_seconds = 10;
  settings.history_seconds = 20;
  settings.horizon_seconds = 30;
  // 1, 2, 3 /s in tens of seconds: at 20 s the line says 2 + 0.1 · 30 = 5, at 30 s 6.
  std::vector<Logged> requests = steady(10, 1000);
  for (const Logged& each : steady(20, 490, 10'100)) requests.push_back(each);
  for (const Logged& each : steady(30, 330, 20'100)) requests.push_back(each);
  requests.push_back({30'500});
  const Course numbers = course(requests, station(0.01), settings);
  ASSERT_GE(numbers.size(), 2U);
  EXPECT_EQ(numbers[0], std::make_pair(20.0, 5));
  EXPECT_EQ(numbers[1], std::make_pair(30.0, 6));
}

TEST(Autoscaling, KedaSeesTheRateOfRequestsThatAreHeld) {
  Autoscaler settings;
  settings.kind = Autoscaler::Kind::keda;
  settings.min = 0;
  settings.max = 4;
  settings.targets = {{Metric::requests_per_second, 0.1}};
  settings.cool_down_seconds = 30;
  settings.look_back_seconds = 15;
  std::vector<Logged> requests{{0}};
  for (const Logged& each : steady(6, 1000, 217'500)) requests.push_back(each);
  requests.push_back({400'000});
  // It looks at 15 s, when the request of 0 s was the load, and at 45 s, when there is none: to
  // zero. At 225 s six have come within 15 s; one replica starts, and at 240 s, with six more
  // answered, the rate since 225 s is none.
  EXPECT_EQ(course(requests, station(1), settings),
            (Course{{45, 0}, {225, 1}, {255, 0}, {405, 1}}));
}

TEST(Autoscaling, TheScheduleIsFollowedWithoutLoad) {
  Autoscaler settings = hpa(Metric::queue, 5);
  settings.down.window_seconds = 0;
  settings.schedule = {{0, 1}, {100, 3}, {200, 2}};
  settings.schedule_period_seconds = 300;
  EXPECT_EQ(course({{0}, {640'000}}, station(1), settings),
            (Course{{105, 3}, {210, 2}, {300, 1}, {405, 3}, {510, 2}, {600, 1}}));
}

/// Mean seconds from arrival to answer of requests of 1 s whose rate grows from 1 to 8 a second in
/// ten minutes, where a replica takes 100 s to start.
double mean_time_on_a_ramp(const Autoscaler& settings) {
  std::vector<Logged> requests;
  for (int rate = 1; rate <= 8; ++rate)
    for (int i = 0; i < 75 * rate; ++i)
      requests.push_back({75'000.0 * (rate - 1) + 1000.0 * i / rate});
  Pool pool = station(1);
  pool.service.servers = 4;
  pool.autoscaler = settings;
  pool.cold_start.emplace().provision.emplace().a = 100;
  const Recording recording = run(scenario_of(logged(requests), pool));
  double sum = 0;
  for (const RequestRecord& record : recording.departed)
    sum += to_seconds(record.finished - record.scheduled);
  return sum / static_cast<double>(recording.departed.size());
}

TEST(Autoscaling, AheadOfARampAForecastSparesTheWaitThatFollowingItCosts) {
  Autoscaler follows = hpa(Metric::requests_per_second, 3);
  follows.look_back_seconds = 60;
  Autoscaler forecasts = follows;
  forecasts.kind = Autoscaler::Kind::predictive;
  forecasts.horizon_seconds = 150;
  forecasts.history_seconds = 300;
  const double late = mean_time_on_a_ramp(follows), early = mean_time_on_a_ramp(forecasts);
  // Service alone takes 1 s.
  EXPECT_GT(late - 1, 5 * (early - 1)) << late << " s and " << early << " s";
  EXPECT_LT(early, 1.5);
}

TEST(Autoscaling, OnKvUseNeverFiresUnderPrefillOverloadAndOnQueueLengthDoes) {
  // llm-d-autoscaling#662 in small: long prompts, two tokens out, more than one replica reads.
  Pool pool = engine();
  pool.step_time = LinearStepCost{.base_seconds = 0.005, .seconds_per_token = 25e-6};  // 6.6 /s
  pool.kv.blocks = 23'500;  // 20 prompts of 6,000 tokens are 32 %
  pool.batching.max_num_seqs = 20;
  pool.batching.max_num_batched_tokens = 65'000;
  const std::vector<Logged> requests = steady(8 * 240, 125, 0, 6000, 2);
  EXPECT_THAT(course(requests, pool, hpa(Metric::kv_use, 0.7)), IsEmpty());
  const Course numbers = course(requests, pool, hpa(Metric::queue, 10));
  ASSERT_FALSE(numbers.empty());
  EXPECT_LE(numbers[0].first, 30);
  EXPECT_GE(numbers[0].second, 2);
}

}  // namespace
}  // namespace headway
