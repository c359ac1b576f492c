#include <algorithm>
#include <utility>

#include "sim/serving/batcher.hpp"

namespace headway {
namespace {

class DynamicBatcher final : public Batcher {
 public:
  DynamicBatcher(std::int32_t max_size, std::vector<std::int32_t> preferred_sizes,
                 Time max_queue_delay)
      : max_size_(max_size), preferred_(std::move(preferred_sizes)), delay_(max_queue_delay) {
    std::sort(preferred_.begin(), preferred_.end());
  }
  BatchDecision decide(std::int64_t waiting, Time front_since, Time now) const override {
    const auto most = static_cast<std::int32_t>(std::min<std::int64_t>(waiting, max_size_));
    const bool overdue = delay_ > 0 && now - front_since >= delay_;
    const auto above = std::upper_bound(preferred_.begin(), preferred_.end(), most);
    if (!overdue && above != preferred_.begin()) return {*std::prev(above), kNever};
    if (overdue || delay_ == 0 || most == max_size_) return {most, kNever};
    return {0, time_after(front_since, delay_)};
  }

 private:
  std::int32_t max_size_;
  std::vector<std::int32_t> preferred_;
  Time delay_;
};

}  // namespace

std::unique_ptr<Batcher> make_dynamic_batcher(std::int32_t max_size,
                                              std::vector<std::int32_t> preferred_sizes,
                                              Time max_queue_delay) {
  return std::make_unique<DynamicBatcher>(max_size, std::move(preferred_sizes), max_queue_delay);
}

}  // namespace headway
