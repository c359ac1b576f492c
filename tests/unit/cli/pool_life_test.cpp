// What `headway check` says of replicas that come and go.
#include "sim/cli/pool_life.hpp"

#include <gtest/gtest.h>

namespace headway {
namespace {

Scenario scaled() {
  Scenario scenario;
  Pool& pool = scenario.fleet.emplace_back();
  Autoscaler& settings = pool.autoscaler.emplace();
  settings.min = 1;
  settings.max = 6;
  settings.targets = {{Autoscaler::Metric::concurrency, 24}, {Autoscaler::Metric::ttft, 0.5, 95}};
  ColdStart& start = pool.cold_start.emplace();
  start.provision.emplace().a = 90;
  start.weight_bytes = 16e9;
  start.store = "s3";
  start.compile.emplace().a = 30;
  scenario.stores = {{.name = "s3", .bandwidth = 2e9, .latency_seconds = 1}};
  return scenario;
}

TEST(PoolLife, NamesTheRangeOfReplicasAndWhatHoldsThem) {
  const Scenario scenario = scaled();
  const Pool& pool = scenario.fleet[0];
  EXPECT_EQ(replicas_text(pool), "1 to 6 replicas");
  EXPECT_EQ(scaling_text(*pool.autoscaler), "hpa: concurrency 24, p95 of TTFT 500 ms; every 15 s");
  EXPECT_EQ(replicas_text(Pool{}), "1 replica");
}

TEST(PoolLife, TellsThePriceInTheUnitsThatAreSold) {
  Scenario scenario = scaled();
  Pool& pool = scenario.fleet[0];
  EXPECT_EQ(price_text(pool, {}), "");
  pool.usd_per_gpu_hour = 2;
  pool.gpus_per_replica = 3;
  EXPECT_EQ(price_text(pool, {}), "6 to 36 USD an hour");
  pool.billed_node_gpus = 8;  // two replicas a node
  pool.minimum_billing_seconds = 3600;
  EXPECT_EQ(price_text(pool, {}), "16 to 48 USD an hour, in nodes of 8 GPUs, for 1.00 h at least");
}

TEST(PoolLife, SumsUpThePhasesOfAStart) {
  Scenario scenario = scaled();
  Pool& pool = scenario.fleet[0];
  // 90 s, 1 s and 16 GB at 2 GB/s, 30 s.
  EXPECT_EQ(start_up_text(pool, scenario, {}),
            "2.15 min: provision 90.0 s, weights 9.00 s at 2 GB/s, compilation 30.0 s");
  pool.cold_start->store.clear();
  pool.cold_start->warm_up.emplace().a = 5;
  EXPECT_EQ(start_up_text(pool, scenario, {}),
            "2.15 min: provision 90.0 s, weights 9.00 s at an assumed 2 GB/s, compilation 30.0 s; "
            "the first request waits 5.00 s");
  EXPECT_EQ(start_up_text(Pool{}, scenario, {}), "");
}

TEST(PoolLife, TheMostReplicasStayWithinTheQuota) {
  Scenario scenario = scaled();
  EXPECT_EQ(most_replicas(scenario.fleet[0]), 6);
  scenario.fleet[0].cold_start->quota = 4;
  EXPECT_EQ(most_replicas(scenario.fleet[0]), 4);
  scenario.fleet[0].autoscaler.reset();
  scenario.fleet[0].replicas = 3;
  EXPECT_EQ(most_replicas(scenario.fleet[0]), 3);
}

}  // namespace
}  // namespace headway
