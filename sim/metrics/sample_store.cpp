#include "sim/metrics/sample_store.hpp"

#include <algorithm>

namespace headway {

void SegmentStat::merge(const SegmentStat& other) {
  count += other.count;
  sum += other.sum;
  max = std::max(max, other.max);
  histogram.merge(other.histogram);
}

SegmentStat merged(const std::vector<SegmentStat>& segments, Histogram& scratch) {
  SegmentStat all;
  for (const SegmentStat& s : segments) {
    all.count += s.count;
    all.sum += s.sum;
    all.max = std::max(all.max, s.max);
    scratch.merge(s.histogram);
  }
  all.histogram = scratch.take();
  return all;
}

void SampleStore::Fold::merge(const Fold& other) {
  for (std::size_t m = 0; m < kMetrics; ++m) stats[m].merge(other.stats[m]);
  good.count += other.good.count;
  good.good += other.good.good;
}

SampleStore::SampleStore(std::vector<SloLimits> limits, std::size_t pools)
    : limits_(std::move(limits)),
      pools_(pools > 1 ? pools : 0),
      ttft_(kExactLimit),
      e2e_(kExactLimit),
      queue_(kExactLimit),
      output_(kExactLimit) {
  if (limits_.size() > 1) class_ = Column<std::uint32_t>(kExactLimit);
  if (pools_ > 0) pool_ = Column<std::uint32_t>(kExactLimit);
}

const Column<std::uint32_t>* SampleStore::telling(SampleGroup group) const {
  if (group.by == SampleGroup::By::all) return nullptr;
  const Column<std::uint32_t>& column = group.by == SampleGroup::By::pool ? pool_ : class_;
  return column.reserved() ? &column : nullptr;
}

template <typename Visit>
void SampleStore::visit(Metric metric, SampleGroup group, std::int64_t begin, std::int64_t end,
                        Visit&& see) const {
  const auto first = static_cast<std::size_t>(begin), last = static_cast<std::size_t>(end);
  const Column<std::uint32_t>* const column = telling(group);
  const std::uint32_t* const other = column != nullptr ? column->data() : nullptr;
  const auto loop = [&](auto&& value) {
    for (std::size_t i = first; i < last; ++i) {
      if (other == nullptr || other[i] == group.index) see(value(i));
    }
  };
  switch (metric) {
    case Metric::ttft:
      return loop([&](std::size_t i) { return ttft_[i]; });
    case Metric::e2e:
      return loop([&](std::size_t i) { return e2e_[i]; });
    case Metric::queue:
      return loop([&](std::size_t i) { return queue_[i]; });
    case Metric::client_delay:
      return loop([&](std::size_t i) { return delay_.reserved() ? delay_[i] : 0; });
    case Metric::ttft_from_sent:
      return loop([&](std::size_t i) { return ttft_[i] - (delay_.reserved() ? delay_[i] : 0); });
    case Metric::e2e_from_sent:
      return loop([&](std::size_t i) { return e2e_[i] - (delay_.reserved() ? delay_[i] : 0); });
    case Metric::tpot:
      for (std::size_t i = first; i < last; ++i) {
        if (output_[i] < 2 || (other != nullptr && other[i] != group.index)) continue;
        const std::int64_t gaps = output_[i] - 1;
        see((e2e_[i] - ttft_[i] + gaps / 2) / gaps);
      }
  }
}

SegmentStat SampleStore::stat(Metric metric, SampleGroup group, std::int64_t begin,
                              std::int64_t end) const {
  SegmentStat result;
  visit(metric, group, begin, end, [&](Picoseconds value) {
    scratch_.add(value);
    result.sum += value;
    result.max = std::max(result.max, value);
  });
  result.count = scratch_.count();
  result.histogram = scratch_.take();
  return result;
}

SampleStore::GoodCount SampleStore::count_good(SampleGroup group, std::int64_t begin,
                                               std::int64_t end) const {
  GoodCount result;
  const Column<std::uint32_t>* const column = telling(group);
  for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
    if (column != nullptr && (*column)[i] != group.index) continue;
    const SloLimits& limits = limits_[class_.reserved() ? class_[i] : 0];
    ++result.count;
    result.good += limits.good(ttft_[i], e2e_[i], output_[i]);
  }
  return result;
}

SampleStore::Fold SampleStore::fold(SampleGroup group, int metrics, std::int64_t begin,
                                    std::int64_t end) const {
  Fold fold;
  for (int m = 0; m < metrics; ++m) {
    fold.stats[static_cast<std::size_t>(m)] = stat(static_cast<Metric>(m), group, begin, end);
  }
  fold.good = count_good(group, begin, end);
  return fold;
}

SampleStore::Segment SampleStore::fold(std::int64_t begin, std::int64_t end) const {
  Segment segment;
  segment.chunks = 1;
  const int metrics = delay_.reserved() ? kMetrics : static_cast<int>(Metric::client_delay);
  for (std::uint32_t c = 0; c < limits_.size(); ++c) {
    segment.classes.push_back(fold(samples_of_class(c), metrics, begin, end));
  }
  for (std::uint32_t p = 0; p < pools_; ++p) {
    segment.pools.push_back(fold(samples_of_pool(p), kPoolMetrics, begin, end));
  }
  return segment;
}

void SampleStore::append(Segment&& chunk) {
  if (!segments_.empty() && segments_.back().chunks < chunks_per_segment_) {
    Segment& open = segments_.back();
    open.chunks += chunk.chunks;
    for (std::size_t c = 0; c < limits_.size(); ++c) open.classes[c].merge(chunk.classes[c]);
    for (std::size_t p = 0; p < pools_; ++p) open.pools[p].merge(chunk.pools[p]);
    return;
  }
  if (segments_.size() == kSegments) {
    chunks_per_segment_ *= 2;
    std::vector<Segment> old;
    old.swap(segments_);
    segments_.reserve(kSegments);
    for (Segment& segment : old) {
      append(std::move(segment));
      segment = {};
    }
    append(std::move(chunk));
    return;
  }
  segments_.push_back(std::move(chunk));
}

void SampleStore::fold_buffer() {
  segments_.reserve(kSegments);
  const auto give_back = [](auto& column, std::int64_t end) {
    if (column.reserved()) column.release(static_cast<std::size_t>(end));
  };
  for (std::int64_t begin = 0; begin < buffered_; begin += kChunk) {
    const std::int64_t end = begin + kChunk;
    append(fold(begin, end));
    if (capacity_ == kChunk) break;  // a lone chunk: its pages are written again at once
    give_back(ttft_, end), give_back(e2e_, end), give_back(queue_, end);
    give_back(output_, end), give_back(class_, end), give_back(pool_, end);
    give_back(delay_, end);
  }
  folded_ += buffered_;
  buffered_ = 0;
  capacity_ = kChunk;
}

void SampleStore::begin_delays() {
  delay_ = Column<Picoseconds>(kExactLimit);  // zero for those before
  for (Segment& segment : segments_) {
    for (Fold& fold : segment.classes) {
      const auto at = [&](Metric m) -> SegmentStat& {
        return fold.stats[static_cast<std::size_t>(m)];
      };
      SegmentStat& delay = at(Metric::client_delay);
      delay.count = delay.histogram.count = at(Metric::ttft).count;
      if (delay.count > 0) {
        delay.histogram.entries = {
            {.bin = 0, .count = static_cast<std::uint64_t>(delay.count) & 0xFFFF'FFFF'FFFFULL}};
      }
      at(Metric::ttft_from_sent) = at(Metric::ttft);
      at(Metric::e2e_from_sent) = at(Metric::e2e);
    }
  }
}

SampleWindow SampleStore::window(std::int64_t begin, std::int64_t end) const {
  begin = std::clamp<std::int64_t>(begin, 0, size());
  end = std::clamp<std::int64_t>(end, begin, size());
  const std::int64_t segment = chunks_per_segment_ * kChunk;
  if (begin < folded_) begin = std::min((begin + segment - 1) / segment * segment, folded_);
  if (end < folded_) end = end / segment * segment;
  return {begin, std::max(begin, end)};
}

SegmentStat SampleStore::folded_stat(const Segment& segment, Metric metric, SampleGroup group) {
  const auto m = static_cast<std::size_t>(metric);
  if (group.by != SampleGroup::By::all) return segment.of(group).stats[m];
  SegmentStat all = segment.classes.front().stats[m];
  for (std::size_t c = 1; c < segment.classes.size(); ++c) all.merge(segment.classes[c].stats[m]);
  return all;
}

std::vector<SegmentStat> SampleStore::segments(Metric metric, SampleGroup group,
                                               SampleWindow window) const {
  std::vector<SegmentStat> result;
  if (exact()) {
    const std::int64_t n = window.size();
    const auto parts = std::clamp<std::int64_t>(n / 16, 1, kSegments);
    for (std::int64_t i = 0; i < parts && n > 0; ++i) {
      result.push_back(
          stat(metric, group, window.begin + n * i / parts, window.begin + n * (i + 1) / parts));
    }
    return result;
  }
  const std::int64_t size = chunks_per_segment_ * kChunk;
  std::int64_t at = 0, last = 0;  // start of the segment; samples in the last one of the result
  for (const Segment& segment : segments_) {
    const std::int64_t count = segment.chunks * kChunk;
    if (at >= window.begin && at + count <= window.end) {
      result.push_back(folded_stat(segment, metric, group));
      last = count;
    }
    at += count;
  }
  const std::int64_t rest_begin = std::max(window.begin, folded_) - folded_;
  const std::int64_t rest = window.end - folded_ - rest_begin;
  if (rest > 0) {
    SegmentStat tail = stat(metric, group, rest_begin, rest_begin + rest);
    if (last > 0 && last < size) {
      result.back().merge(tail);
      last += rest;
    } else {
      result.push_back(std::move(tail));
      last = rest;
    }
  }
  if (result.size() > 1 && last < size / 2) {  // too short to stand as a batch of its own
    const SegmentStat tail = std::move(result.back());
    result.pop_back();
    result.back().merge(tail);
  }
  return result;
}

std::vector<double> SampleStore::exact_quantiles(Metric metric, SampleGroup group,
                                                 SampleWindow window, const SparseHistogram& all,
                                                 const std::vector<double>& p) const {
  if (all.count == 0) return std::vector<double>(p.size(), 0.0);
  // The two ranks on either side of each quantile, the bins that hold them, and the number of
  // samples before each such bin.
  struct WantedBin {
    std::int64_t before = 0;
    std::vector<Picoseconds> values;
  };
  std::vector<std::uint8_t> wanted(kBins, 0);  // 1 + index into bins
  std::vector<WantedBin> bins;
  const auto rank_of = [&](double q) { return q * static_cast<double>(all.count - 1); };
  std::vector<std::int64_t> ranks;
  for (const double q : p) {
    const auto rank = static_cast<std::int64_t>(rank_of(q));
    ranks.push_back(rank);
    ranks.push_back(std::min(rank + 1, all.count - 1));
  }
  std::vector<std::size_t> bin_of_rank(ranks.size());
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    std::int64_t seen = 0;
    for (const auto& entry : all.entries) {
      const std::int64_t before = seen;
      seen += static_cast<std::int64_t>(entry.count);
      if (seen <= ranks[r]) continue;
      if (wanted[entry.bin] == 0) {
        bins.push_back({before, {}});
        bins.back().values.reserve(entry.count);
        wanted[entry.bin] = static_cast<std::uint8_t>(bins.size());
      }
      bin_of_rank[r] = wanted[entry.bin] - 1U;
      break;
    }
  }
  visit(metric, group, window.begin, window.end, [&](Picoseconds value) {
    const std::uint8_t w = wanted[histogram_bin(value)];
    if (w != 0) bins[w - 1U].values.push_back(value);
  });
  for (WantedBin& bin : bins) std::sort(bin.values.begin(), bin.values.end());
  const auto value_at = [&](std::size_t r) {
    const WantedBin& bin = bins[bin_of_rank[r]];
    return static_cast<double>(bin.values[static_cast<std::size_t>(ranks[r] - bin.before)]);
  };
  std::vector<double> result;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double low = value_at(2 * i), high = value_at(2 * i + 1);
    result.push_back(low + (high - low) * (rank_of(p[i]) - static_cast<double>(ranks[2 * i])));
  }
  return result;
}

SampleStore::GoodCount SampleStore::good(SampleGroup group, SampleWindow window) const {
  GoodCount total;
  const auto add = [&](const GoodCount& part) {
    total.count += part.count;
    total.good += part.good;
  };
  std::int64_t at = 0;
  for (const Segment& segment : segments_) {
    const std::int64_t end = at + segment.chunks * kChunk;
    if (at >= window.begin && end <= window.end) add(segment.of(group).good);
    at = end;
  }
  const std::int64_t begin = std::max(window.begin, folded_) - folded_;
  if (window.end - folded_ > begin) add(count_good(group, begin, window.end - folded_));
  return total;
}

}  // namespace headway
