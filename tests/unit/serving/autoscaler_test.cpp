// How many replicas an autoscaler asks for: the worked examples of the products' documentation.
#include "sim/serving/autoscaler.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headway {
namespace {

using Metric = Autoscaler::Metric;

constexpr Time kSecond = 1'000'000'000'000;

Autoscaler settings(Autoscaler::Kind kind, Metric metric, double target, std::int32_t max = 100) {
  Autoscaler made;
  made.kind = kind;
  made.max = max;
  made.targets = {{metric, target}};
  return made;
}

Autoscaler hpa(Metric metric, double target, std::int32_t max = 100) {
  return settings(Autoscaler::Kind::hpa, metric, target, max);
}

/// A pool that has started, whose first target measures `value`.
PoolObservation seen(double seconds, std::int32_t ready, std::optional<double> value) {
  PoolObservation made;
  made.now = to_picoseconds(seconds);
  made.wanted = made.ready = ready;
  made.values = {value};
  return made;
}

/// The number after each poll, 15 s apart, of a pool whose replicas start at once and that is asked
/// for `wish` replicas: as many requests for a target of one each.
std::vector<std::int32_t> course(ScalingPolicy& policy, std::int32_t from, double wish, int polls,
                                 double first_seconds = 0) {
  std::vector<std::int32_t> numbers;
  for (int i = 0; i < polls; ++i) {
    from = policy.wanted(seen(first_seconds + 15 * i, from, wish));
    numbers.push_back(from);
  }
  return numbers;
}

TEST(HorizontalPodAutoscaler, TwiceTheTargetDoublesAndHalfOfItHalves) {
  // "If the current metric value is 200m, and the desired value is 100m, the number of replicas
  // will be doubled, since 200.0 ÷ 100.0 = 2.0 …  If the current value is instead 50m, you'll halve
  // the number of replicas."
  const Autoscaler target = hpa(Metric::concurrency, 100);
  EXPECT_EQ(make_scaling_policy(target)->wanted(seen(0, 4, 4 * 200)), 8);
  EXPECT_EQ(make_scaling_policy(target)->wanted(seen(0, 4, 4 * 50)), 2);
  EXPECT_EQ(make_scaling_policy(target)->wanted(seen(0, 3, 3 * 150)), 5);  // ceil(4.5)
}

TEST(HorizontalPodAutoscaler, ARatioWithinATenthOfOneChangesNothing) {
  const Autoscaler target = hpa(Metric::concurrency, 100);
  EXPECT_EQ(make_scaling_policy(target)->wanted(seen(0, 20, 20 * 110)), 20);
  EXPECT_EQ(make_scaling_policy(target)->wanted(seen(0, 20, 20 * 90)), 20);
  EXPECT_EQ(make_scaling_policy(target)->wanted(seen(0, 20, 20 * 111)), 23);  // ceil(22.2)
  EXPECT_EQ(make_scaling_policy(target)->wanted(seen(0, 20, 20 * 89)), 18);   // ceil(17.8)
}

TEST(HorizontalPodAutoscaler, ReplicasThatStartAreTakenAsIdleOnTheWayUpAndOnTargetOnTheWayDown) {
  const Autoscaler target = hpa(Metric::concurrency, 100);
  PoolObservation pool = seen(0, 2, 2 * 300);
  pool.starting = 1;
  pool.wanted = 3;
  EXPECT_EQ(make_scaling_policy(target)->wanted(pool), 6);  // 600 / 3 / 100 = 2: twice 3
  pool.starting = 4;
  pool.wanted = 6;
  EXPECT_EQ(make_scaling_policy(target)->wanted(pool), 6);  // 600 / 6 = 100: on target
  pool.starting = 8;
  pool.wanted = 10;
  EXPECT_EQ(make_scaling_policy(target)->wanted(pool), 10);  // 60: turned round, nothing happens
  pool.values = {2 * 20.0};
  pool.starting = 2;
  pool.wanted = 4;
  EXPECT_EQ(make_scaling_policy(target)->wanted(pool), 3);  // (40 + 2·100) / 4 = 60: 2.4
}

TEST(HorizontalPodAutoscaler, OfSeveralTargetsTheLargestWishCounts) {
  Autoscaler targets = hpa(Metric::concurrency, 10);
  targets.targets.push_back({Metric::ttft, 0.5, 95});
  PoolObservation pool = seen(0, 4, 4 * 15);
  pool.values = {4 * 15.0, 1.0};
  EXPECT_EQ(make_scaling_policy(targets)->wanted(pool), 8);  // 1.0 / 0.5 · 4, not 1.5 · 4
  pool.values = {4 * 30.0, 1.0};
  EXPECT_EQ(make_scaling_policy(targets)->wanted(pool), 12);
}

TEST(HorizontalPodAutoscaler, ATargetWithoutAMetricBlocksTheWayDownAndNotTheWayUp) {
  Autoscaler targets = hpa(Metric::concurrency, 10);
  targets.targets.push_back({Metric::ttft, 0.5, 95});
  PoolObservation pool = seen(0, 4, 0);
  pool.values = {4 * 5.0, std::nullopt};
  EXPECT_EQ(make_scaling_policy(targets)->wanted(pool), 4);
  pool.values = {4 * 15.0, std::nullopt};
  EXPECT_EQ(make_scaling_policy(targets)->wanted(pool), 6);
  pool.values = {std::nullopt, std::nullopt};
  EXPECT_EQ(make_scaling_policy(targets)->wanted(pool), 4);
}

TEST(HorizontalPodAutoscaler, OutsideItsLimitsGoesBackWithinThemAtOnce) {
  Autoscaler target = hpa(Metric::concurrency, 10, 8);
  target.min = 2;
  target.down.window_seconds = 300;
  EXPECT_EQ(make_scaling_policy(target)->wanted(seen(0, 1, 0)), 2);
  EXPECT_EQ(make_scaling_policy(target)->wanted(seen(0, 12, 0)), 8);
  EXPECT_EQ(make_scaling_policy(target)->wanted(seen(0, 8, 8000)), 8);
}

TEST(HorizontalPodAutoscaler, GrowsByFourOrDoublesInEveryFifteenSeconds) {
  // The documented default: the larger of 4 pods and 100 % in 15 s.
  Autoscaler target = hpa(Metric::concurrency, 1);
  target.up.policies = {{4, 0, 15}, {0, 1, 15}};
  EXPECT_EQ(course(*make_scaling_policy(target), 1, 100, 6),
            (std::vector<std::int32_t>{5, 10, 20, 40, 80, 100}));
}

TEST(HorizontalPodAutoscaler, FallsByTenPerCentAndThenByFourAMinute) {
  // "If there are 80 replicas and the target has to be scaled down to 10 replicas then during the
  // first step 8 replicas will be reduced. In the next iteration when the number of replicas is 72,
  // 10% of the pods is 7.2 but the number is rounded up to 8." Below 40 it is 4 at a time.
  Autoscaler target = hpa(Metric::concurrency, 1);
  target.down.policies = {{4, 0, 60}, {0, 0.1, 60}};
  const auto policy = make_scaling_policy(target);
  std::vector<std::int32_t> numbers{80};
  for (int minute = 0; minute < 12; ++minute)
    numbers.push_back(policy->wanted(seen(60 * minute, numbers.back(), 10)));
  EXPECT_EQ(numbers,
            (std::vector<std::int32_t>{80, 72, 64, 57, 51, 45, 40, 36, 32, 28, 24, 20, 16}));
}

TEST(HorizontalPodAutoscaler, WithinAPeriodOnlyTheRestOfItsChangeIsLeft) {
  Autoscaler target = hpa(Metric::concurrency, 1);
  target.up.policies = {{3, 0, 60}};
  EXPECT_EQ(course(*make_scaling_policy(target), 1, 50, 6),
            (std::vector<std::int32_t>{4, 4, 4, 4, 7, 7}));
  target.up.policies.push_back({0, 0.5, 60});  // 1.5 → 2, 6, 9: the smaller of the two
  target.up.select_largest = false;
  EXPECT_EQ(course(*make_scaling_policy(target), 1, 50, 9),
            (std::vector<std::int32_t>{2, 2, 2, 2, 3, 3, 3, 3, 5}));
}

TEST(HorizontalPodAutoscaler, FallsOnlyToTheLargestWishOfItsWindow) {
  Autoscaler target = hpa(Metric::concurrency, 1);
  target.down.window_seconds = 60;
  const auto policy = make_scaling_policy(target);
  EXPECT_EQ(course(*policy, 10, 10, 1), (std::vector<std::int32_t>{10}));
  EXPECT_EQ(course(*policy, 10, 6, 1, 15), (std::vector<std::int32_t>{10}));
  // At 60 s the wish for 10 is out of the window, and that for 6 is its largest.
  EXPECT_EQ(course(*policy, 10, 2, 4, 30), (std::vector<std::int32_t>{10, 10, 6, 2}));
}

TEST(HorizontalPodAutoscaler, RisesOnlyToTheLeastWishOfItsWindow) {
  Autoscaler target = hpa(Metric::concurrency, 1);
  target.up.window_seconds = 30;
  const auto policy = make_scaling_policy(target);
  EXPECT_EQ(course(*policy, 2, 2, 1), (std::vector<std::int32_t>{2}));
  EXPECT_EQ(course(*policy, 2, 9, 3, 15), (std::vector<std::int32_t>{2, 9, 9}));
}

TEST(HorizontalPodAutoscaler, ADirectionThatIsDisabledIsNeverTaken) {
  Autoscaler target = hpa(Metric::concurrency, 1);
  target.down.disabled = true;
  EXPECT_EQ(course(*make_scaling_policy(target), 5, 1, 3), (std::vector<std::int32_t>{5, 5, 5}));
}

TEST(HorizontalPodAutoscaler, OnKvUseNeverSeesAPrefillOverloadAndOnQueueLengthDoes) {
  // llm-d-autoscaling#662: 20 run, the queue grows without bound, and KV use stays at 32 %.
  const Autoscaler kv = hpa(Metric::kv_use, 0.7), queue = hpa(Metric::queue, 10);
  const auto blind = make_scaling_policy(kv), seeing = make_scaling_policy(queue);
  for (int poll = 0; poll < 200; ++poll) {
    EXPECT_EQ(blind->wanted(seen(15 * poll, 1, 0.32)), 1);
    // Two requests a second more than one replica serves.
    const std::int32_t number = seeing->wanted(seen(15 * poll, 1, 30.0 * poll));
    EXPECT_EQ(number, poll == 0 ? 1 : std::min(100, 3 * poll));
  }
}

Autoscaler keda(Metric metric, double target) {
  Autoscaler made = settings(Autoscaler::Kind::keda, metric, target);
  made.min = 0;
  return made;
}

TEST(Keda, StartsOneReplicaFromZeroAtItsNextPollAndThenScalesByTheTotal) {
  const Autoscaler target = keda(Metric::queue, 5);
  const auto policy = make_scaling_policy(target);
  PoolObservation pool = seen(0, 0, std::nullopt);
  EXPECT_EQ(policy->wanted(pool), 0);
  pool.now = 15 * kSecond;
  pool.held = 12;  // between two looks, 30 s apart
  EXPECT_EQ(policy->wanted(pool), 0);
  pool.now = 30 * kSecond;
  EXPECT_EQ(policy->wanted(pool), 1);
  pool.now = 45 * kSecond;
  pool.wanted = pool.starting = 1;
  EXPECT_EQ(policy->wanted(pool), 3);  // ceil(12 / 5)
}

TEST(Keda, ThresholdOfActivationRulesOverThatOfScaling) {
  // "If threshold: 10 and activationThreshold: 50, in case of 40 messages the scaler is not active
  // and it'll be scaled to zero even the HPA requires 4 instances."
  Autoscaler target = keda(Metric::queue, 10);
  target.targets[0].activation = 50;
  target.cool_down_seconds = 60;
  const auto policy = make_scaling_policy(target);
  EXPECT_EQ(policy->wanted(seen(0, 2, 40)), 4);
  EXPECT_EQ(policy->wanted(seen(30, 4, 40)), 4);
  EXPECT_EQ(policy->wanted(seen(60, 4, 40)), 0);
  PoolObservation pool = seen(90, 0, std::nullopt);
  pool.held = 50;
  EXPECT_EQ(policy->wanted(pool), 0);
  pool.now = 120 * kSecond;
  pool.held = 51;
  EXPECT_EQ(policy->wanted(pool), 1);
}

TEST(Keda, GoesToZeroOnceNothingHasComeForTheCoolDown) {
  Autoscaler target = keda(Metric::concurrency, 10);
  target.down.window_seconds = 300;
  const auto policy = make_scaling_policy(target);
  EXPECT_EQ(policy->wanted(seen(0, 2, 20)), 2);
  EXPECT_EQ(policy->wanted(seen(30, 2, 1)), 2);  // the window holds 2; active for the last time
  for (int at = 60; at < 330; at += 30) EXPECT_GE(policy->wanted(seen(at, 1, 0)), 1) << at;
  EXPECT_EQ(policy->wanted(seen(330, 1, 0)), 0);
}

TEST(Keda, ANextLookThatLiesBeyondTheEndOfTimeNeverComes) {
  Autoscaler target = keda(Metric::concurrency, 10);
  target.activation_poll_seconds = 106 * 86400.;
  target.cool_down_seconds = 0;
  const auto policy = make_scaling_policy(target);
  EXPECT_EQ(policy->wanted(seen(100 * 86400, 1, 5)), 1);  // the look that there is
  EXPECT_EQ(policy->wanted(seen(101 * 86400, 1, 0)), 1);
}

TEST(Keda, WithALeastNumberNeverGoesBelowIt) {
  Autoscaler target = keda(Metric::concurrency, 10);
  target.min = 2;
  const auto policy = make_scaling_policy(target);
  for (int at = 0; at < 1200; at += 30) EXPECT_EQ(policy->wanted(seen(at, 2, 0)), 2);
}

Autoscaler ray(double target) {
  return settings(Autoscaler::Kind::ray, Metric::concurrency, target);
}

TEST(RayServe, WishesForOngoingOverTargetOnceThatHasLasted) {
  Autoscaler target = ray(2);
  target.poll_seconds = 10;
  target.upscale_delay_seconds = 30;
  target.downscale_delay_seconds = 60;
  const auto policy = make_scaling_policy(target);
  for (const int at : {0, 10, 20}) EXPECT_EQ(policy->wanted(seen(at, 4, 20)), 4);
  EXPECT_EQ(policy->wanted(seen(30, 4, 20)), 10);  // 20 / 2
  for (int at = 40; at < 100; at += 10) EXPECT_EQ(policy->wanted(seen(at, 10, 6)), 10);
  EXPECT_EQ(policy->wanted(seen(100, 10, 6)), 3);
}

TEST(RayServe, AWishTheOtherWayStartsTheDelayAfresh) {
  Autoscaler target = ray(2);
  target.poll_seconds = 10;
  target.upscale_delay_seconds = 20;
  const auto policy = make_scaling_policy(target);
  EXPECT_EQ(policy->wanted(seen(0, 4, 20)), 4);
  EXPECT_EQ(policy->wanted(seen(10, 4, 20)), 4);
  EXPECT_EQ(policy->wanted(seen(20, 4, 2)), 4);
  EXPECT_EQ(policy->wanted(seen(30, 4, 20)), 4);
  EXPECT_EQ(policy->wanted(seen(40, 4, 20)), 4);
  EXPECT_EQ(policy->wanted(seen(50, 4, 20)), 10);
}

TEST(RayServe, FromZeroAHeldRequestStartsAReplicaWithoutDelay) {
  Autoscaler target = ray(2);
  target.min = 0;
  const auto policy = make_scaling_policy(target);
  PoolObservation pool = seen(0, 0, std::nullopt);
  EXPECT_EQ(policy->wanted(pool), 0);
  pool.held = 7;
  EXPECT_EQ(policy->wanted(pool), 1);
}

TEST(RayServe, AFactorSoftensTheStepAndStillMovesByOne) {
  Autoscaler target = ray(1);
  target.upscale_delay_seconds = target.downscale_delay_seconds = 0;
  target.upscaling_factor = 0.5;
  EXPECT_EQ(make_scaling_policy(target)->wanted(seen(0, 4, 12)), 8);  // 4 · (1 + 0.5 · 2)
  target.downscaling_factor = 0.1;
  EXPECT_EQ(make_scaling_policy(target)->wanted(seen(0, 4, 2)), 3);  // 4 · 0.95 is 4 again
}

Autoscaler predictive(double target) {
  Autoscaler made = settings(Autoscaler::Kind::predictive, Metric::requests_per_second, target);
  made.horizon_seconds = 300;
  made.history_seconds = 600;
  return made;
}

TEST(Predictive, AsksForTheRateThatTheLineReachesAtTheHorizon) {
  const Autoscaler target = predictive(5);
  const auto policy = make_scaling_policy(target);
  // 10 /s and 0.1 /s more in every second: at 120 s, 22 /s, and 52 /s 300 s later.
  std::int32_t number = 0;
  for (int at = 0; at <= 120; at += 60) number = policy->wanted(seen(at, 2, 10 + 0.1 * at));
  EXPECT_EQ(number, 11);  // ceil(52 / 5)
}

TEST(Predictive, WhileTheLoadFallsKeepsWhatItNeedsNow) {
  const Autoscaler target = predictive(5);
  const auto policy = make_scaling_policy(target);
  std::int32_t number = 0;
  for (int at = 0; at <= 120; at += 60) number = policy->wanted(seen(at, 8, 40 - 0.1 * at));
  EXPECT_EQ(number, 6);  // ceil(28 / 5), not none
}

TEST(Predictive, ForgetsRatesThatAreOlderThanItsHistory) {
  Autoscaler target = predictive(5);
  target.history_seconds = 60;
  const auto policy = make_scaling_policy(target);
  EXPECT_EQ(policy->wanted(seen(0, 2, 100)), 20);
  EXPECT_EQ(policy->wanted(seen(60, 2, 10)), 2);   // falls by 90 /s a minute: 10 /s now
  EXPECT_EQ(policy->wanted(seen(120, 2, 10)), 2);  // level
  EXPECT_EQ(policy->wanted(seen(180, 2, 12)), 5);  // 12 + 2/60 · 300 = 22
}

TEST(Schedule, RaisesTheLeastNumberByTimeOfDayAndWrapsRound) {
  Autoscaler office;
  office.min = 1;
  office.max = 10;
  office.schedule = {{8 * 3600.0, 4}, {18 * 3600.0, 2}};
  const auto at = [&](double hours) {
    return least_replicas(office, to_picoseconds(3600 * hours));
  };
  EXPECT_EQ(at(0), 2);  // as since 18 h of the day before
  EXPECT_EQ(at(7.99), 2);
  EXPECT_EQ(at(8), 4);
  EXPECT_EQ(at(18), 2);
  EXPECT_EQ(at(24 + 9), 4);
  office.min = 3;
  EXPECT_EQ(at(0), 3);
}

TEST(Schedule, HoldsForEveryKindOfAutoscaler) {
  using Kind = Autoscaler::Kind;
  for (const Kind kind : {Kind::hpa, Kind::keda, Kind::ray, Kind::predictive}) {
    Autoscaler early = settings(kind, Metric::requests_per_second, 5);
    early.min = kind == Kind::hpa ? 1 : 0;
    early.schedule = {{0, 1}, {3600, 6}};
    early.cool_down_seconds = 0;
    early.downscale_delay_seconds = 0;
    const auto policy = make_scaling_policy(early);
    EXPECT_EQ(policy->wanted(seen(3500, 1, 0)), 1);
    EXPECT_EQ(policy->wanted(seen(3600, 1, 0)), 6);
  }
}

}  // namespace
}  // namespace headway
