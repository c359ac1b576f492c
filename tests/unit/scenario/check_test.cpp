#include "sim/scenario/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/unit/scenario/example.hpp"

namespace headway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> warnings(const std::string& text,
                                  const std::vector<std::string>& sets = {}) {
  return parse(text, sets).warnings;
}

TEST(Check, EveryRuleHasANameOfItsOwnAndSaysWhatItHolds) {
  std::set<std::string> names;
  for (const Check& check : scenario_checks()) {
    EXPECT_TRUE(names.insert(check.name).second) << check.name;
    EXPECT_GT(std::string(check.rule).size(), 10U) << check.name;
  }
}

TEST(Check, PlainScenariosHaveNothingToWarnOf) {
  EXPECT_THAT(warnings(kShop), IsEmpty());
  EXPECT_THAT(warnings(kChat), IsEmpty());
}

TEST(Check, ARouterBeforeOneReplicaHasNoEffect) {
  const std::string routed = with(kChat, "run:", "router: {random: {}}\nrun:");
  EXPECT_THAT(warnings(routed), IsEmpty());
  EXPECT_THAT(warnings(with(routed, "replicas: 2", "replicas: 1")),
              ElementsAre("s.yaml:13:1: 'router' has no effect: the fleet is a single replica"));
}

TEST(Check, PrioritiesNeedAQueueThatLooksAtThem) {
  const std::string one = with(kChat, "    input_tokens", "    priority: 3\n    input_tokens");
  EXPECT_THAT(warnings(one), ElementsAre(HasSubstr("s.yaml:5:5: 'priority' has no effect: no pool "
                                                   "has the order 'priority'")));
  EXPECT_THAT(warnings(one, {"fleet.main.order=priority"}),
              ElementsAre(HasSubstr("'order' has no effect: all classes have the same priority")));
  const std::string two = with(one, "fleet:",
                               "  - class: batch\n    arrivals: {poisson: {rate: 1 /s}}\n"
                               "    input_tokens: 5\n    output_tokens: 5\nfleet:");
  EXPECT_THAT(warnings(two, {"fleet.main.order=priority"}), IsEmpty());
}

TEST(Check, AChunkLimitNeedsChunks) {
  EXPECT_THAT(warnings(with(kChat, "replicas: 2",
                            "replicas: 2\n    batching: {continuous: {chunked_prefill: false, "
                            "long_prefill_token_threshold: 512}}")),
              ElementsAre(HasSubstr("'long_prefill_token_threshold' has no effect")));
}

std::string holding(const std::string& keys) {
  return with(kChat, "replicas: 2", "replicas: 2\n    batching: {continuous: {" + keys + "}}");
}

TEST(Check, PromptsAreHeldByTwoBoundsTogether) {
  const char* const both = "batch_wait_timeout_iters: 20, batch_wait_max_tokens_ratio: 0.9";
  EXPECT_THAT(warnings(holding(both)), IsEmpty());
  const Batching batching = parse(holding(both)).fleet[0].batching;
  EXPECT_EQ(batching.batch_wait_timeout_iters, 20);
  EXPECT_DOUBLE_EQ(batching.batch_wait_max_tokens_ratio, 0.9);
  EXPECT_EQ(batching.attention_dp_timeout_iters, -1);
  EXPECT_THAT(warnings(holding("batch_wait_timeout_iters: 20")),
              ElementsAre(HasSubstr("'batch_wait_timeout_iters' has no effect: "
                                    "batch_wait_max_tokens_ratio is 0")));
  EXPECT_THAT(warnings(holding("batch_wait_max_tokens_ratio: 0.9")),
              ElementsAre(HasSubstr("'batch_wait_max_tokens_ratio' has no effect: "
                                    "batch_wait_timeout_iters is 0")));
  EXPECT_THAT(refusal(holding("batch_wait_max_tokens_ratio: 1.5")), HasSubstr("1.5"));
  EXPECT_THAT(refusal(holding("batch_wait_timeout_iters: 1000001")), HasSubstr("1000001"));
}

TEST(Check, RanksHoldPromptsByKeysOfTheirOwn) {
  const std::string alone = holding("attention_dp_timeout_iters: 50");
  EXPECT_THAT(warnings(alone),
              ElementsAre(HasSubstr("'attention_dp_timeout_iters' has no effect: parallel.data is "
                                    "1")));
  const std::vector<std::string> two_ranks = {"fleet.main.parallel.data=2"};
  EXPECT_EQ(parse(alone, two_ranks).fleet[0].batching.attention_dp_batching_wait_iters, 10);
  EXPECT_EQ(parse(holding("attention_dp_batching_wait_iters: 0"), two_ranks)
                .fleet[0]
                .batching.attention_dp_timeout_iters,
            50);
  EXPECT_THAT(warnings(alone, two_ranks), IsEmpty());
  EXPECT_THAT(warnings(holding("batch_wait_timeout_iters: 20, batch_wait_max_tokens_ratio: 0.9"),
                       two_ranks),
              ElementsAre(HasSubstr("'batch_wait_timeout_iters' has no effect: parallel.data is "
                                    "above 1"),
                          HasSubstr("'batch_wait_max_tokens_ratio' has no effect")));
}

TEST(Check, AServiceMakesNoTokens) {
  EXPECT_THAT(warnings(with(kShop, "fleet:",
                            "    output_tokens: 5\n    slo: {ttft: 1 s, tpot: 50 ms}\nfleet:")),
              ElementsAre(HasSubstr("'tpot' has no effect: no LLM pool makes tokens"),
                          HasSubstr("'output_tokens' has no effect")));
}

TEST(Check, RequestBytesAndTheLinkNeedEachOther) {
  const std::string sized = with(kShop, "fleet:", "    request_bytes: 2 MB\nfleet:");
  EXPECT_THAT(warnings(sized), ElementsAre(HasSubstr("'request_bytes' has no effect")));
  EXPECT_THAT(warnings(kShop, {"front.bandwidth=1 GB/s"}),
              ElementsAre("--set front.bandwidth=1 GB/s: 'bandwidth' has no effect: no class has "
                          "request_bytes"));
  EXPECT_THAT(warnings(sized, {"front.bandwidth=1 GB/s"}), IsEmpty());
}

TEST(Check, NothingIsTrimmedFromALoadThatIsNotStationary) {
  EXPECT_THAT(warnings(with(kShop, "{poisson: {rate: 1 /s}}", "{stages: [{rate: 1 /s, for: 1 h}]}"),
                       {"run.warm_up=5 s"}),
              ElementsAre(HasSubstr("'warm_up' has no effect")));
}

TEST(Check, RequestsThatAreBoundToBeTooLongAreWarnedOf) {
  EXPECT_THAT(
      warnings(with(kChat, "512", "{exponential: {mean: 500}, max: 9000}")),
      ElementsAre(HasSubstr("s.yaml:5:19: class 'chat' has requests of up to 9180 tokens; "
                            "those over max_model_len of pool 'main' (8192) are rejected")));
  EXPECT_THAT(warnings(with(kChat, "30000", "10")),
              ElementsAre(HasSubstr("those over the tokens that its KV cache holds of pool 'main' "
                                    "(160) are rejected")));
}

TEST(Check, AModelWithoutExpertsHasNoneToShareOut) {
  const std::string text =
      with(kChat, "    step_time: {base: 10 ms, per_token: 6.25 us}\n",
           "    model: llama-3.1-8b\n    gpu: h100-sxm-80gb\n    engine: vllm-0.19\n");
  EXPECT_THAT(warnings(text), IsEmpty());
  EXPECT_THAT(refusal(text, {"fleet.main.parallel={tensor: 2, expert: 2}"}),
              HasSubstr("llama-3.1-8b has no experts"));
}

TEST(Check, DataParallelRanksHaveTheLimitsOfABatchEach) {
  const std::string text = with(kChat,
                                "    step_time: {base: 10 ms, per_token: 6.25 us}\n"
                                "    kv: {blocks: 30000}\n    max_model_len: 8192\n",
                                "    model: mixtral-8x7b\n    gpu: h200\n    engine: vllm-0.19\n"
                                "    parallel: {data: 4, expert: 4}\n"
                                "    batching: {continuous: {max_num_seqs: 100}}\n");
  const Scenario scenario = parse(text);
  EXPECT_THAT(scenario.warnings, IsEmpty());
  const Pool& pool = scenario.fleet[0];
  EXPECT_EQ(pool.gpus_per_replica, 4);
  EXPECT_EQ(pool.batching.max_num_seqs, 400);
  EXPECT_EQ(pool.batching.max_num_batched_tokens, 4 * 8192);
  EXPECT_EQ(pool.batching.long_prefill_token_threshold, 8192);  // a chunk stays on one rank
  EXPECT_EQ(pool.placement.max_num_seqs, 100);
  EXPECT_EQ(pool.blocks_of_rank(), pool.kv.blocks / 4);
  EXPECT_THAT(
      refusal(with(text, "{continuous: {max_num_seqs: 100}}", "{static: {size: 8}}")),
      HasSubstr("s.yaml:12:22: 4 data-parallel ranks of pool 'main' step together; expected "
                "continuous batching, or data: 1"));
  EXPECT_THAT(refusal(with(text, "mixtral-8x7b", "llama-3.1-8b"), {"fleet.main.parallel.expert=1"}),
              HasSubstr("llama-3.1-8b has no experts that 4 data-parallel ranks could share"));
}

TEST(Check, EveryMicroBatchOfAPipelineHasATokenBudget) {
  const std::string text =
      with(kChat, "replicas: 2",
           "parallel: {pipeline: 4}\n    batching: {continuous: {max_num_seqs: "
           "64, max_num_batched_tokens: 1000}}");
  const Pool pool = parse(text).fleet[0];
  EXPECT_EQ(pool.batching.max_num_batched_tokens, 4000);
  EXPECT_EQ(pool.batching.max_num_seqs, 64);
  EXPECT_EQ(pool.batching.long_prefill_token_threshold, 0);
  EXPECT_EQ(pool.placement.max_num_batched_tokens, 1000);
  EXPECT_EQ(pool.gpus_per_replica, 4);
}

TEST(Check, AModelBesideAGivenStepTimeIsWarnedOf) {
  EXPECT_THAT(warnings(kChat, {"fleet.main.model=llama-3.1-8b"}),
              ElementsAre(HasSubstr("'model' has no effect")));
}

TEST(Check, AModelThatDoesNotFitIsShownWithTheSum) {
  const std::string message =
      refusal(with(kChat, "    step_time: {base: 10 ms, per_token: 6.25 us}\n",
                   "    model: llama-3.1-70b\n    gpu: rtx-4090-24gb\n    engine: vllm-0.19\n"));
  EXPECT_THAT(message, HasSubstr("llama-3.1-70b does not fit on 1 x rtx-4090-24gb"));
  EXPECT_THAT(message, HasSubstr("weights"));
  EXPECT_THAT(message, HasSubstr("141 GB"));
}

TEST(Check, AModelThatSglangLeavesNoMemoryForIsShownWhatItsRuleReserves) {
  const std::string text =
      with(kChat, "    step_time: {base: 10 ms, per_token: 6.25 us}\n",
           "    model: llama-3.1-8b\n    gpu: l4-24gb\n    engine: sglang-0.5\n");
  // 512 + 1.5 · 8,192 + 2 · 256 + 128 MiB of 22.05 GiB.
  EXPECT_THAT(refusal(text),
              HasSubstr("sglang-0.5 leaves 59.5 % of the memory free for steps of 8192 tokens"));
  EXPECT_EQ(refusal(text, {"fleet.main.batching.continuous.max_num_batched_tokens=2048"}), "");
  EXPECT_THAT(refusal(text, {"fleet.main.kv.gpu_memory_utilization=0.5"}),
              AllOf(HasSubstr("does not fit"), Not(HasSubstr("leaves"))));
}

TEST(Check, AProfileOfAnotherGpuThanThePoolsIsWarnedOf) {
  const std::string file =
      std::string(HEADWAY_SOURCE_DIR) + "/models/catalog/profiles/b200-sxm/vllm-0.24.0/bf16.json";
  const auto served_on = [&file](const std::string& gpu) {
    return with(kChat, "    step_time: {base: 10 ms, per_token: 6.25 us}\n",
                "    model: llama-3.1-8b\n    gpu: " + gpu +
                    "\n    engine: vllm-0.19\n    profile: " + file + "\n");
  };
  EXPECT_THAT(warnings(served_on("b200")), IsEmpty());
  EXPECT_THAT(warnings(served_on("h100")),
              ElementsAre("s.yaml:12:14: the profile is of b200-sxm, the GPU of pool 'main' is "
                          "h100-sxm-80gb"));
  EXPECT_THAT(
      warnings(with(kChat, "    replicas: 2\n", "    replicas: 2\n    profile: " + file + "\n")),
      ElementsAre(HasSubstr("'profile' has no effect: step_time is given")));
}

TEST(Check, OfANumberOfRequestsNoneArrivesAfter106Days) {
  const std::string text = with(kChat, "duration: 1 h", "requests: 9000000");  // 104.2 days
  EXPECT_THAT(warnings(text), IsEmpty());
  EXPECT_THAT(
      warnings(text, {"workload.chat.arrivals.poisson.rate=0.5 /s"}),
      ElementsAre("s.yaml:13:17: 9000000 requests at 0.5 /s take 208.3 days; none arrives after "
                  "106 days"));
}

TEST(Check, AnEngineOfOnesOwnIsAPathWhereverOneStands) {
  const std::string text = with(kChat, "    step_time: {base: 10 ms, per_token: 6.25 us}\n",
                                "    model: llama-3.1-8b\n    gpu: h100\n    engine: ./none.yml\n");
  EXPECT_THAT(refusal(text), HasSubstr("none.yml: the file cannot be read"));
}

TEST(Check, TheBudgetsOfVllmHold) {
  const auto budget = [](const std::string& keys) {
    return refusal(
        with(kChat, "replicas: 2", "replicas: 2\n    batching: {continuous: {" + keys + "}}"));
  };
  EXPECT_EQ(budget("max_num_seqs: 256, max_num_batched_tokens: 256"), "");
  EXPECT_THAT(budget("max_num_seqs: 257, max_num_batched_tokens: 256"),
              HasSubstr("max_num_batched_tokens (256) is below max_num_seqs (257)"));
  EXPECT_EQ(budget("chunked_prefill: false, max_num_batched_tokens: 8192"), "");
  EXPECT_THAT(budget("chunked_prefill: false, max_num_batched_tokens: 8191"),
              HasSubstr("max_num_batched_tokens (8191) is below max_model_len (8192)"));
}

TEST(Check, TheLongestRunIs106Days) {
  EXPECT_EQ(refusal(kShop, {"run.duration=106 d"}), "");
  EXPECT_THAT(refusal(kShop, {"run.duration=107 d"}), HasSubstr("at most 106 d"));
}

}  // namespace
}  // namespace headway
