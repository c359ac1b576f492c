#include "sim/serving/load_order.hpp"
#include "sim/serving/router.hpp"

namespace headway {
namespace {

class LeastRequestsRouter final : public Router {
 public:
  explicit LeastRequestsRouter(const RouterSet& set)
      : first_(set.replicas.front()),
        tree_(first_, set.replicas.back(), kNoWinner),
        loads_(set.replicas.back() - first_ + 1, 0),
        available_(loads_.size(), false) {}
  std::uint32_t pick(const FleetState&, const Draw&, const RoutedRequest&) override {
    return tree_.least() == kNoWinner ? kNobody : static_cast<std::uint32_t>(tree_.least());
  }
  void on_available(std::uint32_t replica, bool available) override {
    available_[replica - first_] = available;
    if (available) {
      tree_.set(replica, key(replica));
    } else {
      tree_.remove(replica);
    }
  }
  void on_change(std::uint32_t replica, std::int32_t outstanding) override {
    loads_[replica - first_] = outstanding;
    if (available_[replica - first_]) tree_.set(replica, key(replica));
  }

 private:
  static constexpr std::uint64_t kNoWinner = UINT64_MAX;
  /// Outstanding requests in the high half, the replica in the low.
  std::uint64_t key(std::uint32_t replica) const {
    return static_cast<std::uint64_t>(loads_[replica - first_]) << 32 | replica;
  }
  std::uint32_t first_;
  Tournament<std::uint64_t> tree_;
  std::vector<std::int32_t> loads_;
  std::vector<char> available_;  // beside loads_
};

}  // namespace

std::unique_ptr<Router> make_least_requests_router(const RouterSet& set) {
  return std::make_unique<LeastRequestsRouter>(set);
}

}  // namespace headway
