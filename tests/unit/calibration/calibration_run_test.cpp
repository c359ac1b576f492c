// A plan measured by a scripted device: budget, faults of single points, a device lost in mid-run,
// and resuming.
#include "calibration/calibration_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibration/calibration_error.hpp"
#include "calibration/progress_text.hpp"
#include "calibration/sample_file.hpp"
#include "calibration/sample_journal.hpp"
#include "tests/unit/calibration/scripted_device.hpp"
#include "tests/unit/calibration/temporary_folder.hpp"

namespace headway {
namespace {

using testing::HasSubstr;

SampleHeader header_of(const std::string& device) {
  return {"cpu", device, "scripted 1", "none", "a test", "2026-11-30"};
}

struct Bench {
  ScriptedClock clock;
  ScriptedDevice device{clock};
  CalibrationLimits limits;
  std::vector<OperatorPoint> plan;
  std::vector<Sample> samples;
  std::vector<CalibrationProgress> progress;
  bool stop = false;

  Bench() {
    for (std::int64_t bytes = 1; bytes <= 20; ++bytes) plan.push_back(copy_of(bytes));
  }
  CalibrationOutcome run(const std::vector<Sample>& found = {}) {
    return run_calibration(device, plan, found, limits, clock,
                           {[this](const Sample& sample) { samples.push_back(sample); },
                            [this](const CalibrationProgress& now) { progress.push_back(now); },
                            [this] { return stop; }});
  }
};

TEST(CalibrationRun, MeasuresEveryPointInThePlansOrder) {
  Bench bench;
  const CalibrationOutcome outcome = bench.run();
  EXPECT_EQ(outcome.end, CalibrationEnd::finished);
  EXPECT_EQ(outcome.measured, 20);
  ASSERT_EQ(bench.samples.size(), 20u);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(bench.samples[i].point, bench.plan[i]);
}

TEST(CalibrationRun, TellsTheTimeLeftByThePointsSoFar) {
  Bench bench;
  bench.device.seconds = [](const OperatorPoint&, std::int64_t) { return 0.01; };
  bench.run();
  // Eight runs a point: two to warm up, six samples.
  EXPECT_NEAR(bench.progress[5].elapsed_seconds, 5 * 0.08, 1e-9);
  EXPECT_NEAR(bench.progress[5].left_seconds, 15 * 0.08, 1e-9);
  EXPECT_EQ(progress_text(bench.progress[5]), "25 %, 5 of 20 points, 2 s left: copy bytes=6");
}

TEST(CalibrationRun, ABudgetIsSharedByThePoints) {
  Bench bench;
  bench.limits.budget_seconds = 4;
  // Noise that never settles would take 60 runs of 10 ms a point: 12 s in all.
  bench.device.seconds = [](const OperatorPoint&, std::int64_t run) {
    return run % 2 == 0 ? 0.01 : 0.013;
  };
  const CalibrationOutcome outcome = bench.run();
  EXPECT_EQ(outcome.end, CalibrationEnd::finished);
  EXPECT_EQ(outcome.measured, 20);
  EXPECT_NEAR(bench.clock.seconds - 1000, 4, 0.5);
}

TEST(CalibrationRun, ABudgetThatIsSpentEndsTheRunWithWhatMattersMost) {
  Bench bench;
  bench.limits.budget_seconds = 1;
  bench.device.seconds = [](const OperatorPoint&, std::int64_t) { return 0.1; };
  const CalibrationOutcome outcome = bench.run();
  EXPECT_EQ(outcome.end, CalibrationEnd::budget);
  // Two runs to warm up and two samples a point, 0.4 s each; the third point does not end in time.
  ASSERT_EQ(outcome.measured, 2);
  EXPECT_EQ(bench.samples[0].point, bench.plan[0]);
  EXPECT_EQ(bench.samples[1].point, bench.plan[1]);
  EXPECT_LT(bench.clock.seconds - 1000, 1 + 0.11);
}

TEST(CalibrationRun, APointThatFailsDoesNotStopTheOthers) {
  Bench bench;
  bench.device.preparing = [](const OperatorPoint& point) {
    if (point.bytes == 3) throw PointError(PointFault::out_of_memory, "too large");
    if (point.bytes == 5) throw PointError(PointFault::unsupported, "no kernel");
    if (point.bytes == 7) throw PointError(PointFault::wrong_result, "off by one");
  };
  bench.device.seconds = [](const OperatorPoint& point, std::int64_t) {
    return point.bytes == 9 ? 60.0 : 1e-3;
  };
  const CalibrationOutcome outcome = bench.run();
  EXPECT_EQ(outcome.end, CalibrationEnd::finished);
  EXPECT_EQ(outcome.measured, 16);
  std::vector<PointFault> faults;
  for (const CalibrationMiss& miss : outcome.misses) faults.push_back(miss.fault);
  EXPECT_THAT(faults, testing::ElementsAre(PointFault::out_of_memory, PointFault::unsupported,
                                           PointFault::wrong_result, PointFault::timed_out));
}

TEST(CalibrationRun, ALostDeviceEndsTheRunAndLeavesWhatWasMeasuredOnTheDisk) {
  const TemporaryFolder folder;
  Bench bench;
  bench.device.seconds = [](const OperatorPoint& point, std::int64_t) -> double {
    if (point.bytes == 8) throw DeviceLost("unspecified launch failure");
    return 1e-3;
  };
  SampleJournal journal(folder.path("s"), header_of("scripted"), false);
  const CalibrationOutcome outcome =
      run_calibration(bench.device, bench.plan, journal.found(), {}, bench.clock,
                      {[&](const Sample& sample) { journal.append(sample); },
                       [](const CalibrationProgress&) {}, [] { return false; }});
  EXPECT_EQ(outcome.end, CalibrationEnd::device_lost);
  EXPECT_EQ(outcome.lost, "unspecified launch failure");
  EXPECT_EQ(read_samples(folder.path("s")).samples.size(), 7u);
}

TEST(CalibrationRun, AnInterruptedRunSaysSo) {
  Bench bench;
  bench.device.seconds = [&](const OperatorPoint& point, std::int64_t) {
    bench.stop = point.bytes == 4;
    return 1e-3;
  };
  const CalibrationOutcome outcome = bench.run();
  EXPECT_EQ(outcome.end, CalibrationEnd::interrupted);
  EXPECT_EQ(outcome.measured, 3);
}

TEST(CalibrationRun, ResumingAfterATornLineMeasuresOnlyWhatIsMissing) {
  const TemporaryFolder folder;
  const std::string path = folder.path("s");
  {
    Bench bench;
    SampleJournal journal(path, header_of("scripted"), false);
    for (int i = 0; i < 6; ++i) {
      Sample sample;
      sample.point = bench.plan[static_cast<std::size_t>(i)];
      sample.seconds = 1e-3;
      journal.append(sample);
    }
  }
  // kill -9 in the middle of the sixth line.
  std::string text = TemporaryFolder::read(path);
  folder.put("s", text.substr(0, text.size() - 9));

  Bench bench;
  SampleJournal journal(path, header_of("scripted"), true);
  EXPECT_EQ(journal.found().size(), 5u);
  const CalibrationOutcome outcome =
      run_calibration(bench.device, bench.plan, journal.found(), {}, bench.clock,
                      {[&](const Sample& sample) { journal.append(sample); },
                       [](const CalibrationProgress&) {}, [] { return false; }});
  EXPECT_EQ(outcome.found, 5);
  EXPECT_EQ(outcome.measured, 15);
  EXPECT_EQ(bench.device.prepared, 15);
  const SampleFile file = read_samples(path);
  ASSERT_EQ(file.samples.size(), 20u);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(file.samples[i].point, bench.plan[i]);
}

TEST(SampleJournal, ATornHeaderIsWrittenAnew) {
  const TemporaryFolder folder;
  const std::string path = folder.put("s", R"({"format":"headway.samples","vers)");
  { const SampleJournal journal(path, header_of("scripted"), true); }
  EXPECT_EQ(read_samples(path).header.device, "scripted");
}

TEST(SampleJournal, DoesNotMixDevicesNorOverwriteWhatWasMeasured) {
  const TemporaryFolder folder;
  const std::string path = folder.path("s");
  { const SampleJournal journal(path, header_of("one"), false); }
  const std::string text = TemporaryFolder::read(path);
  EXPECT_THAT(error_of<SampleError>([&] { SampleJournal(path, header_of("two"), true); }),
              HasSubstr(":1:1: measured with the device \"one\""));
  EXPECT_THAT(error_of<SampleError>([&] { SampleJournal(path, header_of("one"), false); }),
              HasSubstr("exists already"));
  EXPECT_EQ(TemporaryFolder::read(path), text);
  const std::string other = folder.put("letter", "Dear Sir");
  EXPECT_NE(error_of<SampleError>([&] { SampleJournal(other, header_of("one"), true); }), "");
  EXPECT_EQ(TemporaryFolder::read(other), "Dear Sir");
}

TEST(SampleJournal, OneProcessAtATimeMeasuresIntoAFile) {
  const TemporaryFolder folder;
  const SampleJournal journal(folder.path("s"), header_of("one"), false);
  EXPECT_THAT(error_of<CalibrationFailure>(
                  [&] { SampleJournal(folder.path("s"), header_of("one"), true); }),
              HasSubstr("another process"));
}

}  // namespace
}  // namespace headway
