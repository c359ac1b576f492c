// Gaps between tokens (ITL), pooled over requests, in segments that follow the requests'
// completions.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/metrics/sample_store.hpp"

namespace headway {

class TokenGaps {
 public:
  void add(Picoseconds gap, std::int64_t count) {
    histogram_.add(gap, count);
    open_.sum += static_cast<__int128>(gap) * count;
    if (gap > open_.max) open_.max = gap;
  }
  /// A request completed.
  void on_completion() {
    if (++in_segment_ == segment_size_) close();
  }
  /// The gaps in at most 65 consecutive stretches: those seen within completions [begin, end), as
  /// far as whole stretches can tell; all of them where none lies within.
  std::vector<SegmentStat> segments(std::int64_t begin, std::int64_t end) const;

 private:
  void close();
  SegmentStat open_segment() const;

  Histogram histogram_;  // of the open segment
  SegmentStat open_;
  std::int64_t segment_size_ = 64, in_segment_ = 0;  // completions
  std::vector<SegmentStat> closed_;
};

}  // namespace headway
