#include <utility>

#include "sim/serving/available.hpp"
#include "sim/serving/router.hpp"

namespace headway {
namespace {

class LeastKvRouter final : public Router {
 public:
  std::uint32_t pick(const FleetState& fleet, const Draw&, const RoutedRequest&) override {
    if (ready_.empty()) return kNobody;
    auto load = [&](std::uint32_t r) { return std::pair(fleet.kv_share(r), fleet.outstanding(r)); };
    std::uint32_t best = ready_[0];
    auto least = load(best);
    for (std::uint32_t i = 1; i < ready_.size(); ++i) {
      if (const auto candidate = load(ready_[i]); candidate < least) {
        least = candidate;
        best = ready_[i];
      }
    }
    return best;
  }
  void on_available(std::uint32_t replica, bool available) override {
    ready_.set(replica, available);
  }

 private:
  Available ready_;
};

}  // namespace

std::unique_ptr<Router> make_least_kv_router(const RouterSet&) {
  return std::make_unique<LeastKvRouter>();
}

}  // namespace headway
