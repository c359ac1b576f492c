#include <algorithm>

#include "sim/serving/batcher.hpp"

namespace headway {
namespace {

class StaticBatcher final : public Batcher {
 public:
  StaticBatcher(std::int32_t size, Time timeout) : size_(size), timeout_(timeout) {}
  BatchDecision decide(std::int64_t waiting, Time front_since, Time now) const override {
    if (waiting >= size_) return {size_, kNever};
    if (now - front_since >= timeout_) return {static_cast<std::int32_t>(waiting), kNever};
    return {0, time_after(front_since, timeout_)};
  }

 private:
  std::int32_t size_;
  Time timeout_;
};

}  // namespace

std::unique_ptr<Batcher> make_static_batcher(std::int32_t size, Time timeout) {
  return std::make_unique<StaticBatcher>(size, timeout);
}

}  // namespace headway
