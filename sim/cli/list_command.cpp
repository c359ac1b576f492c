#include "sim/cli/list_command.hpp"

#include <fmt/format.h>

#include "models/catalog.hpp"
#include "models/quantization_config.hpp"
#include "models/units.hpp"
#include "sim/report/table_text.hpp"
#include "sim/scenario/input_error.hpp"
#include "sim/scenario/reference.hpp"

namespace headway {

namespace {

constexpr int kNameColumns = 18;

std::string words_text(const std::string& path) {
  std::string text;
  for (const Schema::Word& word : words_at(path))
    text += labelled("  " + word.name, word.help, Ink::plain, {}, kNameColumns);
  return text;
}

std::string section(const std::string& title, const std::string& path) {
  return fmt::format("{} ({})\n{}", title, path, words_text(path));
}

std::string gpus_text() {
  std::string text = fmt::format("{:<18}{:>9}{:>12}{:>15}{:>13}{:>12}\n", "gpu", "memory",
                                 "bandwidth", "bf16 dense", "link", "price");
  for (const std::string& name : gpu_names()) {
    const Gpu gpu = load_gpu(name);
    const std::optional<GpuPrice> price = load_price(name);
    text += fmt::format("{:<18}{:>9}{:>12}{:>15}{:>13}{:>12}\n", name,
                        format_quantity(gpu.memory_bytes, Dimension::bytes),
                        format_quantity(gpu.hbm_bytes_per_second, Dimension::bytes_per_second),
                        format_quantity(gpu.half_flops, Dimension::flops),
                        format_quantity(gpu.link_bytes_per_second(), Dimension::bytes_per_second),
                        price ? number_text(price->usd_per_gpu_hour) + " USD/h" : "-");
  }
  return text + "\nlink: one way a GPU, NVLink where there is one, else PCIe\n";
}

std::string models_text() {
  std::string text = fmt::format("{:<18}{:>12}{:>12}{:>8}{:>12}{:>15}\n", "model", "parameters",
                                 "active", "layers", "context", "KV a token");
  for (const std::string& name : model_names()) {
    const Architecture model = load_model(name);
    const ParameterCount count = count_parameters(model);
    text += fmt::format(
        "{:<18}{:>12}{:>12}{:>8}{:>12}{:>15}\n", name, fmt::format("{:.1f} B", count.total / 1e9),
        fmt::format("{:.1f} B", count.active / 1e9), model.layers, grouped(model.max_positions),
        format_quantity(2 * kv_elements_per_token(model), Dimension::bytes));
  }
  return text +
         "\nactive: parameters that one token touches; KV a token: in 16 bits\n"
         "a model may also be a path to a Hugging Face config.json\n";
}

std::string engines_text() {
  std::string text;
  for (const std::string& name : engine_names()) {
    const Engine engine = load_engine(name);
    text += labelled(name, engine.source, Ink::plain, {}, kNameColumns);
  }
  return text;
}

std::string units_text() {
  struct Kind {
    const char* name;
    Dimension dimension;
  };
  std::string text;
  for (const Kind& kind : {Kind{"time", Dimension::time},
                           {"rate", Dimension::rate},
                           {"bytes", Dimension::bytes},
                           {"bandwidth", Dimension::bytes_per_second},
                           {"arithmetic", Dimension::flops},
                           {"power", Dimension::power},
                           {"money", Dimension::money_per_time}})
    text += labelled(kind.name, fmt::format("{}", fmt::join(unit_names(kind.dimension), " ")));
  return text + labelled("share", "0 to 1, or with %: 0.35, 35 %");
}

std::string keys_text() {
  std::string text;
  for (const std::string& path : set_paths()) text += path + "\n";
  return text;
}

std::string routers_text() {
  return section("routers", "router");
}
std::string batching_text() {
  return section("batching", "fleet.POOL.batching");
}
std::string arrivals_text() {
  return section("arrivals", "workload.CLASS.arrivals");
}
std::string distributions_text() {
  return section("distributions of token counts, sizes and times", "workload.CLASS.input_tokens");
}
std::string policies_text() {
  return routers_text() + "\n" + batching_text() + "\n" +
         section("order of the queue", "fleet.POOL.order") + "\n" +
         section("KV admission", "fleet.POOL.kv.admission");
}
std::string formats_text() {
  return section("weights", "fleet.POOL.precision.weights") + "\n" +
         section("KV cache", "fleet.POOL.precision.kv") + "\n" +
         section("sparsity of weights", "fleet.POOL.precision.sparsity") + "\n" +
         labelled("config.json",
                  fmt::format("of a quantised model, its quantization_config is the default: {}",
                              fmt::join(quantization_methods(), ", ")),
                  Ink::plain, {}, kNameColumns);
}

struct Topic {
  const char* name;
  const char* help;
  std::string (*text)();
};

constexpr Topic kTopics[] = {
    {"gpus", "GPUs of the catalogue with their peak rates and prices", gpus_text},
    {"models", "models of the catalogue", models_text},
    {"engines", "serving engines of the catalogue", engines_text},
    {"precisions", "number formats of weights and KV cache, and what a config.json sets",
     formats_text},
    {"policies", "every decision that can be chosen: routers, batching, order, admission",
     policies_text},
    {"routers", "how requests find a replica", routers_text},
    {"batching", "how a replica forms batches", batching_text},
    {"arrivals", "when requests arrive", arrivals_text},
    {"distributions", "laws of token counts, sizes and times", distributions_text},
    {"keys", "every path that --set takes", keys_text},
    {"units", "units of quantities", units_text},
};

}  // namespace

std::vector<std::string> list_topics() {
  std::vector<std::string> names;
  for (const Topic& topic : kTopics) names.emplace_back(topic.name);
  return names;
}

std::string list_text(const std::string& name) {
  if (name.empty()) {
    std::string text = "headway list TOPIC:\n";
    for (const Topic& topic : kTopics)
      text += labelled(fmt::format("  {}", topic.name), topic.help, Ink::plain, {}, kNameColumns);
    return text;
  }
  for (const Topic& topic : kTopics)
    if (name == topic.name) return topic.text();
  const std::string nearest = nearest_word(name, list_topics());
  throw InputError(fmt::format("nothing is listed under '{}'; expected {}{}", name,
                               fmt::join(list_topics(), ", "),
                               nearest.empty() ? "" : "; did you mean " + nearest + "?"));
}

}  // namespace headway
