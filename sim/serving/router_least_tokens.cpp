#include <compare>

#include "sim/serving/load_order.hpp"
#include "sim/serving/router.hpp"

namespace headway {
namespace {

class LeastTokensRouter final : public Router {
 public:
  explicit LeastTokensRouter(const RouterSet& set)
      : order_(set.replicas.front(), set.replicas.back(), {INT64_MAX, kNobody}) {}
  std::uint32_t pick(const FleetState& fleet, const Draw&, const RoutedRequest&) override {
    return order_.least([&](std::uint32_t r) {
                   return Key{fleet.outstanding_tokens(r), r};
                 })
        .replica;
  }
  void on_available(std::uint32_t replica, bool available) override {
    order_.on_available(replica, available);
  }
  void on_change(std::uint32_t replica, std::int32_t) override { order_.on_change(replica); }

 private:
  struct Key {
    std::int64_t tokens;
    std::uint32_t replica;
    auto operator<=>(const Key&) const = default;
  };
  LoadOrder<Key> order_;
};

}  // namespace

std::unique_ptr<Router> make_least_tokens_router(const RouterSet& set) {
  return std::make_unique<LeastTokensRouter>(set);
}

}  // namespace headway
