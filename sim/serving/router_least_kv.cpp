#include <utility>

#include "sim/serving/router.hpp"

namespace headway {
namespace {

class LeastKvRouter final : public Router {
 public:
  explicit LeastKvRouter(std::uint32_t replicas) : replicas_(replicas) {}
  std::uint32_t pick(const FleetState& fleet, const Draw&, std::uint64_t) override {
    std::uint32_t best = 0;
    auto load = [&](std::uint32_t r) { return std::pair(fleet.kv_share(r), fleet.outstanding(r)); };
    auto least = load(0);
    for (std::uint32_t r = 1; r < replicas_; ++r) {
      if (const auto candidate = load(r); candidate < least) {
        least = candidate;
        best = r;
      }
    }
    return best;
  }

 private:
  std::uint32_t replicas_;
};

}  // namespace

std::unique_ptr<Router> make_least_kv_router(std::uint32_t replicas) {
  return std::make_unique<LeastKvRouter>(replicas);
}

}  // namespace headway
