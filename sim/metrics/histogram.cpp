#include "sim/metrics/histogram.hpp"

#include <algorithm>

namespace headway {

namespace {

/// A bin's members are [low, low + width).
struct Bounds {
  std::uint64_t low, width;
};
Bounds bounds(std::uint32_t bin) {
  if (bin < (2U << kSubBinBits)) return {bin, 1};
  const std::uint32_t shift = (bin >> kSubBinBits) - 1;
  return {static_cast<std::uint64_t>(bin - (shift << kSubBinBits)) << shift,
          std::uint64_t{1} << shift};
}

SparseHistogram::Entry entry(std::uint32_t bin, std::int64_t count) {
  return {.bin = bin & 0xFFFFU, .count = static_cast<std::uint64_t>(count) & 0xFFFF'FFFF'FFFFULL};
}

}  // namespace

double histogram_value(std::uint32_t bin) {
  const Bounds b = bounds(bin);
  return static_cast<double>(b.low) + static_cast<double>(b.width - 1) / 2;
}

double SparseHistogram::quantile(double p) const {
  if (count == 0) return 0;
  const double rank = std::clamp(p, 0.0, 1.0) * static_cast<double>(count - 1);
  const auto below = static_cast<std::int64_t>(rank);
  std::int64_t seen = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    seen += static_cast<std::int64_t>(entries[i].count);
    if (seen <= below) continue;
    const double value = histogram_value(entries[i].bin);
    if (below + 1 < seen || i + 1 == entries.size()) return value;
    const double next = histogram_value(entries[i + 1].bin);
    return value + (next - value) * (rank - static_cast<double>(below));
  }
  return histogram_value(entries.back().bin);
}

double SparseHistogram::count_at_most(double value) const {
  if (value < 0) return 0;
  const std::uint32_t bin = histogram_bin(static_cast<std::int64_t>(std::min(value, 9.2e18)));
  std::int64_t above = 0;  // counted from the back: the values asked for are mostly in the tail
  for (auto e = entries.rbegin(); e != entries.rend(); ++e) {
    if (e->bin < bin) break;
    if (e->bin == bin) {
      const Bounds b = bounds(bin);
      const double within = (value - static_cast<double>(b.low) + 1) / static_cast<double>(b.width);
      return static_cast<double>(count - above) -
             static_cast<double>(e->count) * (1 - std::clamp(within, 0.0, 1.0));
    }
    above += static_cast<std::int64_t>(e->count);
  }
  return static_cast<double>(count - above);
}

void SparseHistogram::merge(const SparseHistogram& other) {
  std::vector<Entry> merged;
  merged.reserve(std::max(entries.size(), other.entries.size()));
  auto a = entries.begin();
  auto b = other.entries.begin();
  while (a != entries.end() || b != other.entries.end()) {
    if (b == other.entries.end() || (a != entries.end() && a->bin < b->bin)) {
      merged.push_back(*a++);
    } else if (a == entries.end() || b->bin < a->bin) {
      merged.push_back(*b++);
    } else {
      merged.push_back(entry(a->bin, static_cast<std::int64_t>(a->count + b->count)));
      ++a, ++b;
    }
  }
  merged.shrink_to_fit();
  entries = std::move(merged);
  count += other.count;
}

void Histogram::merge(const SparseHistogram& other) {
  for (const auto& e : other.entries) add_bin(e.bin, static_cast<std::int64_t>(e.count));
}

SparseHistogram Histogram::sparse() const {
  SparseHistogram result;
  result.count = count_;
  result.entries.reserve(static_cast<std::size_t>(std::clamp<std::int64_t>(count_, 0, 2048)));
  for (std::uint32_t w = 0; w < used_.size(); ++w) {
    for (std::uint64_t word = used_[w]; word != 0; word &= word - 1) {
      const std::uint32_t bin = w * 64 + static_cast<std::uint32_t>(std::countr_zero(word));
      if (counts_[bin] > 0) result.entries.push_back(entry(bin, counts_[bin]));
    }
  }
  result.entries.shrink_to_fit();
  return result;
}

SparseHistogram Histogram::take() {
  SparseHistogram result = sparse();
  for (const auto& e : result.entries) counts_[e.bin] = 0;
  std::fill(used_.begin(), used_.end(), 0);
  count_ = 0;
  return result;
}

}  // namespace headway
