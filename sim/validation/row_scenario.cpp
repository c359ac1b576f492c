#include "sim/validation/row_scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace headway {
namespace {

/// The text in YAML's double quotes.
std::string quoted_scalar(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

/// The text as a comment: one line, without what YAML refuses.
std::string comment(const std::string& label, const std::string& text) {
  if (text.empty()) return "";
  std::string line;
  for (const char c : text) line += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  return fmt::format("# {}: {}\n", label, line);
}

std::string arrivals(const MeasuredRow& row, const Recipe& recipe, std::int64_t warming,
                     const std::filesystem::path& trace) {
  switch (row.loop) {
    case Loop::trace:
      return fmt::format("{{trace: {{file: {}, format: plain}}}}", quoted_scalar(trace.string()));
    case Loop::open_constant:
      if (recipe.interval_cv == 0) return fmt::format("{{constant: {{rate: {} /s}}}}", row.rate);
      if (recipe.exact_number)
        return fmt::format("{{stages: [{{rate: {} /s, for: {} s, exact: true}}]}}", row.rate,
                           static_cast<double>(row.requests + warming) / row.rate);
      if (recipe.interval_cv == 1) return fmt::format("{{poisson: {{rate: {} /s}}}}", row.rate);
      return fmt::format("{{gamma: {{rate: {} /s, cv: {}}}}}", row.rate, recipe.interval_cv);
    case Loop::closed:
      return fmt::format("{{closed: {{users: {}, requests: {}}}}}",
                         std::min(row.concurrency, recipe.requests), recipe.requests);
    case Loop::all_at_once:
    case Loop::static_batch:
      return fmt::format("{{closed: {{users: {0}, requests: {0}}}}}", recipe.requests);
  }
  return "";
}

std::string lengths(double stated, double shortest) {
  const auto most = std::max(1LL, std::llround(stated));
  if (shortest >= 1) return fmt::format("{}", most);
  const auto least = std::max(1LL, static_cast<long long>(stated * shortest));
  return fmt::format("{{uniform: {{low: {}, high: {}}}}}", least, most);
}

/// As a histogram of equal shares, at most 64.
std::string lengths(std::vector<std::int32_t> all) {
  std::sort(all.begin(), all.end());
  const std::size_t bins = std::min<std::size_t>(64, all.size());
  std::string text;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    const std::size_t first = all.size() * bin / bins, end = all.size() * (bin + 1) / bins;
    text += fmt::format("{}{{low: {}, high: {}, weight: {}}}", bin > 0 ? ", " : "", all[first],
                        all[end - 1], end - first);
  }
  return fmt::format("{{histogram: [{}]}}", text);
}

std::string workload(const MeasuredRow& row, const Recipe& recipe, std::int64_t warming,
                     const std::filesystem::path& trace) {
  std::string text = "workload:\n  - class: measured\n";
  text += fmt::format("    arrivals: {}\n", arrivals(row, recipe, warming, trace));
  if (row.loop != Loop::trace) {
    text += fmt::format("    input_tokens: {}\n", row.input_lengths.empty()
                                                      ? lengths(row.input_tokens, recipe.shortest)
                                                      : lengths(row.input_lengths));
    text += fmt::format("    output_tokens: {}\n", row.output_lengths.empty()
                                                       ? lengths(row.output_tokens, recipe.shortest)
                                                       : lengths(row.output_lengths));
  }
  if (recipe.prompts)
    text += fmt::format("    prefix: {{groups: {}, tokens: {}, order: round_robin}}\n",
                        recipe.prompts->groups, recipe.prompts->tokens);
  if (recipe.client_in_flight > 0)
    text += fmt::format("    client: {{max_concurrency: {}}}\n", recipe.client_in_flight);
  return text;
}

std::string fleet(const MeasuredRow& row, const Recipe& recipe) {
  std::string text = "fleet:\n  - pool: main\n";
  const auto named = [](const std::string& name) {
    return name.find('/') == std::string::npos ? name : quoted_scalar(name);
  };
  text += fmt::format("    model: {}\n    gpu: {}\n    engine: {}\n", named(recipe.model),
                      recipe.gpu, named(recipe.engine));
  text += fmt::format("    precision: {{weights: {}, kv: {}", number_format_name(recipe.weights),
                      number_format_name(recipe.kv));
  if (recipe.activations)
    text += fmt::format(", activations: {}", number_format_name(*recipe.activations));
  text += fmt::format("}}\n    parallel: {{tensor: {}, pipeline: {}, expert: {}, data: {}}}\n",
                      recipe.tensor, recipe.pipeline, recipe.expert, recipe.data);
  text += fmt::format("    batching: {{continuous: {{max_num_seqs: {}, max_num_batched_tokens: {}",
                      recipe.max_num_seqs, recipe.max_num_batched_tokens);
  if (recipe.batch_wait_timeout_iters > 0)
    text += fmt::format(", batch_wait_timeout_iters: {}, batch_wait_max_tokens_ratio: {}",
                        recipe.batch_wait_timeout_iters, recipe.batch_wait_max_tokens_ratio);
  if (recipe.balance_ranks)
    text += ", attention_dp_timeout_iters: 50, attention_dp_batching_wait_iters: 10";
  if (!recipe.chunked_prefill) text += ", chunked_prefill: false";
  text += fmt::format("}}}}\n    kv: {{gpu_memory_utilization: {}, prefix_caching: {}",
                      recipe.gpu_memory_utilization, recipe.prompts.has_value());
  if (recipe.reserve_all) text += ", admission: reserve_all";
  if (row.kv_blocks > 0) text += fmt::format(", blocks: {}", row.kv_blocks);
  text += "}\n";
  if (recipe.max_model_len > 0)
    text += fmt::format("    max_model_len: {}\n", recipe.max_model_len);
  return text;
}

std::string front(const Recipe& recipe) {
  if (recipe.tokenizing_seconds == 0) return {};
  return fmt::format(
      "front: {{tokenizer: {{servers: 1, time: {} ms, per_token: {} us, batch: {}}}}}\n",
      1e3 * recipe.receiving_seconds, 1e6 * recipe.tokenizing_seconds, recipe.tokenized_together);
}

std::string run(const MeasuredRow& row, const Recipe& recipe, std::int64_t warming) {
  const std::string fixed = "drain: true, seed: 1, engine: heap";
  std::string text;
  if (warming > 0)
    text = fmt::format("# the first {} requests fill the prefix cache and are not measured\n",
                       warming);
  if (row.loop == Loop::open_constant && !recipe.exact_number)
    return text + fmt::format("run: {{requests: {}, {}}}\n", row.requests + warming, fixed);
  return text + fmt::format("run: {{{}}}\n", fixed);
}

}  // namespace

std::string scenario_text(const MeasuredRow& row, const Recipe& recipe, std::int64_t warming,
                          const std::filesystem::path& trace) {
  return "headway: 1\n" + comment("source", row.source) + comment("note", row.note) +
         fmt::format("name: {}\n", quoted_scalar(row.id)) + workload(row, recipe, warming, trace) +
         fleet(row, recipe) + front(recipe) + run(row, recipe, warming);
}

}  // namespace headway
