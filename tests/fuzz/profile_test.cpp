// Hostile profiles: each prices steps in whole picoseconds, or is refused with one message.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <iostream>

#include "models/catalog.hpp"
#include "models/model_error.hpp"
#include "models/profile_cost.hpp"
#include "mutation.hpp"

namespace headway {
namespace {

constexpr const char* kExample = R"({"headway_profile": 1,
"gpu": "h100-sxm",
"engine": "vllm-0.19.0", "format": "bf16", "source": "a \"test\" \u00e9", "date": "2026-11-30",
"skew": 0.05,
"operators": ["gemm", "attention_prefill", "attention_chunk", "attention_decode", "attention_mixed",
"norm", "sampler"],
"held_out": [{"op": "gemm", "count": 9, "mean": 0.03, "median": 1e-2}],
"families": [
{"op": "gemm", "axes": {"m": [1,16,256,4096]}, "rows": [
{"k":1024,"n":1024,"us":[5,6.1,12.25,100]}, {"k":14336,"n":4096,"us":[30,31,55,null]}]},
{"op": "attention_prefill", "axes": {"batch": [1,8], "length": [16,1024]}, "rows": [
{"heads":32,"kv_heads":8,"head_dim":128,"window":0,"us":[5,40,9,280]}]},
{"op": "attention_chunk", "axes": {"chunk": [16,1024], "prefix": [0,512,4096]}, "rows": [
{"heads":32,"kv_heads":8,"head_dim":128,"window":0,"us":[5,6,9,40,60,200]}]},
{"op": "attention_decode", "axes": {"batch": [1,64], "context": [128,4096,8192]}, "rows": [
{"heads":32,"kv_heads":8,"head_dim":128,"window":0,"us":[5,9,13,30,300,null]}]},
{"op": "attention_mixed", "axes": {"chunk": [16,512], "batch": [1,64], "context": [128,4096]},
"rows": [{"heads":32,"kv_heads":8,"head_dim":128,"window":0,"us":[6,10,31,310,7,11,33,320]}]},
{"op": "norm", "axes": {"bytes": [4096,1048576]}, "rows": [{"us":[2,4]}]},
{"op": "sampler", "axes": {"batch": [1,64]}, "rows": [{"width":128256,"us":[9,60]}]}]}
)";

const std::vector<std::string> kWords = {
    "null",  "\"us\":[", "\"rows\": [", "{\"op\": \"moe\"", "[[",      "]}",
    "1e308", "1e-308",   "\\u00",       "\"window\":128",   "\"n\":0", "0,0"};

Placement llama() {
  Placement placement;
  placement.architecture = load_model("llama-3.1-8b");
  placement.gpu = load_gpu("h100");
  placement.gpu.name = "a card without profiles of its own";
  placement.engine = load_engine("vllm-0.19");
  placement.max_num_seqs = 16;
  placement.max_num_batched_tokens = 64;
  return placement;
}

/// Steps of all kinds and sizes; each in its range, a run of decodes like its single steps.
void price(const StepCost& cost) {
  const Picoseconds longest = Picoseconds{10} * 86400 * 1'000'000'000'000;
  for (const std::int32_t sequences : {0, 1, 16, 500}) {
    for (const std::int64_t chunk : {0, 1, 700, 100'000}) {
      StepShape shape;
      shape.decode_sequences = shape.sampled = sequences;
      shape.decode_context = sequences * std::int64_t{5000};
      shape.decode_context_longest = sequences == 0 ? 0 : 60'000;
      shape.prefill_tokens = chunk;
      shape.prefill_pairs = chunk * (chunk + 1) / 2;
      shape.prefill_sequences = chunk > 0 ? 1 : 0;
      const Picoseconds step = cost.step(shape);
      ASSERT_GE(step, 1);
      ASSERT_LE(step, longest);
      const StepLimits parts = cost.limits(shape);
      ASSERT_EQ(parts.compute + parts.memory_bandwidth + parts.network + parts.host, step);
      if (chunk > 0 || sequences == 0) continue;
      Picoseconds run[3];
      cost.decode_steps(sequences, shape.decode_context, shape.decode_context_longest, 3, run);
      ASSERT_EQ(run[0], step);
    }
  }
}

TEST(HostileProfiles, PriceStepsOrAreRefusedWithOneMessage) {
  const int descriptor = ::memfd_create("profile", 0);
  const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  const Placement placement = llama();
  const Budget budget;
  int priced = 0;
  std::uint64_t seed = 0;
  for (; seed < 30000 && !budget.spent(); ++seed) {
    FuzzDice dice(seed);
    const std::string text = seed == 0 ? kExample : mutated(kExample, dice, kWords);
    ASSERT_EQ(::ftruncate(descriptor, 0), 0);
    ASSERT_EQ(::pwrite(descriptor, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    const double before = budget.seconds();
    try {
      const auto cost = make_profile_cost(placement, {path});
      ASSERT_NO_FATAL_FAILURE(price(*cost)) << "seed " << seed << ":\n" << text;
      ++priced;
    } catch (const CatalogError& error) {
      ASSERT_EQ(std::string(error.what()).rfind(path, 0), 0u) << error.what();
      ASSERT_LT(std::string(error.what()).size(), 1000u) << "seed " << seed;
    }
    ASSERT_LT(budget.seconds() - before, kLongestRound) << "seed " << seed << " takes too long";
  }
  ::close(descriptor);
  std::cout << seed << " profiles, " << priced << " priced steps\n";
  EXPECT_GT(priced, static_cast<int>(seed / 30)) << "the mutations are too wild to test much";
}

}  // namespace
}  // namespace headway
