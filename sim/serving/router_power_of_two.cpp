#include "sim/serving/available.hpp"
#include "sim/serving/router.hpp"

namespace headway {
namespace {

class PowerOfTwoRouter final : public Router {
 public:
  std::uint32_t pick(const FleetState& fleet, const Draw& draw,
                     const RoutedRequest& request) override {
    if (ready_.empty()) return kNobody;
    if (ready_.size() == 1) return ready_[0];
    const auto first = static_cast<std::uint32_t>(draw.below(ready_.size(), request.number, 0));
    auto second = static_cast<std::uint32_t>(draw.below(ready_.size() - 1, request.number, 1));
    if (second >= first) ++second;
    const std::uint32_t a = ready_[first], b = ready_[second];
    return fleet.outstanding(b) < fleet.outstanding(a) ? b : a;
  }
  void on_available(std::uint32_t replica, bool available) override {
    ready_.set(replica, available);
  }

 private:
  Available ready_;
};

}  // namespace

std::unique_ptr<Router> make_power_of_two_router(const RouterSet&) {
  return std::make_unique<PowerOfTwoRouter>();
}

}  // namespace headway
