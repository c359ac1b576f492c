// D/D/c queues: every time is known, in whole picoseconds.
#include <gtest/gtest.h>

#include <vector>

#include "queue_run.hpp"
#include "sim/engine/engine.hpp"

namespace headway {
namespace {

constexpr Time kMillisecond = 1'000'000'000;
constexpr Time kGap = 100 * kMillisecond;

class DepartureWatch final : public Observer {
 public:
  std::vector<RequestRecord> departed;

  void on_arrival(Time, std::uint32_t) override {}
  void on_departure(Time, const RequestRecord& record) override { departed.push_back(record); }
  void on_token_gaps(Time, std::int64_t) override {}
  void on_steps(const StepSpan&) override {}
  void on_preemption(Time, std::uint32_t) override {}
};

/// Arrivals every 100 ms, the first at 0; each served for `service_ms` by one of `servers`.
Scenario every_100_ms(int service_ms, int servers, std::int64_t requests) {
  Scenario scenario = open_queue(10, fixed_law(1e-3 * service_ms), requests, servers);
  scenario.workload[0].arrivals.kind = Arrivals::Kind::constant;
  return scenario;
}

TEST(Theory, DD1BelowCapacityNeverWaits) {
  constexpr std::int64_t kRequests = 1000;
  const Scenario scenario = every_100_ms(80, 1, kRequests);
  DepartureWatch watch;
  const RunTotals totals = run_scenario(scenario, watch);
  ASSERT_EQ(watch.departed.size(), static_cast<std::size_t>(kRequests - 1));
  for (const RequestRecord& record : watch.departed) {
    ASSERT_EQ(record.scheduled, static_cast<Time>(record.id) * kGap);
    ASSERT_EQ(record.started, record.scheduled);
    ASSERT_EQ(record.finished, record.scheduled + 80 * kMillisecond);
  }
  EXPECT_EQ(totals.in_flight, 1) << "the last arrival ends the run";
  EXPECT_TRUE(totals.number_in_system_integral == __int128{kRequests - 1} * 80 * kMillisecond);
  EXPECT_EQ(run_queue(scenario, 1).number, 0.8);
}

TEST(Theory, DD1AboveCapacityWaits50MsLongerEachTime) {
  // 1001 arrivals, the last at 100 s; services of 150 ms: 666 end by then.
  const Scenario scenario = every_100_ms(150, 1, 1001);
  DepartureWatch watch;
  const RunTotals totals = run_scenario(scenario, watch);
  ASSERT_EQ(watch.departed.size(), 666U);
  for (const RequestRecord& record : watch.departed) {
    const auto k = static_cast<Time>(record.id);
    ASSERT_EQ(record.started - record.scheduled, 50 * kMillisecond * k);
    ASSERT_EQ(record.finished, 150 * kMillisecond * (k + 1));
  }
  Time sum_ms = 0;
  for (Time k = 0; k < 666; ++k) sum_ms += 150 + 50 * k;
  for (Time k = 666; k <= 1000; ++k) sum_ms += 100'000 - 100 * k;
  EXPECT_TRUE(totals.time_in_system_sum == __int128{sum_ms} * kMillisecond);
  EXPECT_TRUE(totals.number_in_system_integral == __int128{sum_ms} * kMillisecond);
  run_queue(scenario, 1);
}

TEST(Theory, DD3ServesThreeAtATime) {
  // Services of 350 ms: three servers fall 50 ms behind with every third request.
  const Scenario scenario = every_100_ms(350, 3, 601);
  DepartureWatch watch;
  run_scenario(scenario, watch);
  ASSERT_GT(watch.departed.size(), 500U);
  for (const RequestRecord& record : watch.departed) {
    const auto k = static_cast<Time>(record.id);
    ASSERT_EQ(record.started, (k % 3 * 100 + k / 3 * 350) * kMillisecond);
    ASSERT_EQ(record.finished, record.started + 350 * kMillisecond);
  }
  run_queue(scenario, 1);
}

TEST(Theory, TwoUsersWhoDoNotThinkKeepOneServerBusy) {
  const Scenario scenario = closed_queue(2, fixed_law(0), fixed_law(10e-3), 1001);
  DepartureWatch watch;
  const RunTotals totals = run_scenario(scenario, watch);
  ASSERT_EQ(watch.departed.size(), 999U);
  for (const RequestRecord& record : watch.departed) {
    const auto k = static_cast<Time>(record.id);
    ASSERT_EQ(record.finished, 10 * kMillisecond * (k + 1));
    ASSERT_EQ(record.scheduled, k < 2 ? 0 : 10 * kMillisecond * (k - 1));
  }
  EXPECT_TRUE(totals.number_in_system_integral == __int128{2} * totals.end);
}

}  // namespace
}  // namespace headway
