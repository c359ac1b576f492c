// A load generator's concurrency cap: vllm-project/vllm#54101. Eight requests at 10 a second
// against a mock server that sleeps 500 ms, uncapped and with --max-concurrency 1.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "measured_run.hpp"

namespace headway {
namespace {

constexpr Time kMillisecond = 1'000'000'000;
constexpr int kRequests = 8;
const std::string kFile = "oracle-client-queue.yaml";
const std::string kUncapped = "workload.bench.client.max_concurrency=8";

/// The ideal of the report: exactly 500 ms, no turnaround.
std::vector<RequestRecord> ideal(std::vector<std::string> sets, Summary& summary) {
  sets.insert(sets.end(),
              {"fleet.mock.service.time=500 ms", "workload.bench.client.turnaround=0 s"});
  std::vector<RequestRecord> records;
  summary = run_ready_scenario(kFile, sets, &records);
  EXPECT_EQ(records.size(), static_cast<std::size_t>(kRequests));
  return records;
}

TEST(ClientQueue, UncappedEveryRequestIsSentWhenItIsDue) {
  Summary summary;
  for (const RequestRecord& r : ideal({kUncapped}, summary)) {
    EXPECT_EQ(r.scheduled, static_cast<Time>(r.id) * 100 * kMillisecond);
    EXPECT_EQ(r.sent, r.scheduled);
    EXPECT_EQ(r.finished, r.sent + 500 * kMillisecond);
  }
  EXPECT_DOUBLE_EQ(summary.latencies.e2e.mean.value, 0.5);
  EXPECT_DOUBLE_EQ(summary.latencies.client_delay.mean.value, 0);
}

TEST(ClientQueue, OneInFlightSendsEachRequest400MsLaterThanTheOneBefore) {
  Summary summary;
  for (const RequestRecord& r : ideal({}, summary)) {
    const auto i = static_cast<Time>(r.id);
    EXPECT_EQ(r.scheduled, i * 100 * kMillisecond);
    EXPECT_EQ(r.sent - r.scheduled, i * 400 * kMillisecond);
    EXPECT_EQ(r.finished - r.sent, 500 * kMillisecond);
  }
  // Delays 0, 400, … 2800 ms. Rank 0.99 · 7 = 6.93 of the latencies 500, 900, … 3300 ms.
  const Latencies& l = summary.latencies;
  EXPECT_NEAR(l.client_delay.mean.value, 1.4, 1e-12);
  EXPECT_NEAR(l.e2e_from_sent.mean.value, 0.5, 1e-12);
  EXPECT_NEAR(l.e2e_from_sent.p99.value, 0.5, 1e-12);
  EXPECT_NEAR(l.e2e.mean.value, 1.9, 1e-12);
  EXPECT_NEAR(l.e2e.p99.value, 0.5 + 0.4 * 6.93, 1e-12);
}

struct MeasuredArm {
  std::string name;
  std::vector<std::string> sets;
  // Milliseconds, as the report rounds them.
  double delay, sent_mean, scheduled_mean, sent_p99, scheduled_p99;
};

TEST(ClientQueue, BothArmsOfTheReportToTheMillisecond) {
  const MeasuredArm arms[] = {{"uncapped", {kUncapped}, 0, 507, 507, 508, 508},
                              {"concurrency 1", {}, 1426, 506, 1932, 507, 3330}};
  for (const MeasuredArm& arm : arms) {
    const Latencies l = run_ready_scenario(kFile, arm.sets).latencies;
    const struct {
      const char* name;
      double seconds, measured;
    } figures[] = {
        {"mean dispatch delay", l.client_delay.mean.value, arm.delay},
        {"mean E2E from sending", l.e2e_from_sent.mean.value, arm.sent_mean},
        {"mean E2E from schedule", l.e2e.mean.value, arm.scheduled_mean},
        {"p99 E2E from sending", l.e2e_from_sent.p99.value, arm.sent_p99},
        {"p99 E2E from schedule", l.e2e.p99.value, arm.scheduled_p99},
    };
    for (const auto& f : figures) {
      print_beside(arm.name + ", " + f.name, 1e3 * f.seconds, f.measured, "ms");
      EXPECT_LE(std::fabs(1e3 * f.seconds - f.measured), 1 + 1e-9) << arm.name << ", " << f.name;
    }
  }
}

}  // namespace
}  // namespace headway
