#include <bit>

#include "sim/serving/router.hpp"

namespace headway {
namespace {

/// A tournament tree over (outstanding, replica): the winner stands at the root, a change walks up
/// one path. At a thousand replicas a linear scan costs six times as much.
class LeastRequestsRouter final : public Router {
 public:
  explicit LeastRequestsRouter(const RouterSet& set)
      : first_(set.replicas.front()),
        leaves_(std::bit_ceil(set.replicas.back() - first_ + 1)),
        winners_(2 * std::size_t{leaves_}, kNoWinner),
        loads_(leaves_, 0),
        available_(leaves_, false) {}
  std::uint32_t pick(const FleetState&, const Draw&, const RoutedRequest&) override {
    return winners_[1] == kNoWinner ? kNobody : static_cast<std::uint32_t>(winners_[1]);
  }
  void on_available(std::uint32_t replica, bool available) override {
    available_[replica - first_] = available;
    update(replica);
  }
  void on_change(std::uint32_t replica, std::int32_t outstanding) override {
    loads_[replica - first_] = outstanding;
    if (available_[replica - first_]) update(replica);
  }

 private:
  static constexpr std::uint64_t kNoWinner = UINT64_MAX;
  void update(std::uint32_t replica) {
    const std::uint32_t leaf = replica - first_;
    winners_[leaves_ + leaf] =
        available_[leaf] ? static_cast<std::uint64_t>(loads_[leaf]) << 32 | replica : kNoWinner;
    for (std::uint32_t node = (leaves_ + leaf) / 2; node >= 1; node /= 2) {
      const std::uint64_t winner = better(node);
      if (winners_[node] == winner) break;
      winners_[node] = winner;
    }
  }
  std::uint64_t better(std::uint32_t node) const {
    const std::size_t child = 2 * std::size_t{node};
    const std::uint64_t left = winners_[child], right = winners_[child + 1];
    return left < right ? left : right;
  }
  std::uint32_t first_, leaves_;
  std::vector<std::uint64_t> winners_;  // outstanding in the high half, replica in the low
  std::vector<std::int32_t> loads_;
  std::vector<bool> available_;
};

}  // namespace

std::unique_ptr<Router> make_least_requests_router(const RouterSet& set) {
  return std::make_unique<LeastRequestsRouter>(set);
}

}  // namespace headway
