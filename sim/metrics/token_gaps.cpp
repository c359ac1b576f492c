#include "sim/metrics/token_gaps.hpp"

#include <utility>

namespace headway {

void TokenGaps::close() {
  open_.count = histogram_.count();
  open_.histogram = histogram_.take();
  closed_.push_back(std::exchange(open_, {}));
  in_segment_ = 0;
  if (closed_.size() < SampleStore::kSegments) return;
  for (std::size_t i = 0; i < closed_.size() / 2; ++i) {
    if (i > 0) closed_[i] = std::move(closed_[2 * i]);
    closed_[i].merge(closed_[2 * i + 1]);
  }
  closed_.resize(closed_.size() / 2);
  segment_size_ *= 2;
}

SegmentStat TokenGaps::open_segment() const {
  SegmentStat result = open_;
  result.count = histogram_.count();
  result.histogram = histogram_.sparse();
  return result;
}

std::vector<SegmentStat> TokenGaps::segments(std::int64_t begin, std::int64_t end) const {
  std::vector<SegmentStat> within, all = closed_;
  if (histogram_.count() > 0) all.push_back(open_segment());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::int64_t first = static_cast<std::int64_t>(i) * segment_size_;
    const std::int64_t last = first + (i < closed_.size() ? segment_size_ : in_segment_);
    if (first >= begin && last <= end) within.push_back(all[i]);
  }
  return within.empty() ? all : within;
}

}  // namespace headway
