#include "calibration/operator_form.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "models/units.hpp"

namespace headway {

namespace {

using P = OperatorPoint;

constexpr PointDimension kDimensions[] = {
    {"m", &P::m},
    {"n", &P::n},
    {"k", &P::k},
    {"heads", &P::heads},
    {"kv_heads", &P::kv_heads},
    {"head_dim", &P::head_dim},
    {"window", &P::window},
    {"batch", &P::batch},
    {"chunk", &P::chunk},
    {"prefix", &P::prefix},
    {"context", &P::context},
    {"longest", &P::longest},
    {"tokens", &P::tokens},
    {"width", &P::width},
    {"hidden", &P::hidden},
    {"inner", &P::inner},
    {"experts", &P::experts},
    {"topk", &P::topk},
    {"expert_parallel", &P::expert_parallel},
    {"touched", &P::touched},
    {"gpus", &P::gpus},
    {"bytes", &P::bytes},
};

constexpr std::int64_t kLargest = 1'000'000'000'000'000;  // sums and products of sizes stay exact

struct Form {
  const char* op;
  std::string_view needed;    // dimensions that are at least 1, by name, each followed by a space
  std::string_view optional;  // dimensions that may be 0
};

constexpr Form kForms[] = {
    {"gemm", "m n k ", ""},
    {"attention_prefill", "heads kv_heads head_dim batch chunk ", "window prefix "},
    {"attention_decode", "heads kv_heads head_dim batch context ", "window longest "},
    {"attention_mixed", "heads kv_heads head_dim chunk batch context ", "window prefix "},
    {"mla_prefill", "heads batch chunk ", "prefix "},
    {"mla_decode", "heads batch context ", ""},
    {"mla_prefill_kernel", "heads batch chunk ", "prefix "},
    {"mla_decode_kernel", "heads batch context ", ""},
    {"norm", "tokens width ", ""},
    {"activation", "tokens width ", ""},
    {"rotary", "tokens width ", ""},
    {"embedding", "tokens width ", ""},
    {"sampler", "batch width ", ""},
    {"moe", "tokens hidden inner experts topk expert_parallel ", "touched "},
    {"all_reduce", "gpus bytes ", ""},
    {"all_gather", "gpus bytes ", ""},
    {"reduce_scatter", "gpus bytes ", ""},
    {"all_to_all", "gpus bytes ", ""},
    {"copy", "bytes ", ""},
};

const Form* find_form(std::string_view op) {
  for (const Form& form : kForms)
    if (op == form.op) return &form;
  return nullptr;
}

bool lists(std::string_view names, std::string_view name) {
  std::size_t at = 0;
  while ((at = names.find(name, at)) != std::string_view::npos) {
    const std::size_t end = at + name.size();
    if ((at == 0 || names[at - 1] == ' ') && names[end] == ' ') return true;
    at = end;
  }
  return false;
}

}  // namespace

std::span<const PointDimension> point_dimensions() {
  return kDimensions;
}

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (const Form& form : kForms) names.emplace_back(form.op);
  return names;
}

std::string point_fault(const OperatorPoint& point, std::string& key) {
  key = "op";
  const Form* form = find_form(point.op);
  if (form == nullptr) {
    const std::string nearest = nearest_word(point.op, operator_names());
    return fmt::format(
        "unknown operator \"{}\"; expected {}", point.op,
        nearest.empty() ? fmt::format("{}", fmt::join(operator_names(), ", ")) : nearest);
  }
  for (const PointDimension& dimension : kDimensions) {
    const std::int64_t value = point.*dimension.member;
    key = dimension.name;
    const bool needed = lists(form->needed, dimension.name);
    if (!needed && value != 0 && !lists(form->optional, dimension.name))
      return fmt::format("{} has no {} ({}); expected {}{}", point.op, key, value, form->needed,
                         form->optional);
    if (value < 0 || value > kLargest)
      return fmt::format("{} is out of range ({}); expected 0 to 10^15", key, value);
    if (needed && value == 0) return fmt::format("{} lacks {}; expected 1 or more", point.op, key);
  }
  return "";
}

std::string point_text(const OperatorPoint& point) {
  std::string text = point.op;
  for (const std::string& word :
       {point.format, point.kv.empty() ? "" : "kv=" + point.kv, point.variant})
    if (!word.empty()) text += " " + word;
  for (const PointDimension& dimension : kDimensions)
    if (point.*dimension.member != 0)
      text += fmt::format(" {}={}", dimension.name, point.*dimension.member);
  return text;
}

}  // namespace headway
