#include "sim/study/child_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "sim/report/summary_json.hpp"
#include "sim/scenario/load.hpp"
#include "tests/unit/report/example.hpp"

namespace headway {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// One server, 1 ms a request, one request every 2 ms: D/D/1.
Scenario station(const std::string& run, const std::string& service = "{fixed: 1 ms}") {
  return parse_scenario(
      "headway: 1\n"
      "name: one server\n"
      "workload:\n"
      "  - class: work\n"
      "    arrivals: {constant: {rate: 500 /s}}\n"
      "fleet:\n"
      "  - pool: server\n"
      "    service: {time: " +
          service +
          "}\n"
          "    replicas: 1\n"
          "run: {engine: heap, warm_up: 0 s, " +
          run + "}\n",
      "station.yaml", ".");
}

// A run that takes minutes of wall time.
Scenario endless() {
  return station("duration: 2000000 s");
}

RunReply run(RunOrder order, const RunWatch& watch = {}) {
  return run_all({order}, 1, watch).at(0);
}

TEST(ChildRun, gives_the_figures_of_the_run) {
  const RunReply reply = run({station("requests: 1000"), "", 0, 0});
  ASSERT_EQ(reply.status, RunReply::Status::complete) << reply.error;
  // The load ends with the arrival of the thousandth, which is in flight then.
  EXPECT_EQ(reply.report.summary.counts.arrived, 1000);
  EXPECT_EQ(reply.report.summary.counts.completed, 999);
  EXPECT_NEAR(reply.report.summary.latencies.e2e.mean.value, 0.001, 1e-12);
  EXPECT_EQ(reply.report.provenance.engine, "heap");
  EXPECT_EQ(summary_json(reply.report), reply.summary_json);
}

TEST(ChildRun, many_runs_answer_in_the_order_asked_and_alike) {
  std::vector<RunOrder> orders;
  for (int count = 1; count <= 12; ++count)
    orders.push_back({station("requests: " + std::to_string(100 * count)), "", 0, 0});
  std::size_t told = 0;
  RunWatch watch;
  watch.on_reply = [&](std::size_t, const RunReply&) { ++told; };
  const std::vector<RunReply> replies = run_all(orders, 3, watch);
  ASSERT_EQ(replies.size(), 12u);
  EXPECT_EQ(told, 12u);
  for (std::size_t index = 0; index < replies.size(); ++index)
    EXPECT_EQ(replies[index].report.summary.counts.arrived, 100 * (index + 1));
}

TEST(ChildRun, writes_every_result_file_and_nothing_else) {
  TemporaryFolder folder;
  const RunReply reply = run({station("requests: 100"), folder.path(), 0, 0});
  ASSERT_EQ(reply.status, RunReply::Status::complete) << reply.error;
  for (const char* name : {"summary.json", "requests.csv", "timeseries.csv", "trace.json"})
    EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
  EXPECT_EQ(folder.files(), 4u);
  EXPECT_EQ(file_text(folder / "summary.json"), reply.summary_json);
}

TEST(ChildRun, tells_of_its_progress) {
  std::vector<ChildProgress> told;
  RunWatch watch;
  watch.on_progress = [&](std::size_t, const ChildProgress& progress) { told.push_back(progress); };
  watch.stop = [&] { return told.size() >= 3 ? Stop::with_results : Stop::no; };
  run({endless(), "", 20, 0}, watch);
  ASSERT_GE(told.size(), 3u);
  EXPECT_GT(told[1].simulated_seconds, told[0].simulated_seconds);
  EXPECT_GT(told[1].offered, told[0].offered);
  EXPECT_NEAR(static_cast<double>(told[1].offered), 500 * told[1].simulated_seconds, 2);
  EXPECT_NEAR(told[1].fraction, told[1].simulated_seconds / 2e6, 1e-3);
}

TEST(ChildRun, cancelled_gives_what_had_happened_marked_as_partial) {
  TemporaryFolder folder;
  const Clock::time_point begin = Clock::now();
  RunWatch watch;
  watch.stop = [&] { return seconds_since(begin) > 0.2 ? Stop::with_results : Stop::no; };
  const RunReply reply = run({endless(), folder.path(), 0, 0}, watch);
  EXPECT_EQ(reply.status, RunReply::Status::partial) << reply.error;
  EXPECT_LT(seconds_since(begin), 20);
  EXPECT_TRUE(reply.report.summary.partial);
  EXPECT_EQ(reply.report.facts.stopped_by, "cancellation");
  EXPECT_GT(reply.report.summary.counts.completed, 0);
  EXPECT_THAT(file_text(folder / "summary.json"), HasSubstr("\"partial\": true"));
}

TEST(ChildRun, ends_at_its_time_limit_with_what_it_has) {
  const Clock::time_point begin = Clock::now();
  const RunReply reply = run({endless(), "", 0.3, 0});
  EXPECT_EQ(reply.status, RunReply::Status::partial) << reply.error;
  EXPECT_THAT(reply.report.facts.stopped_by, HasSubstr("time limit of 300 ms"));
  EXPECT_LT(seconds_since(begin), 20);
}

TEST(ChildRun, stopped_at_once_leaves_no_file_and_does_not_start_the_rest) {
  TemporaryFolder folder;
  const Clock::time_point begin = Clock::now();
  RunWatch watch;
  watch.stop = [&] { return seconds_since(begin) > 0.2 ? Stop::at_once : Stop::no; };
  const std::vector<RunReply> replies =
      run_all({{endless(), folder.path(), 0, 0}, {endless(), "", 0, 0}}, 1, watch);
  EXPECT_EQ(replies.at(0).status, RunReply::Status::failed);
  EXPECT_EQ(replies.at(0).error, "cancelled");
  EXPECT_EQ(replies.at(1).error, "cancelled");
  EXPECT_EQ(folder.files(), 0u);
}

#ifndef HEADWAY_SANITIZE
TEST(ChildRun, over_its_memory_limit_fails_with_the_limit_named_and_the_others_go_on) {
  TemporaryFolder folder;
  RunOrder small{station("requests: 1000"), folder.path(), 0, 2'000'000};
  RunOrder free{station("requests: 1000"), "", 0, 0};
  const std::vector<RunReply> replies = run_all({small, free}, 2);
  EXPECT_EQ(replies.at(0).status, RunReply::Status::failed);
  EXPECT_THAT(replies.at(0).error, AllOf(HasSubstr("memory"), HasSubstr("limit of 2 MB")));
  EXPECT_EQ(replies.at(1).status, RunReply::Status::complete) << replies.at(1).error;
  EXPECT_EQ(folder.files(), 0u);
}
#endif

// Finds the one child of this process.
pid_t only_child() {
  std::ifstream file("/proc/self/task/" + std::to_string(::getpid()) + "/children");
  pid_t child = -1;
  file >> child;
  return child;
}

TEST(ChildRun, a_crash_is_named_by_its_signal_and_leaves_no_file) {
  TemporaryFolder folder;
  bool shot = false;
  RunWatch watch;
  watch.on_progress = [&](std::size_t, const ChildProgress&) {
    if (!shot) ::kill(only_child(), SIGSEGV);
    shot = true;
  };
  const RunReply reply = run({endless(), folder.path(), 20, 0}, watch);
  EXPECT_EQ(reply.status, RunReply::Status::failed);
  EXPECT_FALSE(reply.wrong_input);
  EXPECT_THAT(reply.error, HasSubstr("signal 11 (Segmentation fault)"));
  EXPECT_EQ(folder.files(), 0u);
}

TEST(ChildRun, ends_when_the_process_that_started_it_is_killed_and_leaves_no_file) {
  TemporaryFolder folder;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    RunWatch watch;
    watch.on_progress = [&](std::size_t, const ChildProgress&) {
      const pid_t child = only_child();
      if (::write(ends[1], &child, sizeof child) < 0) ::_exit(1);
    };
    run({endless(), folder.path(), 60, 0}, watch);
    ::_exit(0);
  }
  pid_t child = -1;
  ASSERT_EQ(::read(ends[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  for (int wait = 0; wait < 500 && folder.files() > 0; ++wait)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(folder.files(), 0u);
}

TEST(ChildRun, wrong_input_found_in_mid_run_is_the_users_error) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder / "out");
  std::string trace = "arrival_seconds,input_tokens,output_tokens\n";
  for (int line = 0; line < 50; ++line) trace += std::to_string(line) + ",10,5\n";
  std::ofstream(folder / "trace.csv") << trace << "50,ten,5\n";
  RunOrder order{station("requests: 1000"), folder / "out", 0, 0};
  order.scenario.workload[0].arrivals.kind = Arrivals::Kind::trace;
  order.scenario.workload[0].arrivals.trace_path = (folder / "trace.csv").string();
  const RunReply reply = run(order);
  EXPECT_EQ(reply.status, RunReply::Status::failed);
  EXPECT_TRUE(reply.wrong_input) << reply.error;
  EXPECT_THAT(reply.error, HasSubstr("trace.csv:52"));
  EXPECT_TRUE(std::filesystem::is_empty(folder / "out"));
}

}  // namespace
}  // namespace headway
