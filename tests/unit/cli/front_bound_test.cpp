#include "sim/cli/front_bound.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace headway {
namespace {

TEST(FrontBound, a_station_handles_its_servers_over_the_mean_time_of_a_request) {
  FrontStation station;
  station.servers = 3;
  station.time.a = 0.002;
  EXPECT_NEAR(station_bound(station, 1000), 1500, 1e-9);
  station.seconds_per_input_token = 4e-6;  // and 4 ms for 1,000 tokens
  EXPECT_NEAR(station_bound(station, 1000), 500, 1e-9);
  station.seconds_per_input_token = 0;
  station.time.a = 0;
  EXPECT_TRUE(std::isinf(station_bound(station, 1000)));
}

TEST(FrontBound, rate_limits_let_in_the_same_share_of_all_classes_of_a_tenant) {
  // 30 requests a second of 100 tokens and 10 of 500: 8,000 tokens a second.
  Scenario scenario;
  scenario.workload.resize(3);
  scenario.workload[2].tenant_index = 1;
  scenario.tenants = {Tenant{.name = "a"}, Tenant{.name = "b"}};
  OfferedLoad small, large, users;
  small.per_second = 30;
  small.input_tokens = 60;
  small.output_tokens = 40;
  large.per_second = 10;
  large.input_tokens = 450;
  large.output_tokens = 50;
  const std::vector<OfferedLoad> loads = {small, large, users};
  using Shares = std::vector<double>;
  EXPECT_EQ(let_in_shares(scenario, loads), (Shares{1, 1, 1}));
  scenario.tenants[0].requests_per_second = 20;
  EXPECT_EQ(let_in_shares(scenario, loads), (Shares{0.5, 0.5, 1}));
  scenario.tenants[0].tokens_per_second = 2000;
  scenario.tenants[1].requests_per_second = 1;
  EXPECT_EQ(let_in_shares(scenario, loads), (Shares{0.25, 0.25, 1})) << "a closed loop has no rate";
  scenario.tenants[0].tokens_per_second = 1e6;
  scenario.tenants[0].requests_per_second = 1e6;
  EXPECT_EQ(let_in_shares(scenario, loads), (Shares{1, 1, 1}));
}

TEST(FrontBound, overload_is_shed_by_limits_inside_at_every_queue_or_by_every_clients_patience) {
  Scenario scenario;
  scenario.workload.resize(2);
  scenario.fleet.resize(2);
  EXPECT_FALSE(sheds_overload(scenario));
  scenario.admission.max_requests = 10;
  EXPECT_TRUE(sheds_overload(scenario));
  scenario.admission.max_requests = 0;
  scenario.workload[0].timeouts.queue.emplace();
  EXPECT_FALSE(sheds_overload(scenario)) << "the other class waits for ever";
  scenario.workload[1].timeouts.total.emplace();
  EXPECT_TRUE(sheds_overload(scenario));
  scenario.workload[1].timeouts = {};
  scenario.fleet[0].max_queue = scenario.fleet[1].max_queue = 5;
  EXPECT_TRUE(sheds_overload(scenario));
}

}  // namespace
}  // namespace headway
