#include <utility>

#include "sim/serving/router.hpp"

namespace headway {
namespace {

class PowerOfTwoRouter final : public Router {
 public:
  explicit PowerOfTwoRouter(std::uint32_t replicas) : replicas_(replicas) {}
  std::uint32_t pick(const FleetState& fleet, const Draw& draw, std::uint64_t request) override {
    if (replicas_ == 1) return 0;
    const auto first = static_cast<std::uint32_t>(draw.below(replicas_, request, 0));
    auto second = static_cast<std::uint32_t>(draw.below(replicas_ - 1, request, 1));
    if (second >= first) ++second;
    return fleet.outstanding(second) < fleet.outstanding(first) ? second : first;
  }

 private:
  std::uint32_t replicas_;
};

}  // namespace

std::unique_ptr<Router> make_power_of_two_router(std::uint32_t replicas) {
  return std::make_unique<PowerOfTwoRouter>(replicas);
}

}  // namespace headway
