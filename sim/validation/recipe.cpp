#include "sim/validation/recipe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "models/catalog.hpp"
#include "models/placement.hpp"
#include "sim/validation/catalogue_match.hpp"
#include "sim/validation/trtllm_tuning.hpp"

namespace headway {
namespace {

bool says(const MeasuredRow& row, const char* text) {
  return row.note.find(text) != std::string::npos;
}

/// The number after `key` in the note: "moe_tp=4" gives 4; else `otherwise`.
std::int32_t noted(const MeasuredRow& row, const std::string& key, std::int32_t otherwise) {
  const std::size_t at = row.note.find(key);
  int value = 0;
  if (at == std::string::npos ||
      std::sscanf(row.note.c_str() + at + key.size(), "%4d", &value) != 1 || value < 1)
    return otherwise;
  return value;
}

void find_entries(const MeasuredRow& row, Recipe& recipe) {
  recipe.model = catalogue_model(row.model);
  recipe.gpu = catalogue_gpu(row.gpu);
  // InferenceX ran the engines of its time: where it names no version, the middle of the range.
  const bool recent = row.group == "inferencex" && row.engine == "vllm";
  recipe.engine =
      nearest_engine(row.engine, recent && row.engine_version.empty() ? "0.15" : row.engine_version,
                     engine_names());
  if (!row.engine_entry.empty()) recipe.engine = row.engine_entry;
  const auto weights = weight_format(row.precision, recipe.model);
  if (recipe.model.empty())
    recipe.not_run = fmt::format("the catalogue has no model {}", row.model);
  else if (recipe.gpu.empty())
    recipe.not_run = fmt::format("the catalogue has no GPU {}", row.gpu);
  else if (recipe.engine.empty())
    recipe.not_run = fmt::format("the catalogue has no engine {}", row.engine);
  else if (!weights)
    recipe.not_run = fmt::format("no number format {}", row.precision);
  else if (says(row, "EAGLE") || says(row, "speculative"))
    recipe.not_run = "speculative decoding is not simulated";
  recipe.weights = weights.value_or(NumberFormat::bf16);
  recipe.kv = recipe.weights == NumberFormat::fp16 ? NumberFormat::fp16 : NumberFormat::bf16;
}

/// Defaults of vLLM's API server on cards of 70 GiB or more, and below (vLLM EngineArgs,
/// default_max_num_seqs and default_max_num_batched_tokens); the same for other engines.
void engine_defaults(Recipe& recipe) {
  const bool large =
      load_gpu(recipe.gpu).memory_bytes >= 70 * std::pow(2., 30) && !recipe.gpu.starts_with("a100");
  recipe.max_num_seqs = large ? 1024 : 256;
  recipe.max_num_batched_tokens = large ? 8192 : 2048;
}

/// kubernetes-sigs/inference-perf, demos/kubecon-na-2025: 44 workers of 10 requests in flight each,
/// which is what the saturated stages show by Little's law (achieved rate × E2E); 10 system prompts
/// × 10 users, in turn. Its "constant" load draws exponential intervals and scales them to
/// the stage's duration (ConstantLoadTimer of inference_perf/loadgen/load_timer.py).
void inference_perf(const MeasuredRow& row, Recipe& recipe) {
  recipe.interval_cv = 1;
  recipe.exact_number = true;
  recipe.max_model_len = 512;
  recipe.client_in_flight = 440;
  recipe.prompts = RecurringPrompts{100, std::llround(row.input_tokens)};
}

/// "inference-perf shared-prefix client: 11 system prompts x 4 users, system 100 + question 466
/// tokens; the same prompts recur".
void shared_prefix_client(const MeasuredRow& row, Recipe& recipe) {
  recipe.interval_cv = 1;
  recipe.exact_number = true;
  const std::size_t at = row.note.find("client: ");
  int systems = 0, users = 0;
  if (at == std::string::npos ||
      std::sscanf(row.note.c_str() + at, "client: %4d system prompts x %4d users", &systems,
                  &users) != 2 ||
      systems < 1 || users < 1)
    return;
  recipe.prompts = RecurringPrompts{std::int64_t{systems} * users, std::llround(row.input_tokens)};
}

/// The split over GPUs; attention_dp counts ranks of data-parallel attention. Where experts are
/// split, the source's tensor size and attention_dp hold the product with the experts' split: rows
/// of TP 4 × EP 4 (tp 16, moe_tp 4) have the step times of TP 4, and two results stand in both
/// readings. TensorRT-LLM on Hopper always splits experts ("EP=TP", .github/configs/
/// nvidia-master.yaml), also in older rows that do not say so: their times are those of rows that
/// do.
void inferencex_split(const MeasuredRow& row, Recipe& recipe) {
  const bool hopper = recipe.gpu.starts_with("h100") || recipe.gpu.starts_with("h200");
  if (row.engine == "trtllm" && hopper && recipe.model.starts_with("gpt-oss") && row.expert <= 1)
    recipe.expert = row.tensor;
  recipe.data = noted(row, "attention_dp=", 1);
  if (row.expert <= 1 || row.expert != noted(row, "moe_tp=", 1)) return;
  std::int32_t& product = recipe.data > 1 ? recipe.data : recipe.tensor;
  if (product % row.expert != 0)
    recipe.not_run = fmt::format("{} {} is no multiple of ep {}",
                                 recipe.data > 1 ? "attention_dp" : "tp", product, row.expert);
  product /= row.expert;
}

/// SemiAnalysisAI/InferenceX, benchmarks/gptoss_fp4_b200_trt_slurm.sh: KV cache in 85 % of the free
/// memory, 20,000 tokens a step, data-parallel ranks balanced. 70b_fp8_h200_trt_slurm.sh (Llama):
/// as many tokens a step as a request may have; with 1,024 tokens each way on fewer than 8 GPUs,
/// prompts are held back. Neither asks for chunks, which are off by default
/// (enable_chunked_prefill of TensorRT-LLM's LLM arguments), nor for another policy than the
/// default of guaranteed no-evict (capacity_scheduler_policy).
void inferencex_trtllm(const MeasuredRow& row, bool oss, Recipe& recipe) {
  const bool alike = row.input_tokens == 1024 && row.output_tokens == 1024;
  recipe.chunked_prefill = false;
  recipe.reserve_all = true;
  recipe.max_model_len = alike ? 2048 : 9416;
  recipe.gpu_memory_utilization = oss ? 0.85 : 0.9;
  recipe.max_num_batched_tokens = 20000;
  recipe.balance_ranks = recipe.data > 1;
  if (oss) return;
  recipe.max_num_seqs = 2048;
  recipe.max_num_batched_tokens = alike ? 2048 : 9416;
  if (!alike || recipe.tensor >= 8) return;
  recipe.batch_wait_timeout_iters = 20;
  recipe.batch_wait_max_tokens_ratio = 0.9;
}

/// Of a token of random text: measured with Hugging Face's tokenizers 0.23 and the vocabularies of
/// gpt-oss (2.37 us at 943 tokens, 2.67 at 7,544) and Llama 3 (2.35, 2.39), prompts of consecutive
/// token ids as this harness makes them, on one core of an AMD EPYC at 2.45 GHz.
constexpr double kTokenizingSeconds = 2.5e-6;

/// Of a request: measured with this harness's way of asking (aiohttp, a session a request,
/// streamed) and a bare server (FastAPI on uvicorn) on the same CPU. Of 16 to 64 requests sent at
/// once, each got its first token after about 1.4 ms for each of all of them.
constexpr double kReceivingSeconds = 1.4e-3;

/// vLLM tokenises what has come meanwhile in one go (AsyncMicrobatchTokenizer, 32 prompts at most);
/// TensorRT-LLM each prompt by itself.
constexpr std::int32_t kTokenizedTogether = 32;

/// SemiAnalysisAI/InferenceX, benchmarks/: 10 prompts for each user, lengths drawn between 0.8 of
/// the stated one and all of it (--random-range-ratio 0.8), no prefix caching. vLLM: 8,192 tokens a
/// step, fp8 KV cache but for gpt-oss on Hopper; --max-num-seqs is the concurrency, or 512 on B200,
/// where gpt-oss multiplies in 8 bits (VLLM_USE_FLASHINFER_MOE_MXFP4_MXFP8). TensorRT-LLM: below.
void inferencex(const MeasuredRow& row, Recipe& recipe) {
  const bool blackwell = recipe.gpu.starts_with("b200"), oss = recipe.model.starts_with("gpt-oss");
  const auto users = static_cast<std::int32_t>(row.concurrency);
  recipe.shortest = 0.8;
  recipe.receiving_seconds = kReceivingSeconds;
  recipe.tokenizing_seconds = kTokenizingSeconds;
  if (row.engine == "vllm") recipe.tokenized_together = kTokenizedTogether;
  recipe.requests = 10 * row.concurrency;
  recipe.max_num_seqs = blackwell ? std::max(512, users) : users;
  if (blackwell || !oss) recipe.kv = NumberFormat::fp8;
  if (oss && blackwell) recipe.activations = NumberFormat::fp8;
  inferencex_split(row, recipe);
  if (row.engine == "trtllm") inferencex_trtllm(row, oss, recipe);
  if (row.concurrency >= 512)
    recipe.unscored = "so many users meet a limit on sequences that the source does not state";
}

/// The number of requests that the performance overview states for lengths; 3,000 for others.
std::int64_t trtllm_bench_requests(long input, long output) {
  constexpr struct {
    long input, output;
    std::int64_t requests;
  } kStated[] = {{128, 128, 30000},
                 {128, 4096, 1500},
                 {2048, 2048, 1500},
                 {5000, 500, 1500},
                 {20000, 2000, 1000}};
  for (const auto& one : kStated)
    if (one.input == input && one.output == output) return one.requests;
  return 3000;
}

/// NVIDIA/TensorRT-LLM, docs/source/performance/perf-overview.md of 0.17: requests by lengths, KV
/// cache in 95 % of the free memory and in the weights' format, guaranteed no-evict.
void trtllm_bench(const MeasuredRow& row, Recipe& recipe) {
  recipe.reserve_all = true;
  recipe.gpu_memory_utilization = 0.95;
  if (recipe.weights == NumberFormat::fp8) recipe.kv = NumberFormat::fp8;
  recipe.requests =
      trtllm_bench_requests(std::lround(row.input_tokens), std::lround(row.output_tokens));
  const TrtllmLimits limits = tuned_limits(recipe, row.input_tokens, row.output_tokens);
  recipe.max_num_seqs = limits.max_num_seqs;
  recipe.max_num_batched_tokens = limits.max_num_batched_tokens;
}

void loop_recipe(const MeasuredRow& row, Recipe& recipe) {
  if (row.group == "inference-perf") inference_perf(row, recipe);
  if (says(row, "shared-prefix client")) shared_prefix_client(row, recipe);
  if (row.repeated) {
    const auto& lengths = row.input_lengths;
    recipe.prompts = RecurringPrompts{
        row.requests, lengths.empty() ? std::llround(row.input_tokens)
                                      : *std::max_element(lengths.begin(), lengths.end())};
  }
  if (row.group == "inferencex") inferencex(row, recipe);
  if (row.loop == Loop::all_at_once && row.engine == "trtllm" && recipe.not_run.empty())
    trtllm_bench(row, recipe);
  if (row.loop == Loop::all_at_once && recipe.requests == 0) recipe.requests = 4096;
  if (row.loop == Loop::closed && recipe.requests == 0) recipe.requests = 10 * row.concurrency;
  if (row.loop == Loop::static_batch) {
    recipe.requests = row.batch;
    recipe.max_num_seqs = std::max(recipe.max_num_seqs, static_cast<std::int32_t>(row.batch));
    recipe.unscored = "a static batch tells the step time and nothing of queueing";
  }
}

/// What the row says itself.
void stated(const MeasuredRow& row, Recipe& recipe) {
  if (row.requests > 0) recipe.requests = row.requests;
  if (row.loop == Loop::open_constant && row.concurrency > 0)
    recipe.client_in_flight = row.concurrency;
  if (row.max_num_seqs > 0) recipe.max_num_seqs = row.max_num_seqs;
  if (row.max_num_batched_tokens > 0) recipe.max_num_batched_tokens = row.max_num_batched_tokens;
  if (row.chunked_prefill) recipe.chunked_prefill = *row.chunked_prefill;
  if (row.prefix_caching && !*row.prefix_caching) recipe.prompts.reset();
  if (recipe.max_num_seqs == 0)
    recipe.not_run =
        "concurrency and max_num_seqs are empty; an InferenceX engine takes as many sequences as "
        "it has users";
  recipe.max_num_batched_tokens = std::max(recipe.max_num_batched_tokens, recipe.max_num_seqs);
}

}  // namespace

Recipe recipe_of(const MeasuredRow& row) {
  Recipe recipe;
  recipe.tensor = row.tensor;
  recipe.pipeline = row.pipeline;
  recipe.expert = row.expert;
  recipe.interval_cv = row.interval_cv;
  find_entries(row, recipe);
  if (!recipe.not_run.empty()) return recipe;
  engine_defaults(recipe);
  loop_recipe(row, recipe);
  stated(row, recipe);
  return recipe;
}

}  // namespace headway
