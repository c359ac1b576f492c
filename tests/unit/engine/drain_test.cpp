// Runs that go on until every request is answered.
#include <gtest/gtest.h>

#include "sim/engine/engine.hpp"

namespace headway {
namespace {

struct Silent final : public Observer {
  void on_arrival(Time, std::uint32_t) override {}
  void on_departure(Time, const RequestRecord&) override {}
  void on_token_gaps(Time, std::int64_t) override {}
  void on_steps(const StepSpan&) override {}
  void on_preemption(Time, std::uint32_t) override {}
};

/// Eight requests, one a second, at a server that takes two seconds for each.
Scenario eight_requests() {
  Scenario scenario;
  scenario.workload.emplace_back();
  scenario.workload[0].arrivals.kind = Arrivals::Kind::constant;
  scenario.workload[0].arrivals.rate = 1;
  scenario.fleet.emplace_back();
  scenario.fleet[0].kind = Pool::Kind::service;
  scenario.fleet[0].batching.kind = Batching::Kind::none;
  scenario.fleet[0].service.time.a = 2;
  scenario.run.requests = 8;
  scenario.run.engine = Run::Engine::heap;
  return scenario;
}

TEST(Drain, ASteadyLoadEndsWithItsLastArrival) {
  Silent silent;
  const RunTotals totals = run_scenario(eight_requests(), silent);
  EXPECT_EQ(totals.end, 7'000'000'000'000);  // the eighth comes at 7 s
  EXPECT_EQ(totals.completed, 3);            // at 2, 4 and 6 s
  EXPECT_EQ(totals.in_flight, 5);
}

TEST(Drain, ADrainingRunAnswersEveryRequest) {
  Scenario scenario = eight_requests();
  scenario.run.drain = true;
  EXPECT_FALSE(scenario.stationary());
  Silent silent;
  const RunTotals totals = run_scenario(scenario, silent);
  EXPECT_EQ(totals.load_end, 7'000'000'000'000);
  EXPECT_EQ(totals.end, 16'000'000'000'000);  // eight times two seconds
  EXPECT_EQ(totals.completed, 8);
  EXPECT_EQ(totals.in_flight, 0);
}

}  // namespace
}  // namespace headway
