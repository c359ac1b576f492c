#include "calibration/import/llmservingsim.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

#include "calibration/calibration_error.hpp"
#include "calibration/operator_form.hpp"

namespace headway {

namespace fs = std::filesystem;

namespace {

constexpr double kSecondsPerMicrosecond = 1e-6;

using Columns = std::vector<std::string>;
const Columns kDense = {"layer", "tokens", "time_us"};
const Columns kPerSequence = {"layer", "sequences", "time_us"};
const Columns kAttention = {"prefill_chunk", "kv_prefill", "n_decode", "kv_decode", "time_us"};
const Columns kMoe = {"tokens", "activated_experts", "time_us"};

// N of a folder named tpN, or 0.
std::int32_t tensor_of_folder(const fs::path& table) {
  const std::string name = fs::absolute(table).parent_path().filename().string();
  std::int32_t tensor = 0;
  if (!name.starts_with("tp")) return 0;
  const auto [end, error] = std::from_chars(name.data() + 2, name.data() + name.size(), tensor);
  return error == std::errc() && end == name.data() + name.size() && tensor > 0 ? tensor : 0;
}

struct Meta {
  std::string engine, device, date, format;
};

// What meta.yaml beside the tensor size's folder says; empty where there is none.
Meta read_meta(const fs::path& table) {
  const fs::path path = fs::absolute(table).parent_path().parent_path() / "meta.yaml";
  Meta meta;
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return meta;
  try {
    const YAML::Node node = YAML::LoadFile(path.string());
    const std::string version = node["vllm_version"].as<std::string>("");
    if (!version.empty()) meta.engine = "vllm " + version;
    meta.device = node["gpu"].as<std::string>("");
    meta.date = node["profiled_at"].as<std::string>("").substr(0, 10);
    meta.format = node["variant"].as<std::string>("");
  } catch (const YAML::Exception& error) {
    throw SampleError(fmt::format("{}:{}:{}: {}; expected YAML", path.string(),
                                  std::max(0, error.mark.line) + 1,
                                  std::max(0, error.mark.column) + 1, error.msg));
  }
  return meta;
}

class Layers {
 public:
  Layers(CsvTable& csv, const Architecture& model, std::int32_t tensor, std::string format)
      : csv_(csv), model_(model), tensor_(tensor), format_(std::move(format)) {
    heads_ = model.heads / tensor;
    kv_heads_ = std::max(1, model.kv_heads / tensor);
  }

  void read(std::vector<Sample>& samples);

 private:
  OperatorPoint dense(const std::string& layer, std::int64_t tokens);
  OperatorPoint per_sequence(const std::string& layer, std::int64_t sequences);
  OperatorPoint attention();
  OperatorPoint moe();
  OperatorPoint point(const char* op) const {
    OperatorPoint made;
    made.op = op;
    made.format = format_;
    return made;
  }
  OperatorPoint gemm(std::int64_t m, std::int64_t n, std::int64_t k) const {
    OperatorPoint made = point("gemm");
    made.m = m, made.n = n, made.k = k;
    return made;
  }
  OperatorPoint wide(const char* op, std::int64_t tokens, std::int64_t width) const {
    OperatorPoint made = point(op);
    made.tokens = tokens, made.width = width;
    return made;
  }
  std::int64_t count(std::size_t column) const {
    const std::int64_t value = csv_.integer(column);
    if (value < 1)
      csv_.fail(column, fmt::format("{} is 0; expected 1 or more", csv_.columns()[column]));
    return value;
  }

  CsvTable& csv_;
  const Architecture& model_;
  std::int64_t tensor_, heads_ = 0, kv_heads_ = 0;
  std::string format_;
};

OperatorPoint Layers::dense(const std::string& layer, std::int64_t tokens) {
  const std::int64_t head_dim = model_.head_dim, inner = model_.intermediate / tensor_;
  if (layer == "qkv_proj") return gemm(tokens, (heads_ + 2 * kv_heads_) * head_dim, model_.hidden);
  if (layer == "o_proj") return gemm(tokens, model_.hidden, heads_ * head_dim);
  if (layer == "gate_up_proj") return gemm(tokens, 2 * inner, model_.hidden);
  if (layer == "down_proj") return gemm(tokens, model_.hidden, inner);
  if (layer == "layernorm") return wide("norm", tokens, model_.hidden);
  if (layer == "act_fn") return wide("activation", tokens, inner);
  if (layer == "rotary_emb") return wide("rotary", tokens, (heads_ + kv_heads_) * head_dim);
  if (layer == "embedding") return wide("embedding", tokens, model_.hidden);
  if (layer == "final_layernorm" || layer == "qk_norm") {
    const bool heads = layer == "qk_norm";
    OperatorPoint norm =
        wide("norm", tokens,
             heads ? std::int64_t{model_.heads + model_.kv_heads} * head_dim : model_.hidden);
    norm.variant = layer;
    return norm;
  }
  csv_.fail(0, fmt::format("unknown layer ({}); expected qkv_proj, o_proj, gate_up_proj, "
                           "down_proj, layernorm, final_layernorm, qk_norm, act_fn, rotary_emb or "
                           "embedding",
                           layer));
}

OperatorPoint Layers::per_sequence(const std::string& layer, std::int64_t sequences) {
  const std::int64_t vocabulary = (model_.vocab + tensor_ - 1) / tensor_;
  if (layer == "lm_head") return gemm(sequences, vocabulary, model_.hidden);
  if (layer != "sampler")
    csv_.fail(0, fmt::format("unknown layer ({}); expected lm_head or sampler", layer));
  OperatorPoint sampler = point("sampler");
  sampler.batch = sequences;
  sampler.width = model_.vocab;
  return sampler;
}

OperatorPoint Layers::attention() {
  const std::int64_t chunk = csv_.integer(0), prefix = csv_.integer(1), batch = csv_.integer(2),
                     context = csv_.integer(3);
  if (chunk == 0 && batch == 0) csv_.fail(0, "neither a chunk nor decodes; expected one of them");
  if (batch > 0 && context == 0)
    csv_.fail(3, "decodes without a context; expected kv_decode of 1 or more");
  if (chunk == 0 && prefix > 0) csv_.fail(1, "a prefix without a chunk; expected kv_prefill 0");
  if (batch == 0 && context > 0) csv_.fail(3, "a context without decodes; expected kv_decode 0");
  OperatorPoint made = point(chunk == 0   ? "attention_decode"
                             : batch == 0 ? "attention_prefill"
                                          : "attention_mixed");
  made.kv = format_;
  made.heads = heads_;
  made.kv_heads = kv_heads_;
  made.head_dim = model_.head_dim;
  made.chunk = chunk;
  made.prefix = prefix;
  made.batch = batch > 0 ? batch : 1;
  made.context = context;
  return made;
}

OperatorPoint Layers::moe() {
  if (model_.experts == 0)
    csv_.fail(0, fmt::format("expert times of {}, which has no experts", model_.name));
  OperatorPoint made = point("moe");
  made.tokens = count(0);
  made.touched = count(1);
  made.hidden = model_.hidden;
  made.inner = model_.moe_intermediate / tensor_;
  made.experts = model_.experts;
  made.topk = model_.experts_per_token;
  made.expert_parallel = 1;
  return made;
}

void Layers::read(std::vector<Sample>& samples) {
  const Columns& columns = csv_.columns();
  const std::size_t time = columns.size() - 1;
  std::string key;
  while (csv_.next()) {
    Sample sample;
    if (columns == kDense)
      sample.point = dense(std::string(csv_.text(0)), count(1));
    else if (columns == kPerSequence)
      sample.point = per_sequence(std::string(csv_.text(0)), count(1));
    else
      sample.point = columns == kAttention ? attention() : moe();
    const std::string fault = point_fault(sample.point, key);
    if (!fault.empty()) csv_.fail(0, fault);
    sample.seconds = csv_.seconds(time, kSecondsPerMicrosecond);
    samples.push_back(std::move(sample));
  }
}

}  // namespace

bool is_llmservingsim(const CsvTable& csv) {
  const Columns& columns = csv.columns();
  return columns == kDense || columns == kPerSequence || columns == kAttention || columns == kMoe;
}

KernelTable read_llmservingsim(CsvTable& csv, const LayerModel& model) {
  const fs::path path(csv.path());
  if (!model.architecture)
    throw SampleError(
        fmt::format("{}: a table of layers; expected --model, whose shapes they have", csv.path()));
  const std::int32_t tensor = model.tensor > 0 ? model.tensor : tensor_of_folder(path);
  if (tensor == 0)
    throw SampleError(fmt::format(
        "{}: a table of layers; expected --tensor N, or a folder named tpN", csv.path()));
  const Architecture& architecture = *model.architecture;
  if (architecture.heads % tensor != 0)
    throw SampleError(fmt::format("{}: the {} heads of {} do not divide over {} GPUs", csv.path(),
                                  architecture.heads, architecture.name, tensor));
  const Meta meta = read_meta(path);
  KernelTable table;
  table.path = csv.path();
  table.engine = meta.engine;
  table.device = meta.device;
  table.date = meta.date;
  Layers(csv, architecture, tensor, meta.format.empty() ? "bf16" : meta.format).read(table.samples);
  return table;
}

}  // namespace headway
