#include <utility>

#include "sim/serving/router.hpp"

namespace headway {
namespace {

class RandomRouter final : public Router {
 public:
  explicit RandomRouter(std::uint32_t replicas) : replicas_(replicas) {}
  std::uint32_t pick(const FleetState&, const Draw& draw, std::uint64_t request) override {
    return static_cast<std::uint32_t>(draw.below(replicas_, request));
  }

 private:
  std::uint32_t replicas_;
};

}  // namespace

std::unique_ptr<Router> make_random_router(std::uint32_t replicas) {
  return std::make_unique<RandomRouter>(replicas);
}

}  // namespace headway
