#include "sim/cli/offered_load.hpp"

#include <gtest/gtest.h>

namespace headway {
namespace {

Scenario with(const Arrivals& arrivals) {
  Scenario scenario;
  scenario.workload.resize(1);
  scenario.workload[0].arrivals = arrivals;
  scenario.workload[0].input_tokens = Distribution{.kind = Distribution::Kind::fixed, .a = 100};
  scenario.workload[0].output_tokens =
      Distribution{.kind = Distribution::Kind::uniform, .a = 10, .b = 30};
  return scenario;
}

// 10/s for 60 s and 2/s for 180 s: 960 requests in 240 s.
TEST(OfferedLoad, the_rate_of_bursts_and_of_stages_is_weighted_by_their_time) {
  Arrivals bursts;
  bursts.kind = Arrivals::Kind::mmpp;
  bursts.states = {{10, 60}, {2, 180}};
  EXPECT_DOUBLE_EQ(offered_load(with(bursts), 0).per_second.value(), 4);
  Arrivals stages;
  stages.kind = Arrivals::Kind::stages;
  stages.stages = {{10, 60}, {2, 180}};
  EXPECT_DOUBLE_EQ(offered_load(with(stages), 0).per_second.value(), 4);
}

TEST(OfferedLoad, lengths_are_those_that_would_be_drawn) {
  Arrivals poisson;
  poisson.rate = 5;
  const OfferedLoad load = offered_load(with(poisson), 0);
  EXPECT_EQ(load.input_tokens, 100);
  EXPECT_NEAR(load.output_tokens, 20, 0.3);
}

TEST(OfferedLoad, a_closed_loop_has_no_rate_of_its_own) {
  Arrivals closed;
  closed.kind = Arrivals::Kind::closed;
  closed.users = 10;
  const OfferedLoad load = offered_load(with(closed), 0);
  EXPECT_FALSE(load.per_second.has_value());
  EXPECT_EQ(load.input_tokens, 100);
}

// A batch of 4 takes twice as long as one: 4 / (2 · 10 ms) = 200 a second and server.
TEST(PoolBound, a_station_is_fastest_at_the_best_size_of_its_batch_curve) {
  Pool pool;
  pool.kind = Pool::Kind::service;
  pool.replicas = 3;
  pool.service.servers = 2;
  pool.service.time = {.kind = Distribution::Kind::fixed, .a = 0.010};
  pool.service.batch_factor = {{1, 1}, {4, 2}, {8, 8}};
  pool.batching.kind = Batching::Kind::dynamic;
  pool.batching.max_size = 8;
  EXPECT_NEAR(pool_bound(pool, {}).requests_per_second, 200 * 2 * 3, 1e-6);
  pool.batching.kind = Batching::Kind::none;
  EXPECT_NEAR(pool_bound(pool, {}).requests_per_second, 100 * 2 * 3, 1e-6);
}

}  // namespace
}  // namespace headway
