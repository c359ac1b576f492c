// One point measured by a scripted device: noise, a low clock, a run that hangs.
#include "calibration/measurement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/calibration/scripted_device.hpp"

namespace headway {
namespace {

struct Bench {
  ScriptedClock clock;
  ScriptedDevice device{clock};
  bool stop = false;
  Measurement measurement{device, clock, {}, {}, 10, [this] { return stop; }};
  Sample measure() { return measurement.measure(copy_of(64), 1e9); }
};

TEST(Measurement, AQuietOperatorIsRunSixTimesAfterItsWarmUp) {
  Bench bench;
  // The first two runs are slow: caches and clocks settle.
  bench.device.seconds = [](const OperatorPoint&, std::int64_t run) {
    return run < 2 ? 0.1 : 2e-3;
  };
  const Sample sample = bench.measure();
  EXPECT_DOUBLE_EQ(sample.seconds, 2e-3);
  EXPECT_EQ(sample.repeats, 6);
  EXPECT_EQ(bench.device.runs, 8);
  EXPECT_DOUBLE_EQ(sample.clock_hz, 1e9);
  EXPECT_DOUBLE_EQ(sample.spread_seconds, 0);
}

TEST(Measurement, OneRunInFiveThatIsDisturbedDoesNotMoveTheMedian) {
  Bench bench;
  bench.device.seconds = [](const OperatorPoint&, std::int64_t run) {
    return run % 5 == 4 ? 5e-3 : 1e-3 * (1 + 0.002 * static_cast<double>(run % 3));
  };
  const Sample sample = bench.measure();
  EXPECT_NEAR(sample.seconds, 1e-3, 0.005e-3);
  EXPECT_LE(sample.spread_seconds, 0.01 * sample.seconds);
  EXPECT_LT(sample.repeats, 60);
}

TEST(Measurement, NoiseThatDoesNotSettleIsToldAsASpread) {
  Bench bench;
  bench.device.seconds = [](const OperatorPoint&, std::int64_t run) {
    return run % 2 == 0 ? 1e-3 : 2e-3;
  };
  const Sample sample = bench.measure();
  EXPECT_EQ(sample.repeats, 60);
  EXPECT_DOUBLE_EQ(sample.seconds, 1.5e-3);
  EXPECT_DOUBLE_EQ(sample.spread_seconds, 0.5e-3);
}

TEST(Measurement, SamplesUnderALowClockAreDroppedAndTheClockIsWaitedFor) {
  Bench bench;
  // After the fourth run the clock falls by a tenth; it comes back when it is looked at for the
  // fourth time. Runs under the low clock take 10 % longer.
  int looks = 0;
  bench.device.state = [&](std::int64_t runs) {
    const bool low = runs >= 5 && looks < 4;
    looks += low ? 1 : 0;
    return ClockState{low ? 0.9e9 : 1e9};
  };
  bench.device.seconds = [&](const OperatorPoint&, std::int64_t run) {
    return run >= 4 && looks < 4 ? 1.1e-3 : 1e-3;
  };
  const Sample sample = bench.measure();
  EXPECT_DOUBLE_EQ(sample.seconds, 1e-3);
  EXPECT_DOUBLE_EQ(sample.clock_hz, 1e9);
  EXPECT_EQ(bench.measurement.dropped(), 1);
  EXPECT_DOUBLE_EQ(bench.clock.waited, 4 * 0.25);
}

TEST(Measurement, AClockTwoPercentLowerCounts) {
  Bench bench;
  bench.device.state = [](std::int64_t runs) { return ClockState{runs > 4 ? 0.98e9 : 1e9}; };
  bench.measure();
  EXPECT_EQ(bench.measurement.dropped(), 0);
}

TEST(Measurement, AClockThatStaysLowGivesThePointUp) {
  Bench bench;
  bench.device.state = [](std::int64_t runs) { return ClockState{1e9, /*throttled=*/runs >= 5}; };
  try {
    bench.measure();
    FAIL();
  } catch (const PointError& error) {
    EXPECT_EQ(error.fault(), PointFault::throttled);
  }
  EXPECT_NEAR(bench.clock.waited, 20, 0.25);
}

TEST(Measurement, ARunThatHangsIsATimeOut) {
  Bench bench;
  bench.device.seconds = [](const OperatorPoint&, std::int64_t run) {
    return run == 3 ? 11.0 : 1e-3;
  };
  try {
    bench.measure();
    FAIL();
  } catch (const PointError& error) {
    EXPECT_EQ(error.fault(), PointFault::timed_out);
  }
}

TEST(Measurement, EndsBetweenTwoRunsWhenItIsStopped) {
  Bench bench;
  bench.device.seconds = [&](const OperatorPoint&, std::int64_t run) {
    bench.stop = run == 4;
    return 1e-3;
  };
  EXPECT_THROW(bench.measure(), Measurement::Stopped);
  EXPECT_EQ(bench.device.runs, 5);
}

}  // namespace
}  // namespace headway
