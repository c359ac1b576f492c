// Reads the config.json files that models are published with.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "models/architecture.hpp"
#include "models/config_fields.hpp"

namespace headway {
namespace {

using Json = nlohmann::json;

enum class Experts { none, mixtral, deepseek, llama4 };

/// Which layers have local attention where config.json does not list them.
enum class Local {
  refused,    // none; a window is an error
  all,        // all, where there is a window
  switched,   // from max_window_layers on, where use_sliding_window says so
  alternate,  // all but every n-th, where there is a window
};

/// What the families that are read have in common and where they differ. `defaults` are those of
/// Hugging Face transformers' configuration classes, for what config.json leaves out.
struct Family {
  const char* name;
  bool qkv_bias = false;
  bool o_bias = false;  // attention_bias means the output projection too
  bool qk_norm = false;
  Experts experts = Experts::none;
  Local local = Local::refused;
  const char* defaults = "{}";
};

constexpr const char* kGemma2 =
    R"({"head_dim": 256, "tie_word_embeddings": true, "sliding_window": 4096,
        "sliding_window_pattern": 2})";
constexpr const char* kGemma3 =
    R"({"head_dim": 256, "num_attention_heads": 8, "num_key_value_heads": 4, "vocab_size": 262208,
        "max_position_embeddings": 131072, "sliding_window": 4096, "sliding_window_pattern": 6,
        "tie_word_embeddings": true})";
constexpr const char* kLlama4 =
    R"({"attention_chunk_size": 8192, "no_rope_layer_interval": 4, "interleave_moe_layer_step": 1})";

constexpr Family kFamilies[] = {
    {.name = "llama", .o_bias = true},
    {.name = "mistral", .local = Local::all},
    {.name = "mixtral", .experts = Experts::mixtral, .local = Local::all},
    {.name = "qwen2", .qkv_bias = true, .local = Local::switched},
    {.name = "qwen3", .o_bias = true, .qk_norm = true, .local = Local::switched},
    {.name = "qwen3_moe",
     .o_bias = true,
     .qk_norm = true,
     .experts = Experts::mixtral,
     .local = Local::switched},
    {.name = "gpt_oss",
     .o_bias = true,
     .experts = Experts::mixtral,
     .local = Local::alternate,
     .defaults = R"({"sliding_window": 128, "sliding_window_pattern": 2})"},
    {.name = "gemma2", .local = Local::alternate, .defaults = kGemma2},
    {.name = "gemma3", .qk_norm = true, .local = Local::alternate, .defaults = kGemma3},
    {.name = "gemma3_text", .qk_norm = true, .local = Local::alternate, .defaults = kGemma3},
    {.name = "llama4", .experts = Experts::llama4, .local = Local::alternate, .defaults = kLlama4},
    {.name = "llama4_text",
     .experts = Experts::llama4,
     .local = Local::alternate,
     .defaults = kLlama4},
    {.name = "deepseek_v2", .experts = Experts::deepseek},
    {.name = "deepseek_v3", .experts = Experts::deepseek},
    {.name = "kimi_k2", .experts = Experts::deepseek},
    {.name = "glm4_moe", .experts = Experts::deepseek},
};

std::int32_t narrow(std::int64_t value) {
  return static_cast<std::int32_t>(value);
}

const Family& family_of(const Json& json, const std::string& where) {
  const auto type = json.find("model_type");
  if (type == json.end() || !type->is_string()) {
    throw ArchitectureError(
        fmt::format("{}: \"model_type\" is missing; this is no config.json of a model", where));
  }
  const std::string name = type->get<std::string>();
  std::vector<std::string> known;
  for (const Family& family : kFamilies) {
    if (name == family.name) return family;
    known.emplace_back(family.name);
  }
  throw ArchitectureError(
      fmt::format("{}: models of type \"{}\" are not supported{}; expected one of {}", where,
                  name.substr(0, 60), json.contains("index_topk") ? " (sparse attention)" : "",
                  fmt::join(known, ", ")));
}

/// The fields of the language model: those of "text_config" where a model also sees, over the
/// family's defaults.
Json language_model(const Family& family, const Json& json, const std::string& where) {
  Json merged = Json::parse(family.defaults);
  if (const auto tied = json.find("tie_word_embeddings"); tied != json.end()) {
    merged["tie_word_embeddings"] = *tied;
  }
  const auto text = json.find("text_config");
  const Json& given = text == json.end() ? json : *text;
  if (!given.is_object()) {
    throw ArchitectureError(fmt::format(
        "{}: \"text_config\" is no object; expected the language model's fields", where));
  }
  merged.update(given);
  return merged;
}

/// Layers that `name` lists as other than full attention.
std::int32_t count_local(const Json& types, const std::string& where) {
  std::int32_t local = 0;
  for (const Json& type : types) {
    if (type == "full_attention") continue;
    if (type != "sliding_attention" && type != "chunked_attention") {
      throw ArchitectureError(fmt::format(
          "{}: \"layer_types\" has {}, which is not supported; expected full_attention, "
          "sliding_attention or chunked_attention",
          where, type.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 40)));
    }
    ++local;
  }
  return local;
}

void read_windows(const Family& family, const ConfigFields& fields, Architecture& a,
                  const std::string& where) {
  if (family.local == Local::switched && !fields.flag("use_sliding_window", false)) return;
  const auto window = fields.find({"attention_chunk_size", "sliding_window"});
  // A window as long as the context never matters.
  if (!window || *window >= a.max_positions) return;
  if (family.local == Local::refused || *window < 1) {
    throw ArchitectureError(
        fmt::format("{}: a sliding window of {} tokens is not supported in a model of type \"{}\"; "
                    "expected full attention",
                    where, *window, family.name));
  }
  std::int64_t local = a.layers;
  if (const Json* types = fields.list_by_layer("layer_types", a.layers)) {
    local = count_local(*types, where);
  } else if (const Json* rotary = fields.list_by_layer("no_rope_layers", a.layers)) {
    local = std::count(rotary->begin(), rotary->end(), 1);
  } else if (family.local == Local::switched) {
    local = a.layers - std::clamp<std::int64_t>(fields.require({"max_window_layers"}), 0, a.layers);
  } else if (family.local == Local::alternate) {
    const std::int64_t every = fields.require(
        {"sliding_window_pattern", "_sliding_window_pattern", "no_rope_layer_interval"});
    local = every > 0 ? a.layers - a.layers / every : a.layers;
  }
  if (local == 0) return;
  a.window = narrow(*window);
  a.window_layers = narrow(local);
}

/// Layers of a model of the qwen3_moe kind that are dense: those listed in mlp_only_layers or
/// skipped by decoder_sparse_step.
std::int32_t count_dense_layers(const Json& json, const ConfigFields& fields, std::int32_t layers) {
  const std::int64_t step = fields.find({"decoder_sparse_step"}).value_or(1);
  std::vector<bool> dense(static_cast<std::size_t>(layers), false);
  for (std::size_t i = 0; i < dense.size(); ++i) {
    dense[i] = step <= 0 || (static_cast<std::int64_t>(i) + 1) % step != 0;
  }
  if (const auto only = json.find("mlp_only_layers"); only != json.end() && only->is_array()) {
    for (const Json& layer : *only) {
      if (!layer.is_number_unsigned()) continue;
      const auto index = layer.get<std::uint64_t>();
      if (index < dense.size()) dense[index] = true;
    }
  }
  return narrow(std::count(dense.begin(), dense.end(), true));
}

void read_experts(const Family& family, const Json& json, const ConfigFields& fields,
                  Architecture& a) {
  a.experts = narrow(fields.require({"num_local_experts", "num_experts", "n_routed_experts"}));
  a.experts_per_token = narrow(fields.require({"num_experts_per_tok"}));
  a.moe_intermediate =
      narrow(fields.find({"moe_intermediate_size"}).value_or(std::int64_t{a.intermediate}));
  if (family.experts == Experts::mixtral) {
    a.shared_intermediate = narrow(fields.find({"shared_expert_intermediate_size"}).value_or(0));
    a.dense_layers = count_dense_layers(json, fields, a.layers);
  } else if (family.experts == Experts::deepseek) {
    const std::int64_t shared = fields.find({"n_shared_experts"}).value_or(0);
    a.shared_intermediate = narrow(std::clamp<std::int64_t>(shared, -1, 1000) * a.moe_intermediate);
    const std::int64_t first = fields.find({"first_k_dense_replace"}).value_or(0);
    const std::int64_t step = fields.find({"moe_layer_freq"}).value_or(1);
    std::int32_t sparse = 0;
    for (std::int64_t i = std::max<std::int64_t>(first, 0); step > 0 && i < a.layers; ++i) {
      sparse += i % step == 0;
    }
    a.dense_layers = a.layers - sparse;
  } else {
    // One shared expert of a routed one's width; other layers have a wider MLP.
    a.shared_intermediate = a.moe_intermediate;
    a.intermediate = narrow(fields.require({"intermediate_size_mlp"}));
    const std::int64_t step = fields.require({"interleave_moe_layer_step"});
    const auto listed = json.find("moe_layers");
    const std::int64_t sparse = listed != json.end() && listed->is_array()
                                    ? static_cast<std::int64_t>(listed->size())
                                    : (step > 0 ? a.layers / step : 0);
    a.dense_layers = narrow(a.layers - std::min<std::int64_t>(sparse, a.layers));
  }
}

void read_attention(const Family& family, const ConfigFields& fields, Architecture& a,
                    const std::string& where) {
  const bool bias = fields.flag("attention_bias", family.qkv_bias);
  a.qkv_bias = bias || family.qkv_bias;
  a.o_bias = bias && family.o_bias;
  a.qk_norm = family.qk_norm;
  if (family.name == std::string_view("glm4_moe")) a.qk_norm = fields.flag("use_qk_norm", false);
  a.kv_heads = narrow(fields.find({"num_key_value_heads"}).value_or(std::int64_t{a.heads}));
  if (const auto rank = fields.find({"kv_lora_rank"})) {
    a.kv_lora_rank = narrow(*rank);
    a.q_lora_rank = narrow(fields.find({"q_lora_rank"}).value_or(0));
    a.rope_head_dim = narrow(fields.require({"qk_rope_head_dim"}));
    a.head_dim = narrow(fields.require({"qk_nope_head_dim"}) + a.rope_head_dim);
    a.v_head_dim = narrow(fields.require({"v_head_dim"}));
    a.kv_heads = a.heads;
    return;
  }
  const auto head_dim = fields.find({"head_dim"});
  if (!head_dim && a.hidden % a.heads != 0) {
    throw ArchitectureError(
        fmt::format("{}: hidden_size {} is no multiple of the {} attention "
                    "heads; expected that, or a \"head_dim\"",
                    where, a.hidden, a.heads));
  }
  a.head_dim = narrow(head_dim.value_or(std::int64_t{a.hidden} / a.heads));
}

/// Whether a quantised checkpoint says that it left the attention of the language model alone.
bool attention_left_in_16_bits(const Json& json) {
  const auto quantised = json.find("quantization_config");
  if (quantised == json.end() || !quantised->is_object()) return false;
  for (const char* name : {"modules_to_not_convert", "ignore"}) {
    const auto list = quantised->find(name);
    if (list == quantised->end() || !list->is_array()) continue;
    for (const Json& module : *list) {
      if (!module.is_string()) continue;
      const std::string path = module.get<std::string>();
      if (path.find("self_attn") != std::string::npos && path.find("vision") == std::string::npos) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

Architecture parse_config_json(std::string_view text, const std::string& where) {
  const Json whole = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!whole.is_object()) {
    throw ArchitectureError(
        fmt::format("{}: this is not a JSON object; expected a model's config.json", where));
  }
  const Family& family = family_of(whole, where);
  const Json json = language_model(family, whole, where);
  const ConfigFields fields(json, where);
  Architecture a;
  a.name = std::filesystem::path(where).stem().string();
  a.family = family.name;
  a.source = where;
  a.layers = narrow(fields.require({"num_hidden_layers"}));
  a.hidden = narrow(fields.require({"hidden_size"}));
  a.heads = narrow(fields.require({"num_attention_heads"}));
  if (a.layers < 1 || a.layers > 2000 || a.heads < 1) check_architecture(a, where);
  read_attention(family, fields, a, where);
  a.intermediate = narrow(fields.require({"intermediate_size"}));
  a.vocab = narrow(fields.require({"vocab_size"}));
  a.max_positions = fields.require({"max_position_embeddings"});
  a.tied_embeddings = fields.flag("tie_word_embeddings", false);
  a.expert_bias = a.family == "gpt_oss";
  if (a.family.starts_with("gemma")) a.norms = 4;
  a.attention_in_16_bits = attention_left_in_16_bits(whole);
  if (const auto quantised = whole.find("quantization_config");
      quantised != whole.end() && quantised->is_object())
    a.checkpoint = read_quantization_config(*quantised);
  if (family.experts != Experts::none) read_experts(family, json, fields, a);
  read_windows(family, fields, a, where);
  if (json.contains("index_topk")) {
    throw ArchitectureError(fmt::format(
        "{}: sparse attention (\"index_topk\") is not supported; expected attention to all tokens",
        where));
  }
  check_architecture(a, where);
  return a;
}

Architecture read_config_json(const std::string& path) {
  constexpr std::size_t kLargest = 1'000'000;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw ArchitectureError(fmt::format("{}: there is no such file; expected a config.json", path));
  }
  std::ifstream file(path, std::ios::binary);
  std::string text(kLargest + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || (!file && !file.eof())) {
    throw ArchitectureError(fmt::format("{}: the file cannot be read", path));
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kLargest) {
    throw ArchitectureError(
        fmt::format("{}: the file is over 1 MB; expected a model's config.json", path));
  }
  return parse_config_json(text, path);
}

}  // namespace headway
