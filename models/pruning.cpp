#include "models/pruning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace headway {
namespace {

/// What is left of `whole`, in steps of `unit`.
std::int32_t left_of(std::int32_t whole, double share, std::int32_t unit, const char* key,
                     const std::string& what) {
  if (!(share >= 0 && share < 1))
    throw ArchitectureError(
        fmt::format("pruning.{} is {}; expected at least 0, less than 1", key, share));
  if (share == 0) return whole;
  const double steps = static_cast<double>(whole) / unit;
  const auto kept = unit * static_cast<std::int32_t>(std::lround(steps * (1 - share)));
  if (steps < 2)
    throw ArchitectureError(
        fmt::format("{} are too few to take any out; expected {}: 0", what, key));
  if (kept >= unit && kept < whole) return kept;
  throw ArchitectureError(
      fmt::format("{:.3g} % of the {} would leave {}; expected {:.3g} to {:.3g} %", 100 * share,
                  what, kept < unit ? "none" : "all", 100 / steps, 100 * (steps - 1) / steps));
}

/// What is left of `part` of `whole` layers of which `kept` are: in proportion, and one at least of
/// each kind where both kinds are and two layers are left.
std::int32_t in_proportion(std::int32_t part, std::int32_t whole, std::int32_t kept) {
  if (part == 0 || kept == whole) return part;
  const auto share =
      static_cast<std::int32_t>(std::lround(static_cast<double>(part) * kept / whole));
  const std::int32_t most = part < whole ? std::max(1, kept - 1) : kept;
  return std::clamp(share, 1, most);
}

}  // namespace

Architecture pruned(const Architecture& architecture, const Pruning& pruning) {
  Architecture a = architecture;
  a.name = "pruned " + a.name;
  a.layers = left_of(a.layers, pruning.layers, 1, "layers", fmt::format("{} layers", a.layers));
  a.window_layers = in_proportion(a.window_layers, architecture.layers, a.layers);
  a.dense_layers = in_proportion(a.dense_layers, architecture.layers, a.layers);

  const std::int32_t group = a.heads / a.kv_heads;
  a.kv_heads =
      left_of(a.kv_heads, pruning.heads, 1, "heads", fmt::format("{} KV heads", a.kv_heads));
  a.heads = a.kv_heads * group;

  constexpr std::int32_t kTile = 64;
  for (std::int32_t* const width : {&a.intermediate, &a.moe_intermediate, &a.shared_intermediate}) {
    if (*width > 0)
      *width = left_of(*width, pruning.ffn, kTile, "ffn", fmt::format("{} columns", *width));
  }
  return a;
}

}  // namespace headway
