#include "sim/serving/available.hpp"
#include "sim/serving/router.hpp"

namespace headway {
namespace {

class RandomRouter final : public Router {
 public:
  std::uint32_t pick(const FleetState&, const Draw& draw, const RoutedRequest& request) override {
    if (ready_.empty()) return kNobody;
    return ready_[draw.below(ready_.size(), request.number)];
  }
  void on_available(std::uint32_t replica, bool available) override {
    ready_.set(replica, available);
  }

 private:
  Available ready_;
};

}  // namespace

std::unique_ptr<Router> make_random_router(const RouterSet&) {
  return std::make_unique<RandomRouter>();
}

}  // namespace headway
