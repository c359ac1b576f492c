// When a free server takes a batch, and how large.
#include "sim/serving/batcher.hpp"

#include <gtest/gtest.h>

namespace headway {
namespace {

constexpr Time kMs = 1'000'000'000;

void expect_takes(const Batcher& batcher, std::int64_t waiting, Time front_since, Time now,
                  std::int32_t size) {
  const BatchDecision decision = batcher.decide(waiting, front_since, now);
  EXPECT_EQ(decision.take, size) << waiting << " waiting at " << now / kMs << " ms";
}

void expect_waits(const Batcher& batcher, std::int64_t waiting, Time front_since, Time now,
                  Time until) {
  const BatchDecision decision = batcher.decide(waiting, front_since, now);
  EXPECT_EQ(decision.take, 0) << waiting << " waiting at " << now / kMs << " ms";
  EXPECT_EQ(decision.look_again, until);
}

TEST(Batchers, NoneTakesOneAtATime) {
  expect_takes(*make_no_batcher(), 1, 0, 0, 1);
  expect_takes(*make_no_batcher(), 100, 0, 5 * kMs, 1);
}

TEST(Batchers, StaticWaitsForItsSizeOrTheTimeOut) {
  const auto batcher = make_static_batcher(4, 10 * kMs);
  expect_waits(*batcher, 1, 3 * kMs, 3 * kMs, 13 * kMs);
  expect_waits(*batcher, 3, 3 * kMs, 13 * kMs - 1, 13 * kMs);
  expect_takes(*batcher, 3, 3 * kMs, 13 * kMs, 3);
  expect_takes(*batcher, 4, 3 * kMs, 3 * kMs, 4);
  expect_takes(*batcher, 9, 3 * kMs, 50 * kMs, 4);
}

TEST(Batchers, StaticWithoutTimeOutTakesWhatIsThere) {
  expect_takes(*make_static_batcher(4, 0), 2, kMs, kMs, 2);
}

TEST(Batchers, DynamicWithoutDelayNeverWaits) {
  const auto batcher = make_dynamic_batcher(8, {}, 0);
  expect_takes(*batcher, 1, kMs, kMs, 1);
  expect_takes(*batcher, 5, kMs, kMs, 5);
  expect_takes(*batcher, 8, kMs, kMs, 8);
  expect_takes(*batcher, 20, kMs, kMs, 8);
}

TEST(Batchers, DynamicDelaysForTheMaximumAsLongAsTold) {
  const auto batcher = make_dynamic_batcher(8, {}, 2 * kMs);
  expect_waits(*batcher, 5, kMs, kMs, 3 * kMs);
  expect_takes(*batcher, 5, kMs, 3 * kMs, 5);
  expect_takes(*batcher, 8, kMs, kMs, 8);
}

TEST(Batchers, DynamicTakesTheLargestPreferredSizeThatCanBeFormed) {
  const auto batcher = make_dynamic_batcher(8, {2, 4}, 2 * kMs);
  expect_waits(*batcher, 1, 0, 0, 2 * kMs);
  expect_takes(*batcher, 2, 0, 0, 2);
  expect_takes(*batcher, 3, 0, 0, 2);
  expect_takes(*batcher, 4, 0, 0, 4);
  expect_takes(*batcher, 7, 0, 0, 4);
  expect_takes(*batcher, 9, 0, 0, 4);
  expect_takes(*batcher, 1, 0, 2 * kMs, 1);
  expect_takes(*batcher, 7, 0, 2 * kMs, 7);  // overdue: all that wait
}

TEST(Batchers, ATimeOutBeyondTheEndOfTimeDoesNotOverflow) {
  const Time days = Time{86400} * 1000 * kMs;
  expect_waits(*make_static_batcher(2, 106 * days), 1, 100 * days, 101 * days, kEndOfTime);
  expect_waits(*make_dynamic_batcher(2, {}, 106 * days), 1, 100 * days, 101 * days, kEndOfTime);
}

TEST(Batchers, ThePoolsKeysReachTheBatcher) {
  Batching batching;
  batching.kind = Batching::Kind::fixed;
  batching.size = 3;
  batching.timeout_seconds = 0.25;
  expect_waits(*make_batcher(batching), 2, 0, 0, 250 * kMs);
  expect_takes(*make_batcher(batching), 3, 0, 0, 3);
  batching.kind = Batching::Kind::dynamic;
  batching.max_size = 6;
  batching.preferred_sizes = {5};
  batching.max_queue_delay_seconds = 0.001;
  expect_waits(*make_batcher(batching), 4, 0, 0, kMs);
  expect_takes(*make_batcher(batching), 5, 0, 0, 5);
  expect_takes(*make_batcher(batching), 6, 0, 0, 5);
  batching.kind = Batching::Kind::none;
  expect_takes(*make_batcher(batching), 6, 0, 0, 1);
}

}  // namespace
}  // namespace headway
