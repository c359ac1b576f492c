#include "sim/report/trace_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/report/example.hpp"

namespace headway {
namespace {

constexpr Time kMillisecond = 1'000'000'000;

nlohmann::json trace_of(const std::function<void(TraceJson&)>& observe,
                        std::size_t limit = TraceJson::kLimitBytes) {
  TemporaryFolder folder;
  TraceJson trace(folder / "trace.json", example_scenario(), limit);
  observe(trace);
  trace.finish();
  trace.file().commit();
  return nlohmann::json::parse(file_text(folder / "trace.json"));
}

nlohmann::json events_named(const nlohmann::json& trace, const std::string& name) {
  nlohmann::json found = nlohmann::json::array();
  for (const auto& event : trace.at("traceEvents"))
    if (event.at("name") == name) found.push_back(event);
  return found;
}

TEST(TraceJson, a_span_of_steps_is_a_slice_on_its_replicas_track_in_microseconds) {
  StepSpan span;
  span.replica = 1;
  span.start = 2 * kMillisecond;
  span.end = 12 * kMillisecond;
  span.steps = 4;
  span.decode_sequences = 8;
  const auto trace = trace_of([&](TraceJson& out) { out.on_steps(span); });
  const auto slices = events_named(trace, "decode");
  ASSERT_EQ(slices.size(), 1u);
  EXPECT_EQ(slices[0].at("ph"), "X");
  EXPECT_EQ(slices[0].at("ts"), 2000.0);
  EXPECT_EQ(slices[0].at("dur"), 10000.0);
  EXPECT_EQ(slices[0].at("tid"), 1);
  EXPECT_EQ(slices[0].at("args").at("steps"), 4);
  EXPECT_EQ(trace.at("otherData").at("format"), "headway.trace");
  EXPECT_EQ(trace.at("otherData").at("complete"), true);
}

TEST(TraceJson, the_phases_of_a_replica_are_slices_on_a_track_beside_its_own) {
  const auto trace = trace_of([](TraceJson& out) {
    out.on_phase(20 * kMillisecond, 1, ReplicaPhase::down);
    out.on_phase(50 * kMillisecond, 1, ReplicaPhase::weights);
    out.on_retry(60 * kMillisecond, 0, Outcome::lost);
    StepSpan last;
    last.start = 60 * kMillisecond;
    last.end = 80 * kMillisecond;
    out.on_steps(last);
  });
  const auto down = events_named(trace, "down"), weights = events_named(trace, "weights");
  ASSERT_EQ(down.size(), 1u);
  EXPECT_EQ(down[0].at("ts"), 20000.0);
  EXPECT_EQ(down[0].at("dur"), 30000.0);
  EXPECT_EQ(down[0].at("tid"), 3 + 1);  // three replicas have tracks of steps
  EXPECT_EQ(events_named(trace, "ready").at(0).at("dur"), 20000.0);
  ASSERT_EQ(weights.size(), 1u) << "a phase that lasts to the end ends with the last event";
  EXPECT_EQ(weights[0].at("dur"), 30000.0);
  EXPECT_EQ(events_named(trace, "thread_name").back().at("args").at("name"), "phases of main #1");
  EXPECT_EQ(events_named(trace, "retry").at(0).at("args").at("after"), "lost with its replica");
}

TEST(TraceJson, every_replica_has_a_named_track) {
  const auto trace = trace_of([](TraceJson&) {});
  std::vector<std::string> names;
  for (const auto& event : events_named(trace, "thread_name"))
    names.push_back(event.at("args").at("name"));
  EXPECT_EQ(names, (std::vector<std::string>{"main #0", "main #1", "reranker #0"}));
}

TEST(TraceJson, a_request_is_a_slice_that_holds_its_queue_prefill_and_decode) {
  RequestRecord record;
  record.scheduled = record.sent = record.queued = 0;
  record.started = 3 * kMillisecond;
  record.first_token = 10 * kMillisecond;
  record.finished = 50 * kMillisecond;
  record.output_tokens = 5;
  const auto trace = trace_of([&](TraceJson& out) {
    out.on_arrival(0, 0);
    out.on_departure(record.finished, record);
  });
  for (const auto& [name, from, to] :
       {std::tuple("chat", 0.0, 50000.0), std::tuple("queue", 0.0, 3000.0),
        std::tuple("prefill", 3000.0, 10000.0), std::tuple("decode", 10000.0, 50000.0)}) {
    const auto slices = events_named(trace, name);
    ASSERT_EQ(slices.size(), 2u) << name;
    EXPECT_EQ(slices[0].at("ph"), "b");
    EXPECT_EQ(slices[0].at("ts"), from) << name;
    EXPECT_EQ(slices[1].at("ph"), "e");
    EXPECT_EQ(slices[1].at("ts"), to) << name;
  }
}

TEST(TraceJson, batches_of_a_station_with_several_servers_are_slices_apart) {
  StepSpan first, second;
  first.replica = second.replica = 2;
  first.end = 10 * kMillisecond;
  second.start = 5 * kMillisecond;
  second.end = 12 * kMillisecond;
  const auto trace = trace_of([&](TraceJson& out) {
    out.on_steps(first);
    out.on_steps(second);
  });
  const auto slices = events_named(trace, "batch");
  ASSERT_EQ(slices.size(), 4u);
  EXPECT_EQ(slices[0].at("id"), slices[1].at("id"));
  EXPECT_NE(slices[0].at("id"), slices[2].at("id"));
}

TEST(TraceJson, keeps_under_its_limit_stays_valid_and_says_from_when_it_is_cut) {
  const auto trace = trace_of(
      [](TraceJson& out) {
        for (int at = 0; at < 10'000; ++at) out.on_arrival(at * kMillisecond, 0);
      },
      100'000);
  EXPECT_LT(trace.dump().size(), 101'000u);
  EXPECT_EQ(trace.at("otherData").at("complete"), false);
  const double cut = trace.at("otherData").at("left_out_from_seconds");
  const auto counters = events_named(trace, "requests in the system");
  EXPECT_NEAR(counters.back().at("ts").get<double>() / 1e6, cut - 0.001, 1e-9);
}

}  // namespace
}  // namespace headway
