// Keys of the front, of admission, and of clients that do not wait for ever.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/scenario/example.hpp"

namespace headway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The chat with keys added to its class.
std::string chat_with(const std::string& keys) {
  return with(kChat, "    output_tokens", "    " + keys + "\n    output_tokens");
}

TEST(Traffic, AFrontHasStations) {
  const Scenario scenario =
      parse(kChat +
            "front: {latency: 2 ms, balancer: {servers: 3, time: {exponential: {mean: 1 "
            "ms}}}, tokenizer: {per_token: 2 us, batch: 32}}\n");
  EXPECT_TRUE(scenario.warnings.empty());
  ASSERT_TRUE(scenario.front.balancer && scenario.front.tokenizer);
  EXPECT_EQ(scenario.front.balancer->servers, 3);
  EXPECT_EQ(scenario.front.balancer->time.kind, Distribution::Kind::exponential);
  EXPECT_EQ(scenario.front.balancer->seconds_per_input_token, 0);
  EXPECT_EQ(scenario.front.balancer->batch, 1);
  EXPECT_EQ(scenario.front.tokenizer->servers, 1);
  EXPECT_EQ(scenario.front.tokenizer->batch, 32);
  EXPECT_DOUBLE_EQ(scenario.front.tokenizer->seconds_per_input_token, 2e-6);
  EXPECT_FALSE(parse(kChat).front.balancer || parse(kChat).front.tokenizer);
  EXPECT_THAT(refusal(kChat + "front: {tokenizer: {servers: 4}}\n"),
              HasSubstr("s.yaml:14:20: a station that takes no time"));
}

TEST(Traffic, APerTokenTimeReadsTheInputTokensOfAService) {
  const std::string sized = with(kShop, "fleet:", "    input_tokens: 5\nfleet:");
  EXPECT_THAT(parse(sized).warnings, ElementsAre(HasSubstr("'input_tokens' has no effect")));
  EXPECT_THAT(parse(sized + "front: {tokenizer: {per_token: 2 us}}\n").warnings, IsEmpty());
}

TEST(Traffic, AdmissionHasALimitAndShedsByPriority) {
  const Scenario scenario =
      parse(chat_with("priority: 2"), {"admission={max_requests: 50, shed: [{priority: 1, above: "
                                       "80 %}, {priority: 3, above: 1}]}"});
  EXPECT_EQ(scenario.admission.max_requests, 50);
  ASSERT_EQ(scenario.admission.shed.size(), 2U);
  EXPECT_EQ(scenario.admission.shed[0].priority, 1);
  EXPECT_DOUBLE_EQ(scenario.admission.shed[0].above, 0.8);
  EXPECT_THAT(scenario.warnings,
              ElementsAre(HasSubstr("shedding from priority 3 on has no effect: no class has")));
  EXPECT_THAT(parse(kChat + "admission: {shed: [{priority: 0, above: 0.5}]}\n").warnings,
              ElementsAre("s.yaml:14:13: 'shed' has no effect: max_requests is not given"));
  EXPECT_THAT(parse(kChat + "admission: {max_held: 5}\n").warnings,
              ElementsAre(HasSubstr("'max_held' has no effect: replicas are ready all the time")));
}

TEST(Traffic, ClientsHaveTimeouts) {
  const Scenario scenario =
      parse(chat_with("timeouts: {queue: {exponential: {mean: 30 s}}, total: 2 min}"));
  const Timeouts& timeouts = scenario.workload[0].timeouts;
  EXPECT_TRUE(timeouts.any());
  ASSERT_TRUE(timeouts.queue && timeouts.total);
  EXPECT_FALSE(timeouts.first_token);
  EXPECT_DOUBLE_EQ(timeouts.queue->a, 30);
  EXPECT_DOUBLE_EQ(timeouts.total->a, 120);
  EXPECT_FALSE(parse(kChat).workload[0].timeouts.any());
  EXPECT_THAT(refusal(chat_with("timeouts: {}")),
              HasSubstr("s.yaml:6:15: timeouts without limits; expected at least one of"));
}

TEST(Traffic, ClientsHangUp) {
  const Scenario scenario = parse(chat_with("hang_up: {share: 10 %, after: 3 s}"));
  ASSERT_TRUE(scenario.workload[0].hang_up);
  EXPECT_DOUBLE_EQ(scenario.workload[0].hang_up->share, 0.1);
  EXPECT_DOUBLE_EQ(scenario.workload[0].hang_up->after.a, 3);
  EXPECT_FALSE(parse(kChat).workload[0].hang_up);
}

TEST(Traffic, ClientsTryAgain) {
  const Retries all = parse(chat_with("retries: {attempts: 3}")).workload[0].retries;
  EXPECT_EQ(all.attempts, 3);
  EXPECT_DOUBLE_EQ(all.backoff_seconds, 1);
  EXPECT_DOUBLE_EQ(all.factor, 2);
  EXPECT_DOUBLE_EQ(all.longest_seconds, 60);
  EXPECT_EQ(all.jitter, Retries::Jitter::full);
  EXPECT_TRUE(all.rejected && all.timed_out && all.lost);
  const Retries some =
      parse(chat_with("retries: {attempts: 9, backoff: 0 s, on: [lost, rejected]}"))
          .workload[0]
          .retries;
  EXPECT_EQ(some.backoff_seconds, 0);
  EXPECT_TRUE(some.rejected && some.lost);
  EXPECT_FALSE(some.timed_out);
  EXPECT_EQ(parse(kChat).workload[0].retries.attempts, 1);
  EXPECT_THAT(refusal(chat_with("retries: {attempts: 3, on: [late]}")),
              HasSubstr("workload.chat.retries.on.0 is 'late'; expected one of: rejected, "
                        "timed_out, lost"));
  EXPECT_THAT(refusal(chat_with("retries: {attempts: 3, longest: 500 ms}")),
              HasSubstr("the longest back-off, 500 ms, is shorter than the first, 1 s"));
}

TEST(Traffic, RetriesThatNeverComeAreWarnedOf) {
  const auto warnings = [](const std::string& keys) { return parse(chat_with(keys)).warnings; };
  EXPECT_THAT(warnings("retries: {attempts: 1}"),
              ElementsAre(HasSubstr("'retries' has no effect: there is one attempt")));
  EXPECT_THAT(warnings("retries: {attempts: 2, backoff: 0 s, jitter: equal}"),
              ElementsAre(HasSubstr("'jitter' has no effect: backoff is 0")));
  EXPECT_THAT(warnings("retries: {attempts: 2, on: [timed_out]}"),
              ElementsAre(HasSubstr("'retries' has no effect: the class has no timeouts")));
  EXPECT_THAT(warnings("retries: {attempts: 2, on: [lost]}"),
              ElementsAre(HasSubstr("'retries' has no effect: no pool has failures")));
  EXPECT_THAT(warnings("retries: {attempts: 2}"), IsEmpty());
}

TEST(Traffic, StreamingNeedsTokens) {
  EXPECT_TRUE(parse(kChat).workload[0].streaming);
  EXPECT_FALSE(parse(chat_with("streaming: false")).workload[0].streaming);
  EXPECT_THAT(
      parse(chat_with("streaming: false"), {"workload.chat.slo={ttft: 1 s, tpot: 50 ms}"}).warnings,
      ElementsAre(HasSubstr("'tpot' has no effect: streaming is false")));
  EXPECT_THAT(parse(with(kShop, "fleet:", "    streaming: false\nfleet:")).warnings,
              ElementsAre(HasSubstr("'streaming' has no effect: no LLM pool makes tokens")));
}

}  // namespace
}  // namespace headway
