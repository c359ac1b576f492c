#include "sim/serving/available.hpp"
#include "sim/serving/router.hpp"

namespace headway {
namespace {

class RoundRobinRouter final : public Router {
 public:
  std::uint32_t pick(const FleetState&, const Draw&, const RoutedRequest&) override {
    if (ready_.empty()) return kNobody;
    auto next = std::lower_bound(ready_.begin(), ready_.end(), next_);
    if (next == ready_.end()) next = ready_.begin();
    next_ = *next + 1;
    return *next;
  }
  void on_available(std::uint32_t replica, bool available) override {
    ready_.set(replica, available);
  }

 private:
  Available ready_;
  std::uint32_t next_ = 0;  // the lowest number that is next
};

}  // namespace

std::unique_ptr<Router> make_round_robin_router(const RouterSet&) {
  return std::make_unique<RoundRobinRouter>();
}

}  // namespace headway
