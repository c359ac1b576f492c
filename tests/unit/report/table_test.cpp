#include "sim/report/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/report/table_text.hpp"
#include "tests/unit/report/example.hpp"

namespace headway {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const TableStyle kPlain;

Report fleet_report() {
  Report report = example_report();
  Summary& summary = report.summary;
  summary.counts.timed_out = 1200;
  summary.counts.hung_up = 4;
  summary.counts.lost = 31;
  summary.counts.retries = 1;
  summary.counts.escalations = 15;
  PoolUse& pool = summary.pools[0];
  pool.ready = 4.25;
  pool.ready_least = 2;
  pool.ready_most = 6;
  pool.existing = 4.75;
  pool.start_ups = 12;
  pool.failures = 1;
  pool.gpu_hours.phase[static_cast<int>(ReplicaPhase::provisioning)] = 1.5;
  pool.gpu_hours.phase[static_cast<int>(ReplicaPhase::weights)] = 0.75;
  pool.gpu_hours.phase[static_cast<int>(ReplicaPhase::ready)] = 30;
  pool.gpu_hours.phase[static_cast<int>(ReplicaPhase::draining)] = 0.5;
  pool.gpu_hours.phase[static_cast<int>(ReplicaPhase::down)] = 0.4;
  pool.gpu_hours.rest_of_nodes = 3;
  summary.front = {{"tokenizer", 4, 0.5, 1.25, 0.01}};
  pool.availability = {true, 0.99876, true, 0.975, 0.0001, 1};
  summary.bottleneck = {"replicas starting",
                        "main",
                        0.6,
                        true,
                        "more replicas kept ready",
                        "of the capacity wanted while requests waited"};
  summary.cost.gpus = 48;
  summary.cost.mean_gpus = 35.75;
  return report;
}

/// Two pools that answered, the second without tokens, and one that did not.
Report canary_report() {
  Report report = example_report();
  PoolRequests requests;
  requests.completed = 68'000;
  requests.achieved_per_second = 37.85;
  requests.good_share = 0.99996;
  requests.ttft = example_figures(0.040);
  requests.tpot = example_figures(0.012);
  requests.e2e = example_figures(2.5, false);
  PoolUse main = report.summary.pools[0], canary = main, spare = main;
  main.requests = canary.requests = requests;
  canary.name = "canary";
  canary.requests->tpot = {};
  spare.name = "spare";
  spare.requests.emplace();
  report.summary.pools = {main, canary, spare};
  return report;
}

TEST(Table, fits_80_columns_and_is_plain_ascii_without_a_terminal) {
  Report report = example_report();
  report.facts.warnings.push_back("chat.yaml:12:5: " + std::string(30, 'w') + " has no effect in " +
                                  "this scenario because nothing reads it, nothing at all");
  std::istringstream table(result_table(report, kPlain) + result_table(fleet_report(), kPlain) +
                           result_table(canary_report(), kPlain));
  for (std::string line; std::getline(table, line);) {
    EXPECT_LE(line.size(), 80u) << line;
    for (const char letter : line) EXPECT_TRUE(letter >= ' ' && letter <= '~') << line;
  }
}

TEST(Table, shows_what_was_asked_of_a_run) {
  const std::string table = result_table(example_report(), kPlain);
  EXPECT_THAT(table, HasSubstr("stable: the queue does not grow"));
  EXPECT_THAT(table, HasSubstr("offered 20 /s, achieved 19.95 /s"));
  EXPECT_THAT(table, HasSubstr("output 4,219 /s"));
  EXPECT_THAT(table, HasSubstr("7 rejected (queue full)"));
  EXPECT_THAT(table, HasSubstr("TTFT               40.0 ms +-0.4   36.0 ms +-0.5   80.0 ms +-0.8"));
  EXPECT_THAT(table, HasSubstr("NOT held: 97.5 % of chat good, 99 % promised"));
  EXPECT_THAT(table, HasSubstr("memory bandwidth of main, the limit 65 % of the time"));
  EXPECT_THAT(table, HasSubstr("a GPU with more bandwidth"));
  EXPECT_THAT(table, HasSubstr("5.98 USD an hour for 2 GPUs"));
  EXPECT_THAT(table, HasSubstr("MSER-5: 120 requests (6.1 s)"));
  EXPECT_THAT(table, HasSubstr("main: llama-3.1-8b on h100-sxm-80gb; measured"));
}

TEST(Table, marks_what_has_not_converged_and_says_what_the_mark_means) {
  const std::string plain = result_table(example_report(), kPlain);
  EXPECT_THAT(plain, HasSubstr("~2.50 s +-0.03"));
  EXPECT_THAT(plain, HasSubstr("~ the interval has not converged"));
  EXPECT_THAT(result_table(example_report(), {true, true}),
              HasSubstr("\x1b[31m~2.50 s \u00b10.03\x1b[0m"));
}

TEST(Table, an_unstable_system_shows_growth_and_no_wait) {
  Report report = example_report();
  Summary& summary = report.summary;
  summary.stability = {Verdict::unstable, "32.5 requests/s arrive, 20 /s leave", 12.5, 80, "", 0};
  for (Figures* figures : {&summary.latencies.ttft, &summary.latencies.tpot, &summary.latencies.e2e,
                           &summary.latencies.queue, &summary.itl}) {
    *figures = {};
    figures->count = 1000;
    figures->unstable = true;
  }
  const std::string table = result_table(report, kPlain);
  EXPECT_THAT(table, HasSubstr("unstable: 32.5 requests/s arrive, 20 /s leave"));
  EXPECT_THAT(table, HasSubstr("achieved 19.95 /s"));
  EXPECT_THAT(table, HasSubstr("E2E               no finite steady-state value"));
  EXPECT_THAT(table, Not(HasSubstr("In system")));
}

TEST(Table, an_undecided_system_says_what_would_decide) {
  Report report = example_report();
  report.summary.stability = {Verdict::undecided, "too short", 0, 0, "a run of about 40 min", 2400};
  EXPECT_THAT(result_table(report, kPlain), HasSubstr("what would decide: a run of about 40 min"));
}

TEST(Table, partial_results_say_so_before_anything_else) {
  Report report = example_report();
  report.summary.partial = true;
  report.facts.stopped_by = "the time limit of 10 s";
  const std::string table = result_table(report, kPlain);
  EXPECT_THAT(table, HasSubstr("PARTIAL"));
  EXPECT_LT(table.find("PARTIAL"), table.find("Verdict"));
}

TEST(Table, tells_of_a_fleet_whose_replicas_come_and_go) {
  const std::string table = result_table(fleet_report(), kPlain);
  EXPECT_THAT(table, HasSubstr("1,200\n             timed out, 4 hung up by their"));
  EXPECT_THAT(table, HasSubstr("31 lost with their"));
  EXPECT_THAT(table, HasSubstr("1 retry"));
  EXPECT_THAT(table, HasSubstr("15 escalations"));
  EXPECT_THAT(table, HasSubstr("main: 4.25 ready on average (2 to 6), 12 start-ups, 1 failure\n"));
  EXPECT_THAT(table, HasSubstr("GPU-hours paid: 30 ready, 2.25 starting, 0.5 draining, 3 rest of\n"
                               "             nodes\n"));
  EXPECT_THAT(table, HasSubstr("Front        tokenizer: 4 servers, 50 % busy, 1.25 requests in"));
  EXPECT_THAT(table, HasSubstr("Availability main: 99.87 % of its replicas up in the long run, by "
                               "mean times;\n             all 2 for 97.5 % of the time, 1 or more "
                               "for 99 %\n"));
  EXPECT_THAT(table, HasSubstr("of the requests that completed: those that ended otherwise"));
  EXPECT_THAT(table, HasSubstr("replicas starting of main: 60 % of the capacity wanted while\n"));
  EXPECT_THAT(table, HasSubstr("GPU-hours down: 0.4\n"));
  EXPECT_THAT(table, HasSubstr("5.98 USD an hour for 35.75 GPUs on average, 48 at most"));
}

TEST(Table, has_latencies_and_good_share_of_each_pool_that_answered) {
  const std::string table = result_table(canary_report(), kPlain);
  EXPECT_THAT(table, HasSubstr("\npool main: 37.85 /s, 99.99 % good\n"
                               "  TTFT             40.0 ms +-0.4   36.0 ms +-0.5"));
  EXPECT_THAT(table, HasSubstr("\n  TPOT             12.0 ms +-0.2   10.8 ms"));
  EXPECT_THAT(table, HasSubstr("\npool canary: 37.85 /s, 99.99 % good\n"
                               "  E2E             ~2.50 s +-0.03"));  // no tokens: a station
  EXPECT_THAT(table, Not(HasSubstr("pool spare")));
  EXPECT_THAT(result_table(example_report(), kPlain), Not(HasSubstr("pool main")));
  Report without_slo = canary_report();
  without_slo.summary.slo_given = false;
  EXPECT_THAT(result_table(without_slo, kPlain), HasSubstr("\npool main: 37.85 /s\n"));
}

TEST(Table, tells_what_failed_beside_what_is_to_be_expected) {
  Report report = example_report();
  EXPECT_THAT(result_table(report, kPlain), Not(HasSubstr("Faults")));
  report.summary.pools[0].availability = {true, 0.99876, true, 0.975, 0.0001, 1};
  report.summary.pools[0].up_share = 1;
  std::string table = result_table(report, kPlain);
  EXPECT_THAT(table, HasSubstr("             100 % in this run\n"));
  EXPECT_THAT(table,
              HasSubstr("Faults       none in this run, which is no evidence of availability\n"));
  report.summary.pools[0].up_share = 0.9912;
  report.summary.counts.faults = {0, 2, 0, 1'000, 0, 1};
  table = result_table(report, kPlain);
  EXPECT_THAT(table, HasSubstr("             99.12 % in this run\n"));
  EXPECT_THAT(table, HasSubstr("Faults       2 node faults, 1,000 engine crashes, 1 store cuts\n"));
}

TEST(Table, says_nothing_of_replicas_that_stay) {
  const std::string table = result_table(example_report(), kPlain);
  EXPECT_THAT(table, Not(HasSubstr("Replicas")));
  EXPECT_THAT(table, Not(HasSubstr("timed out")));
  EXPECT_THAT(table, Not(HasSubstr("retr")));
}

TEST(Table, an_empty_result_is_dashes_and_never_nan) {
  const std::string table = result_table(Report(), kPlain);
  EXPECT_THAT(table, Not(HasSubstr("nan")));
  EXPECT_THAT(table, Not(HasSubstr("inf")));
  EXPECT_THAT(table, HasSubstr("E2E                            -               -"));
}

TEST(SecondsText, takes_the_best_sized_unit_for_value_and_half_width) {
  EXPECT_EQ(seconds_text(0.0421, 0.0003, kPlain), "42.1 ms +-0.3");
  EXPECT_EQ(seconds_text(0, {}, kPlain), "0 s");
  EXPECT_EQ(seconds_text(0, 0.0, kPlain), "0 s +-0");
  EXPECT_EQ(seconds_text(99.6, {}, kPlain), "99.6 s");
  EXPECT_EQ(seconds_text(5400, {}, kPlain), "1.50 h");
  EXPECT_EQ(seconds_text(0.999999, {}, kPlain), "1.00 s");
  EXPECT_EQ(seconds_text(2.5e-6, {}, kPlain), "2.50 us");
}

TEST(NumberText, groups_thousands_and_keeps_four_digits) {
  EXPECT_EQ(number_text(19366), "19,366");
  EXPECT_EQ(number_text(20), "20");
  EXPECT_EQ(number_text(0.0000831), "0.0000831");
  EXPECT_EQ(number_text(-1234567), "-1,234,567");
  EXPECT_EQ(grouped(-123), "-123");
}

TEST(ShareText, never_rounds_to_one_hundred_what_is_less) {
  EXPECT_EQ(share_text(0.99996), "99.99 %");
  EXPECT_EQ(share_text(1), "100 %");
  EXPECT_EQ(share_text(0.975), "98 %");
  EXPECT_EQ(share_text(0.003), "0.3 %");
}

}  // namespace
}  // namespace headway
