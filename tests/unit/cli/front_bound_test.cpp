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
