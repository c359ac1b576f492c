#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/serving/load_order.hpp"
#include "sim/serving/router.hpp"

namespace headway {
namespace {

/// How much a replica, or all of a pool, has served in how much time at work, of late.
class ServedRate {
 public:
  /// Tokens answered after so much more time at work.
  void add(double tokens, double busy_seconds) {
    const double kept = std::exp(-busy_seconds / kForgottenAfterSeconds);
    tokens_ = tokens_ * kept + tokens;
    busy_seconds_ = busy_seconds_ * kept + busy_seconds;
  }
  bool known() const { return busy_seconds_ > 0; }
  double tokens_per_second() const { return tokens_ / busy_seconds_; }

 private:
  /// An answer of an LLM takes seconds to a minute: the mean age of what is remembered has to be of
  /// that size.
  static constexpr double kForgottenAfterSeconds = 30;
  double tokens_ = 0, busy_seconds_ = 0;
};

class LeastExpectedWaitRouter final : public Router {
 public:
  explicit LeastExpectedWaitRouter(const RouterSet& set)
      : set_(set),
        first_(set.replicas.front()),
        order_(first_, set.replicas.back(), {std::numeric_limits<double>::infinity(), 0, kNobody}),
        replicas_(set.replicas.back() - first_ + 1),
        pools_(1 + *std::max_element(set.pools.begin(), set.pools.end())) {
    for (std::size_t i = 0; i < set.replicas.size(); ++i)
      replicas_[set.replicas[i] - first_].pool = set.pools[i];
  }
  std::uint32_t pick(const FleetState& fleet, const Draw&, const RoutedRequest&) override {
    return order_.least([&](std::uint32_t r) { return key(fleet, r); }).replica;
  }
  void on_available(std::uint32_t replica, bool available) override {
    order_.on_available(replica, available);
    if (!available) replicas_[replica - first_].rate = {};
  }
  void on_change(std::uint32_t replica, std::int32_t) override { order_.on_change(replica); }
  void on_answer(std::uint32_t replica, const RoutedRequest& request, double seconds) override {
    Served& served = replicas_[replica - first_];
    // What of the request's stay lies behind the replica's last answer: until then it was at work
    // anyway.
    const double busy = std::min(seconds, to_seconds(request.now - served.last_answer));
    served.last_answer = request.now;
    const double tokens = double{1} * request.input_tokens + request.output_tokens;
    served.rate.add(tokens, busy);
    ServedRate& pool = pools_[served.pool];
    const bool first = !pool.known();
    pool.add(tokens, busy);
    order_.on_change(replica);
    if (first && pool.known()) look_at_all(served.pool);
  }

 private:
  struct Key {
    double wait_seconds, seconds_per_token;
    std::uint32_t replica;
    auto operator<=>(const Key&) const = default;
  };
  struct Served {
    std::uint32_t pool = 0;
    Time last_answer = 0;
    ServedRate rate;
  };
  Key key(const FleetState& fleet, std::uint32_t replica) const {
    const Served& served = replicas_[replica - first_];
    const ServedRate& pool = pools_[served.pool];
    // A token a second, where nothing is known of the pool either.
    const double rate = served.rate.known() ? served.rate.tokens_per_second()
                        : pool.known()      ? pool.tokens_per_second()
                                            : 1;
    return {static_cast<double>(fleet.outstanding_tokens(replica)) / rate, 1 / rate, replica};
  }
  void look_at_all(std::uint32_t pool) {
    for (std::size_t i = 0; i < set_.replicas.size(); ++i)
      if (set_.pools[i] == pool) order_.on_change(set_.replicas[i]);
  }
  const RouterSet set_;
  const std::uint32_t first_;
  LoadOrder<Key> order_;
  std::vector<Served> replicas_;
  std::vector<ServedRate> pools_;
};

}  // namespace

std::unique_ptr<Router> make_least_expected_wait_router(const RouterSet& set) {
  return std::make_unique<LeastExpectedWaitRouter>(set);
}

}  // namespace headway
