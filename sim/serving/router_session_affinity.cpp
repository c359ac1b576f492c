#include "sim/serving/router.hpp"
#include "sim/serving/session_home.hpp"

namespace headway {
namespace {

class SessionAffinityRouter final : public Router {
 public:
  explicit SessionAffinityRouter(const RouterSet& set) : home_(set.replicas) {}
  std::uint32_t pick(const FleetState&, const Draw&, const RoutedRequest& request) override {
    return home_.empty() ? kNobody : home_.of(request.content->own);
  }
  void on_available(std::uint32_t replica, bool available) override {
    home_.set(replica, available);
  }

 private:
  SessionHome home_;
};

}  // namespace

std::unique_ptr<Router> make_session_affinity_router(const RouterSet& set) {
  return std::make_unique<SessionAffinityRouter>(set);
}

}  // namespace headway
