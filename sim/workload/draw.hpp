// Randomness: counter-based draws keyed by (seed, stream, entity, index). No generator has state
// that another consumer could shift: adding a feature never changes another's numbers.
#pragma once

#include <cmath>
#include <cstdint>

namespace headway {

/// Who draws. A new consumer gets a new stream at the end of the list.
enum class Stream : std::uint32_t {
  arrivals = 1,
  modulation,
  input_tokens,
  output_tokens,
  think_time,
  service_time,
  router,
  request_size,
  prefix_group,
  turns,
  turn_input_tokens,
  turn_output_tokens,
  turn_request_size,
  turn_think_time,
  balancer_time,
  tokenizer_time,
  backoff,
  failures,
  repair,
  spot,
  slow_node,
  store_cut,
  route,
  escalation,
  patience_queue,
  patience_first_token,
  patience_total,
  hang_up,
  hang_up_after,
  provision,
  image_pull,
  process_start,
  weight_load,
  compile,
  graph_capture,
  first_request,
  stock,
};

/// The SplitMix64 finaliser (Steele, Lea, Flood 2014): a bijection of 64-bit words.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// The draws of one (seed, stream, entity). bits(index, part) is a pure function: index counts the
/// things drawn for (the 17th request), part the draws within one (rejection loops). For one part
/// it is SplitMix64 from a start that the key chooses; a step of part is another odd constant, so
/// that no (index, part) within reach meets another.
class Draw {
 public:
  Draw(std::uint64_t seed, Stream stream, std::uint64_t entity)
      : key_(mix64(mix64(seed + 0x9e3779b97f4a7c15ULL * (static_cast<std::uint64_t>(stream) + 1)) ^
                   mix64(entity + 0xd1b54a32d192ed03ULL))) {}

  std::uint64_t bits(std::uint64_t index, std::uint64_t part = 0) const {
    return mix64(key_ + index * 0x9e3779b97f4a7c15ULL + part * 0xda942042e4dd58b5ULL);
  }
  /// Uniform in (0, 1), never 0 or 1: the 52 high bits, centred. (With 53, the centre of the last
  /// interval would round to 1.)
  double uniform(std::uint64_t index, std::uint64_t part = 0) const {
    return (static_cast<double>(bits(index, part) >> 12) + 0.5) * 0x1.0p-52;
  }
  /// Uniform integer in [0, n), n ≥ 1; bias below n / 2^64.
  std::uint64_t below(std::uint64_t n, std::uint64_t index, std::uint64_t part = 0) const {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits(index, part)) * n) >>
                                      64);
  }

 private:
  std::uint64_t key_;
};

/// Standard normal quantile of u in (0, 1): Wichura's AS 241 (PPND16), relative error about 1e-16.
double normal_quantile(double u);

}  // namespace headway
