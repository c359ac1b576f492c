#include "models/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "models/catalog_file.hpp"

namespace headway {
namespace {

namespace fs = std::filesystem;

std::string path_of(const char* folder, const std::string& name) {
  return (fs::path(catalog_directory()) / folder / (name + ".yaml")).string();
}

std::vector<std::string> names_in(const char* folder) {
  std::vector<std::string> names;
  const fs::path directory = fs::path(catalog_directory()) / folder;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == ".yaml") names.push_back(at->path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

[[noreturn]] void fail_unknown(const char* what, const std::string& name,
                               std::vector<std::string> words, std::size_t shown) {
  const std::string near = nearest_word(name, words);
  words.resize(shown);
  throw CatalogError(fmt::format("there is no {} \"{}\" in the catalogue; expected one of {}{}",
                                 what, name.substr(0, 60), fmt::join(words, ", "),
                                 near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
}

Gpu read_gpu(const std::string& name, std::vector<std::string>* aliases) {
  CatalogFile file(path_of("gpus", name), "headway-gpu 1");
  constexpr double kMostRate = 1e19, kMostBytes = 1e15;
  Gpu gpu;
  gpu.name = name;
  const std::vector<std::string> words = file.texts("aliases");
  if (aliases != nullptr) *aliases = words;
  gpu.memory_bytes = file.quantity("memory", Dimension::bytes, 1e6, kMostBytes);
  gpu.hbm_bytes_per_second = file.quantity("hbm", Dimension::bytes_per_second, 1e6, kMostBytes);
  gpu.half_flops = file.quantity("half", Dimension::flops, 1e6, kMostRate);
  gpu.fp8_flops = file.quantity("fp8", Dimension::flops, 0, kMostRate, 0);
  gpu.int8_flops = file.quantity("int8", Dimension::flops, 0, kMostRate, 0);
  gpu.int4_flops = file.quantity("int4", Dimension::flops, 0, kMostRate, 0);
  gpu.fp4_flops = file.quantity("fp4", Dimension::flops, 0, kMostRate, 0);
  gpu.sparse_2_4 = file.flag("sparse_2_4", false);
  gpu.nvlink_bytes_per_second =
      file.quantity("nvlink", Dimension::bytes_per_second, 0, kMostBytes, 0);
  gpu.pcie_bytes_per_second = file.quantity("pcie", Dimension::bytes_per_second, 1e6, kMostBytes);
  gpu.collective_efficiency = file.quantity("collective_efficiency", Dimension::fraction, 0, 1, 0);
  gpu.gpus_per_node = file.count("gpus_per_node");
  gpu.network_bytes_per_second =
      file.quantity("network", Dimension::bytes_per_second, 0, kMostBytes, 0);
  gpu.network_latency_seconds = file.quantity("network_latency", Dimension::time, 0, 1, 0);
  gpu.power_watts = file.quantity("power", Dimension::power, 1, 1e6);
  gpu.source = file.text("source");
  file.finish();
  return gpu;
}

/// The entry's own name for a name or an alias.
std::string canonical_gpu(const std::string& name) {
  const std::vector<std::string> names = gpu_names();
  if (contains(names, name)) return name;
  std::vector<std::string> words = names;
  for (const std::string& entry : names) {
    std::vector<std::string> aliases;
    read_gpu(entry, &aliases);
    if (contains(aliases, name)) return entry;
    words.insert(words.end(), aliases.begin(), aliases.end());
  }
  fail_unknown("GPU", name, words, names.size());
}

Architecture read_model(const std::string& name) {
  CatalogFile file(path_of("models", name), "headway-model 1");
  Architecture a;
  a.name = name;
  a.family = file.text("family");
  a.layers = file.count("layers");
  a.hidden = file.count("hidden");
  a.heads = file.count("heads");
  a.kv_heads = file.count("kv_heads");
  a.head_dim = file.count("head_dim");
  a.kv_lora_rank = file.count("kv_lora_rank", 0);
  a.q_lora_rank = file.count("q_lora_rank", 0);
  a.rope_head_dim = file.count("rope_head_dim", 0);
  a.v_head_dim = file.count("v_head_dim", 0);
  a.window = file.count("window", 0);
  a.window_layers = file.count("window_layers", 0);
  a.intermediate = file.count("intermediate");
  a.vocab = file.count("vocab");
  a.experts = file.count("experts", 0);
  a.experts_per_token = file.count("experts_per_token", 0);
  a.moe_intermediate = file.count("moe_intermediate", 0);
  a.shared_intermediate = file.count("shared_intermediate", 0);
  a.dense_layers = file.count("dense_layers", 0);
  a.tied_embeddings = file.flag("tied_embeddings", false);
  a.gated_mlp = file.flag("gated_mlp", true);
  a.qkv_bias = file.flag("qkv_bias", false);
  a.o_bias = file.flag("o_bias", false);
  a.expert_bias = file.flag("expert_bias", false);
  a.qk_norm = file.flag("qk_norm", false);
  a.norms = file.count("norms", a.norms);
  a.attention_in_16_bits = file.flag("attention_in_16_bits", false);
  a.max_positions = file.count("max_positions");
  a.source = file.text("source");
  file.finish();
  check_architecture(a, path_of("models", name));
  return a;
}

/// What the engine holds of a GPU's memory beside weights and KV blocks, and what it makes of
/// gpu_memory_utilization.
void read_memory(CatalogFile& file, Engine& engine) {
  const auto bytes = [&](const char* key, double otherwise) {
    return file.quantity(key, Dimension::bytes, 0, 1e12, otherwise);
  };
  engine.sampler_bytes_per_logit =
      file.quantity("sampler_memory", Dimension::bytes, 0, 1000, engine.sampler_bytes_per_logit);
  engine.memory_overhead_bytes = file.quantity("memory_overhead", Dimension::bytes, 0, 1e12);
  engine.communication_overhead_bytes =
      file.quantity("communication_overhead", Dimension::bytes, 0, 1e12);
  engine.pcie_communication_overhead_bytes =
      bytes("pcie_communication_overhead", engine.communication_overhead_bytes);
  constexpr UtilizationOf kMeanings[] = {UtilizationOf::memory, UtilizationOf::free_at_start,
                                         UtilizationOf::free_at_peak};
  engine.utilization_of =
      kMeanings[file.word("utilization_of", {"memory", "free_at_start", "free_at_peak"})];
  engine.reserve.fixed_bytes = bytes("reserve", 0);
  engine.reserve.bytes_per_token = bytes("reserve_per_token", 0);
  engine.reserve.bytes_per_sequence = bytes("reserve_per_sequence", 0);
  engine.reserve.graph_sequences = file.count("reserve_sequences", 0);
  if ((engine.reserve.bytes_per_sequence > 0) != (engine.reserve.graph_sequences > 0))
    file.fail_at(engine.reserve.graph_sequences > 0 ? "reserve_sequences" : "reserve_per_sequence",
                 "reserve_per_sequence and reserve_sequences go together; expected both above 0");
  engine.reserve.bytes_per_gpu = bytes("reserve_per_gpu", 0);
  engine.reserve.least_bytes = bytes("reserve_least", 0);
}

}  // namespace

std::string catalog_directory() {
  std::error_code error;
  if (const char* named = std::getenv("HEADWAY_CATALOG"); named != nullptr && *named != '\0') {
    if (fs::is_directory(named, error)) return named;
    throw CatalogError(
        fmt::format("HEADWAY_CATALOG is {}, which is no folder; expected a catalogue", named));
  }
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = program.parent_path().parent_path() / "share" / "headway" / "catalog";
  if (!error && fs::is_directory(installed, error)) return installed.string();
  if (fs::is_directory(HEADWAY_SOURCE_CATALOG, error)) return HEADWAY_SOURCE_CATALOG;
  throw CatalogError(
      fmt::format("there is no catalogue: neither {} nor {} is a folder; expected one "
                  "of them, or HEADWAY_CATALOG",
                  installed.string(), HEADWAY_SOURCE_CATALOG));
}

std::vector<std::string> gpu_names() {
  return names_in("gpus");
}
std::vector<std::string> model_names() {
  return names_in("models");
}
std::vector<std::string> engine_names() {
  return names_in("engines");
}

Gpu load_gpu(const std::string& name) {
  return read_gpu(canonical_gpu(name), nullptr);
}

std::string engine_file(const std::string& name_or_path) {
  const std::string_view text = name_or_path;
  if (text.find('/') != std::string_view::npos || text.ends_with(".yaml")) return name_or_path;
  const std::vector<std::string> names = engine_names();
  if (!contains(names, name_or_path)) fail_unknown("engine", name_or_path, names, names.size());
  return path_of("engines", name_or_path);
}

Engine load_engine(const std::string& name_or_path) {
  const std::string path = engine_file(name_or_path);
  CatalogFile file(path, "headway-engine 1");
  const auto time = [&](const char* key) { return file.quantity(key, Dimension::time, 0, 8); };
  const auto share = [&](const char* key) {
    return file.quantity(key, Dimension::fraction, 0.001, 1);
  };
  Engine engine;
  engine.name = fs::path(path).stem().string();
  engine.kernels = file.text("kernels", "");
  if (!engine.kernels.empty()) file.word("kernels", engine_names());
  engine.asynchronous = file.flag("asynchronous", false);
  engine.step_overhead_seconds = time("step_overhead");
  engine.sequence_overhead_seconds = time("sequence_overhead");
  engine.prefill_token_overhead_seconds = time("prefill_token_overhead");
  engine.mixed_layer_overhead_seconds =
      file.quantity("mixed_layer_overhead", Dimension::time, 0, 1, 0);
  engine.mixed_expert_overhead_seconds =
      file.quantity("mixed_expert_overhead", Dimension::time, 0, 1, 0);
  engine.device_step_overhead_seconds =
      file.quantity("device_step_overhead", Dimension::time, 0, 8, 0);
  engine.eager_step_overhead_seconds =
      file.quantity("eager_step_overhead", Dimension::time, 0, 8, 0);
  engine.request_overhead_seconds = time("request_overhead");
  engine.idle_overhead_seconds = file.quantity("idle_overhead", Dimension::time, 0, 8, 0);
  read_memory(file, engine);
  const auto phase = [&](const char* key) {
    return file.quantity(key, Dimension::time, 0, 3600, 0);
  };
  engine.start_process_seconds = phase("start_process");
  engine.start_compile_seconds = phase("start_compile");
  engine.start_capture_seconds = phase("start_capture");
  constexpr double kLargestTile = 4096;
  engine.graph_tokens = file.count("graph_tokens", 0, 0, 65536);
  engine.graph_sequences_multiple = file.count("graph_sequences_multiple", 1, 1, 512);
  engine.fp4_hidden_multiple = file.count("fp4_hidden_multiple", 1, 1, kLargestTile);
  engine.fp4_inner_multiple = file.count("fp4_inner_multiple", 1, 1, kLargestTile);
  engine.compute_efficiency = share("compute_efficiency");
  engine.quantised_compute_efficiency = share("quantised_compute_efficiency");
  engine.weight_only_flops = file.quantity("weight_only", Dimension::flops, 0, 1e19, 0);
  engine.attention_compute_efficiency = share("attention_compute_efficiency");
  engine.bandwidth_efficiency = share("bandwidth_efficiency");
  engine.attention_bandwidth_efficiency = share("attention_bandwidth_efficiency");
  engine.link_efficiency = share("link_efficiency");
  engine.kernel_seconds = time("kernel");
  engine.attention_kernel_seconds = time("attention_kernel");
  engine.nvlink_latency_seconds = time("nvlink_latency");
  engine.pcie_latency_seconds = time("pcie_latency");
  engine.fitted_on = file.texts("fitted_on");
  engine.source = file.text("source");
  file.finish();
  return engine;
}

Architecture load_model(const std::string& name_or_path) {
  const std::string_view text = name_or_path;
  if (text.find('/') != std::string_view::npos || text.ends_with(".json")) {
    return read_config_json(name_or_path);
  }
  const std::vector<std::string> names = model_names();
  if (contains(names, name_or_path)) return read_model(name_or_path);
  fail_unknown("model", name_or_path, names, names.size());
}

std::optional<GpuPrice> load_price(const std::string& gpu_name) {
  const std::string path = path_of("prices", canonical_gpu(gpu_name));
  std::error_code error;
  if (!fs::exists(path, error)) return std::nullopt;
  CatalogFile file(path, "headway-price 1");
  GpuPrice price;
  constexpr double kSecondsPerHour = 3600;
  price.usd_per_gpu_hour =
      file.quantity("price", Dimension::money_per_time, 0, 10) * kSecondsPerHour;
  price.date = file.text("date");
  price.source = file.text("source");
  file.finish();
  return price;
}

}  // namespace headway
