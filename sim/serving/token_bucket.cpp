#include "sim/serving/token_bucket.hpp"

#include <algorithm>
#include <cmath>

namespace headway {

TokenBucket::TokenBucket(double per_second, double burst_seconds) {
  rate_ = static_cast<__int128>(std::round(per_second * static_cast<double>(kPerDay)));
  rate_ = std::max<__int128>(rate_, 1);
  constexpr std::int64_t kPicosecond = 1'000'000'000'000;
  constexpr double kMost = 1e15;  // tokens: 1e38 levels, below 2^127
  if (per_second * burst_seconds < kMost) {
    // Whole microseconds of burst: the product stays below 1e15 tokens' worth of levels.
    const auto burst = static_cast<__int128>(std::round(burst_seconds * 1e6));
    capacity_ = std::max(rate_ * burst * (kPicosecond / 1'000'000), kToken);
  } else {
    capacity_ = static_cast<__int128>(kMost) * kToken;
  }
  level_ = capacity_;
}

bool TokenBucket::holds(std::int64_t amount, Time now) {
  const __int128 missing = capacity_ - level_;
  const Time passed = now - filled_at_;
  // The time to fill it is compared first: the product might not fit.
  level_ = passed > missing / rate_ ? capacity_ : level_ + rate_ * passed;
  filled_at_ = now;
  return amount <= capacity() && amount * kToken <= level_;
}

}  // namespace headway
