#include <bit>

#include "sim/serving/router.hpp"

namespace headway {
namespace {

/// A tournament tree over (outstanding, replica): the winner stands at the root, a change walks up
/// one path. At a thousand replicas a linear scan costs six times as much.
class LeastRequestsRouter final : public Router {
 public:
  explicit LeastRequestsRouter(std::uint32_t replicas)
      : leaves_(std::bit_ceil(replicas)), winners_(2 * std::size_t{leaves_}, kNobody) {
    for (std::uint32_t r = 0; r < replicas; ++r) winners_[leaves_ + r] = r;
    for (std::uint32_t node = leaves_; node-- > 1;) winners_[node] = better(node);
  }
  std::uint32_t pick(const FleetState&, const Draw&, std::uint64_t) override {
    return static_cast<std::uint32_t>(winners_[1]);
  }
  void on_change(std::uint32_t replica, std::int32_t outstanding) override {
    winners_[leaves_ + replica] = static_cast<std::uint64_t>(outstanding) << 32 | replica;
    for (std::uint32_t node = (leaves_ + replica) / 2; node >= 1; node /= 2) {
      const std::uint64_t winner = better(node);
      if (winners_[node] == winner) break;
      winners_[node] = winner;
    }
  }

 private:
  static constexpr std::uint64_t kNobody = UINT64_MAX;
  std::uint64_t better(std::uint32_t node) const {
    const std::size_t child = 2 * std::size_t{node};
    const std::uint64_t left = winners_[child], right = winners_[child + 1];
    return left < right ? left : right;
  }
  std::uint32_t leaves_;
  std::vector<std::uint64_t> winners_;  // outstanding in the high half, replica in the low
};

}  // namespace

std::unique_ptr<Router> make_least_requests_router(std::uint32_t replicas) {
  return std::make_unique<LeastRequestsRouter>(replicas);
}

}  // namespace headway
