#include "sim/serving/router.hpp"
#include "sim/serving/session_home.hpp"

namespace headway {
namespace {

class StickyRouter final : public Router {
 public:
  StickyRouter(const RouterSet& set, std::int32_t overflow)
      : overflow_(overflow), home_(set.replicas), least_(make_least_requests_router(set)) {}
  std::uint32_t pick(const FleetState& fleet, const Draw& draw,
                     const RoutedRequest& request) override {
    if (home_.empty()) return kNobody;
    const std::uint32_t home = home_.of(request.content->own);
    const bool full = overflow_ > 0 && fleet.outstanding(home) >= overflow_;
    return full ? least_->pick(fleet, draw, request) : home;
  }
  void on_available(std::uint32_t replica, bool available) override {
    home_.set(replica, available);
    least_->on_available(replica, available);
  }
  void on_change(std::uint32_t replica, std::int32_t outstanding) override {
    least_->on_change(replica, outstanding);
  }

 private:
  const std::int32_t overflow_;
  SessionHome home_;
  std::unique_ptr<Router> least_;
};

}  // namespace

std::unique_ptr<Router> make_sticky_router(const RouterSet& set, std::int32_t overflow) {
  return std::make_unique<StickyRouter>(set, overflow);
}

}  // namespace headway
