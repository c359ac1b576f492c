#include "models/start_up.hpp"

#include <gtest/gtest.h>

#include "tests/unit/models/placements.hpp"

namespace headway {
namespace {

TEST(StartUp, ReadsTheWeightsOfAllGpusOverOneStorageAndCompilesOnce) {
  const Placement one = place("llama-3.1-8b", "h100", 1, "vllm-0.11");
  const StartUpTimes times = start_up_times(one, plan_memory(one), 1e9);
  EXPECT_NEAR(times.weights, 16.0605, 0.001);  // 8.03 G parameters of 2 bytes
  EXPECT_EQ(times.process, 25);
  EXPECT_EQ(times.compile, 45);
  EXPECT_EQ(times.capture, 8);
  EXPECT_NEAR(times.total(), 94.06, 0.01);
  const Placement four = place("llama-3.1-8b", "h100", 4, "vllm-0.11");
  EXPECT_NEAR(start_up_times(four, plan_memory(four), 1e9).weights, 16.06, 0.02);
  EXPECT_NEAR(start_up_times(four, plan_memory(four), 4e9).weights, 16.06 / 4, 0.01);
}

TEST(StartUp, IsKnownOfEveryEngineOfTheCatalogue) {
  for (const std::string& name : engine_names())
    EXPECT_TRUE(load_engine(name).start_up_known()) << name;
  Engine own;
  EXPECT_FALSE(own.start_up_known());
}

}  // namespace
}  // namespace headway
