// A profile: the measured times of the operators of an engine step, of one GPU, one engine version
// and one number format. The file is JSON, at most 300 kB:
//
//   {"headway_profile": 1, "gpu": "h100-sxm", "engine": "vllm-0.19.0", "format": "bf16",
//    "source": "where the times come from", "date": "2026-11-30", "skew": 0.05,
//    "unsplit": 301, "operators": ["gemm"],
//    "held_out": [{"op": "gemm", "count": 9135, "mean": 0.031, "median": 0.018}],
//    "families": [{"op": "gemm", "axes": {"m": [1, 2, 4]},
//                  "rows": [{"n": 4096, "k": 4096, "us": [13.1, 13.2, null]}]}]}
//
// "operators" names the families, so that a file that has none of use is left after its first
// lines; a profile without that key is read whole. A family is one operator; a row of it one shape
// with its times, in microseconds of one call, over the family's axes, the last axis fastest; null
// where nothing was measured.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "models/time_grid.hpp"

namespace headway {

/// What stays the same in a row, by name: "n", "k", "heads", "kv_heads", "head_dim", "window",
/// "hidden", "inner", "experts", "topk", "expert_parallel", "gpus", "width".
using OperatorShape = std::map<std::string, std::int64_t>;

struct ProfileRow {
  OperatorShape shape;
  std::vector<double> seconds;  // one a point of the axes; NaN: not measured
};

/// Operators and their axes:
///   gemm               m; rows by n, k
///   attention_prefill  batch, length; rows by heads, kv_heads, head_dim, window
///   attention_chunk    chunk, prefix: the same of one chunk after a prefix; used before the former
///   attention_decode   batch, context
///   attention_mixed    chunk, batch, context: what the decodes add to a step with that prefill
///   unitless norm activation rotary embedding   bytes read and written; one row sampler batch;
///   rows by width moe                tokens; rows by hidden, inner, experts, topk, expert_parallel
///   moe_as_measured    the same before another kernel's times were put in; for other cards
///   mla_prefill        batch, length; rows by heads: attention with its projections
///   mla_decode         batch, context
///   all_reduce all_gather reduce_scatter all_to_all   bytes; rows by gpus
///   all_reduce_eager   the same of the engine's own all-reduce where no CUDA graph holds it
///   copy               bytes; one row
struct ProfileFamily {
  std::string op;
  std::vector<std::string> axis_names;
  std::vector<std::vector<double>> axes;
  std::vector<ProfileRow> rows;

  /// Times over the axes as a grid: those of a row, or what was made of rows.
  TimeGrid grid(const std::vector<double>& seconds) const;
  /// How the points of an axis are joined: attention over prompts by powers, as its work grows with
  /// the square of their length; products by tiles; all else, and the prefix of a chunk, linearly.
  Joining joining(std::size_t axis) const;
};

/// How far a prediction was from shapes that were held out, relative to the measured time.
struct HeldOutError {
  std::string op;
  std::int64_t count = 0;  // points
  double mean = 0;         // of the absolute errors
  double median = 0;
};

struct Profile {
  std::string gpu;     // "h100-sxm": every catalogue GPU whose name starts so
  std::string engine;  // name and version of the engine whose kernels these are: "vllm-0.19.0"
  std::string format;  // of the products, and of the KV cache in attention: "bf16", "fp8"
  std::string source, date;
  double skew = 0;  // α of decode time with unequal contexts: T(mean) + α·(T(longest) − T(mean)),
                    // in a batch of at most one wave, see AttentionCost
  std::int64_t unsplit = 0;  // decodes × KV heads from which on one block of threads reads all keys
                             // of a sequence and head; 0: the kernel splits them at any number
  std::vector<HeldOutError> held_out;
  std::vector<ProfileFamily> families;

  /// The family of an operator; nullptr where the profile has none.
  const ProfileFamily* find(std::string_view op) const;
};

/// Whether a profile whose `gpu` is `profile_gpu` is for the catalogue's GPU of that name: one of
/// "h100-sxm" is for "h100-sxm" and "h100-sxm-80gb", not for "h100-pcie-80gb".
bool profile_is_for(std::string_view profile_gpu, std::string_view gpu);

/// The largest file that is read or written.
inline constexpr std::size_t kLargestProfileBytes = 300'000;

/// Reads a profile. Throws CatalogError with the file's name and what was expected.
Profile read_profile(const std::string& path);

/// The same from text; `where` stands for the path in messages.
Profile parse_profile(std::string_view text, const std::string& where);

/// The profile as text, times with three significant digits. Throws ModelError when it is larger
/// than kLargestProfileBytes.
std::string write_profile(const Profile& profile);

}  // namespace headway
