// Operator times of a profile by shape: those measured, and those between measured shapes.
#pragma once

#include <cstdint>
#include <optional>

#include "models/profile.hpp"

namespace headway {

/// Where a time comes from, best first.
enum class TimeSource {
  profile,        // this shape was measured
  interpolation,  // between shapes of the same operator that were measured
  roofline        // the data sheet's peak rates
};

/// The times of one shape over the axes of its operator.
struct ShapeTimes {
  TimeGrid grid;
  TimeSource source = TimeSource::profile;
  bool outside = false;  // the shape lies beyond those measured
};

/// Time against the number of tokens of a product with an [n, k] matrix. Between measured shapes:
/// the logarithm of measured time over a roofline with the table's own best rates, from a plane in
/// log n and log k through the shapes around (local_plane.hpp), by number of tokens. A measured n
/// is told by shapes of the same n: they share tiles and waves. One shape that was timed with a
/// slow kernel spoils no other. Beyond the measured ones the ratio of the edge. Nothing when the
/// family is empty. `format` is the profile's: it tells the bytes of a weight.
std::optional<ShapeTimes> gemm_times(const ProfileFamily& family, const std::string& format,
                                     std::int64_t n, std::int64_t k);

/// The heads of an attention kernel on one GPU.
struct HeadShape {
  std::int64_t heads = 0, kv_heads = 0, head_dim = 0, window = 0;
};

/// Times of attention. Between measured shapes of the same head_dim and window: of
/// attention_prefill and attention_decode by two estimates, log-log interpolation over query heads
/// at the same KV heads, and the same groups at as many times the batch as there are more KV heads;
/// at each point that counts more whose two measured times agree better. Of attention_chunk and
/// attention_mixed, which have no batch of prompts, the first, else over KV heads at the nearest
/// ratio. A head_dim that was not measured takes the nearest one's times in proportion. Nothing
/// when no row has this window.
std::optional<ShapeTimes> attention_times(const ProfileFamily& family, const HeadShape& shape);

/// The routed experts of one layer on one GPU.
struct ExpertShape {
  std::int64_t hidden = 0, inner = 0, experts = 0, topk = 0, expert_parallel = 1;
};

/// Time against tokens of the routed experts. Between measured widths of the same experts, or
/// measured splits of them, by logarithms; up to twice or half the last of either, on with the
/// power of the last two. Any other shape that was not measured takes the time of the nearest
/// measured one (in the logarithms of its sizes) at as many rows an expert, in proportion to the
/// weights on the GPU. Nothing when the family is empty or the nearest is farther than a factor of
/// 16 in all.
std::optional<ShapeTimes> expert_times(const ProfileFamily& family, const ExpertShape& shape);

/// Times of a family whose rows differ by one size (sampler: width; collectives: gpus; mla: heads):
/// the row of that size, else between the rows around it in proportion; beyond them outside.
/// Nothing when the family is empty.
std::optional<ShapeTimes> sized_times(const ProfileFamily& family, const char* size,
                                      std::int64_t value);

/// Bytes that one weight of a profile's format takes: 2 of "bf16", 1 of "fp8", 0.5 of "int4" and
/// so on; 2 for an unknown name.
double format_bytes(const std::string& format);

}  // namespace headway
