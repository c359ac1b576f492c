#include <utility>

#include "sim/serving/router.hpp"

namespace headway {
namespace {

class RoundRobinRouter final : public Router {
 public:
  explicit RoundRobinRouter(std::uint32_t replicas) : replicas_(replicas) {}
  std::uint32_t pick(const FleetState&, const Draw&, std::uint64_t) override {
    const std::uint32_t chosen = next_;
    next_ = next_ + 1 == replicas_ ? 0 : next_ + 1;
    return chosen;
  }

 private:
  std::uint32_t replicas_, next_ = 0;
};

}  // namespace

std::unique_ptr<Router> make_round_robin_router(std::uint32_t replicas) {
  return std::make_unique<RoundRobinRouter>(replicas);
}

}  // namespace headway
