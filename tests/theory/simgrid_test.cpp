// The same queues on SimGrid's clock give the same figures, to the last bit. SimGrid runs once in a
// process: each of its runs is a child of this one.
#include <gtest/gtest.h>

#include <cstdlib>

#include "queue_run.hpp"

namespace headway {
namespace {

void expect_same_on_simgrid(Scenario scenario) {
  const QueueFigures heap = run_queue(scenario, 7);
  scenario.run.engine = Run::Engine::simgrid;
  EXPECT_EXIT(
      {
        const QueueFigures simgrid = run_queue(scenario, 7);
        EXPECT_EQ(simgrid.seconds, heap.seconds);
        EXPECT_EQ(simgrid.number, heap.number);
        EXPECT_EQ(simgrid.waiting, heap.waiting);
        EXPECT_EQ(simgrid.sojourn, heap.sojourn);
        EXPECT_EQ(simgrid.loss, heap.loss);
        EXPECT_EQ(simgrid.completed, heap.completed);
        std::exit(testing::Test::HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Theory, MM1OnSimGrid) {
  expect_same_on_simgrid(
      open_queue(0.8 / kServiceSeconds, exponential_law(kServiceSeconds), 500'000));
}

TEST(Theory, MM4WithLossOnSimGrid) {
  Scenario scenario =
      open_queue(3.8 / kServiceSeconds, exponential_law(kServiceSeconds), 500'000, 4);
  scenario.fleet[0].max_queue = 10;
  expect_same_on_simgrid(scenario);
}

TEST(Theory, BulkServiceOnSimGrid) {
  Scenario scenario = open_queue(3 / kServiceSeconds, fixed_law(kServiceSeconds), 500'000);
  scenario.fleet[0].batching.kind = Batching::Kind::dynamic;
  scenario.fleet[0].batching.max_size = 4;
  expect_same_on_simgrid(scenario);
}

TEST(Theory, MachineRepairOnSimGrid) {
  expect_same_on_simgrid(
      closed_queue(20, exponential_law(20e-3), exponential_law(kServiceSeconds), 500'000));
}

}  // namespace
}  // namespace headway
