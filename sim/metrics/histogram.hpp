// A log-linear histogram of picoseconds: bins of equal width within each octave (the layout of
// G. Tene's HdrHistogram), found by shifts alone.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace headway {

/// Bins: one for each value below 1,024, then 512 an octave. The middle of a bin is within 0.1 % of
/// every member (half of 1/512).
inline constexpr int kSubBinBits = 9;
inline constexpr std::uint32_t kBins = ((63 - kSubBinBits) << kSubBinBits) + (1U << kSubBinBits);
static_assert(kBins < (1U << 16));

/// The bin of a value; negative values count as 0.
inline std::uint32_t histogram_bin(std::int64_t value) {
  const std::uint64_t v = value < 0 ? 0 : static_cast<std::uint64_t>(value);
  const auto shift = static_cast<int>(std::bit_width(v >> (kSubBinBits + 1)));
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(shift) << kSubBinBits) +
                                    (v >> shift));
}

/// The middle of a bin: what stands for its members.
double histogram_value(std::uint32_t bin);

/// A histogram as its occupied bins alone, ascending, 8 bytes each: for the many segments of a run.
struct SparseHistogram {
  struct Entry {
    std::uint64_t bin : 16;
    std::uint64_t count : 48;
  };
  std::vector<Entry> entries;
  std::int64_t count = 0;  // over all bins

  /// The value at rank p·(count − 1), p in 0..1, interpolated between neighbours as for exact
  /// samples; within 0.1 %. 0 when empty.
  double quantile(double p) const;
  /// How many members are at most `value`; those of its bin in proportion.
  double count_at_most(double value) const;
  void merge(const SparseHistogram& other);
};

/// A histogram with all its bins in memory (220 KiB). Not thread-safe.
class Histogram {
 public:
  Histogram() : counts_(kBins), used_(kBins / 64) {}

  void add(std::int64_t value, std::int64_t weight = 1) { add_bin(histogram_bin(value), weight); }
  void merge(const SparseHistogram& other);

  std::int64_t count() const { return count_; }
  SparseHistogram sparse() const;
  /// The sparse form; empty afterwards.
  SparseHistogram take();

 private:
  static_assert(kBins % 64 == 0);
  void add_bin(std::uint32_t bin, std::int64_t weight) {
    counts_[bin] += weight;
    count_ += weight;
    used_[bin / 64] |= std::uint64_t{1} << (bin % 64);
  }

  std::vector<std::int64_t> counts_;
  std::vector<std::uint64_t>
      used_;  // a bit a bin: emptying and listing cost little when few are used
  std::int64_t count_ = 0;
};

}  // namespace headway
