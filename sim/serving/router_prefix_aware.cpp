#include <algorithm>
#include <compare>
#include <limits>

#include "sim/serving/load_order.hpp"
#include "sim/serving/prefix_index.hpp"
#include "sim/serving/router.hpp"

namespace headway {
namespace {

/// The shortest of the set's: the index counts in these.
std::int32_t index_block_tokens(const RouterSet& set) {
  return std::max(1, *std::min_element(set.block_tokens.begin(), set.block_tokens.end()));
}

/// Tokens that the KV cache of the set's i-th replica has room for.
std::int64_t cache_tokens(const RouterSet& set, std::size_t i) {
  return std::max<std::int64_t>(1, set.kv_blocks[i] * set.block_tokens[i]);
}

std::vector<std::int64_t> index_room(const RouterSet& set, std::int64_t index_blocks) {
  std::vector<std::int64_t> room(set.replicas.back() - set.replicas.front() + 1, 0);
  for (std::size_t i = 0; i < set.replicas.size(); ++i)
    room[set.replicas[i] - set.replicas.front()] =
        index_blocks > 0 ? index_blocks : cache_tokens(set, i) / index_block_tokens(set);
  return room;
}

class PrefixAwareRouter final : public Router {
 public:
  PrefixAwareRouter(const RouterSet& set, const RouterRules& rules)
      : first_(set.replicas.front()),
        prefix_weight_(rules.prefix_weight),
        load_weight_(rules.load_weight),
        order_(first_, set.replicas.back(), {std::numeric_limits<double>::infinity(), kNobody}),
        index_(first_, index_room(set, rules.index_blocks), index_block_tokens(set)),
        cache_tokens_(set.replicas.back() - first_ + 1, 1),
        loads_(cache_tokens_.size(), 0) {
    for (std::size_t i = 0; i < set.replicas.size(); ++i)
      cache_tokens_[set.replicas[i] - first_] = static_cast<double>(cache_tokens(set, i));
  }

  std::uint32_t pick(const FleetState& fleet, const Draw&, const RoutedRequest& request) override {
    const LoadKey least = order_.least([&](std::uint32_t r) {
      double& load = loads_[r - first_];
      load = static_cast<double>(fleet.outstanding_tokens(r)) / cache_tokens_[r - first_];
      return LoadKey{load, r};
    });
    if (least.replica == kNobody) return kNobody;
    const std::uint32_t chosen = best(*request.content, request.input_tokens, least);
    index_.remember(chosen, *request.content, request.input_tokens);
    return chosen;
  }
  void on_available(std::uint32_t replica, bool available) override {
    order_.on_available(replica, available);
    if (!available) index_.forget(replica);
  }
  void on_change(std::uint32_t replica, std::int32_t) override { order_.on_change(replica); }

 private:
  struct LoadKey {
    double load;
    std::uint32_t replica;
    auto operator<=>(const LoadKey&) const = default;
  };
  /// The best so far: the highest score, then the least load, then the lowest number.
  struct Best {
    double score;
    LoadKey key;
    void consider(double other_score, const LoadKey& other) {
      if (other_score > score || (other_score == score && other < key))
        *this = {other_score, other};
    }
  };

  double score(double hit_share, double load) const {
    return prefix_weight_ * hit_share - load_weight_ * load;
  }
  void consider(const PrefixIndex::Holder& holder, std::int32_t input_tokens, Best& best) const {
    const double share =
        static_cast<double>(std::min(index_.tokens(holder), input_tokens)) / input_tokens;
    const double load = loads_[holder.replica - first_];
    best.consider(score(share, load), {load, holder.replica});
  }
  std::uint32_t best(const Content& content, std::int32_t input_tokens, const LoadKey& least) const;

  const std::uint32_t first_;
  const double prefix_weight_, load_weight_;
  LoadOrder<LoadKey> order_;
  PrefixIndex index_;
  std::vector<double> cache_tokens_, loads_;  // by replica, from the first of the set on
};

std::uint32_t PrefixAwareRouter::best(const Content& content, std::int32_t input_tokens,
                                      const LoadKey& least) const {
  Best best{score(0, least.load), least};
  for (const auto& holder : index_.holders(content.own)) consider(holder, input_tokens, best);
  // Who remembers a part remembers those before it. So beyond the first that nobody has there is
  // nothing, and a shorter part that no more remember is no alternative.
  std::size_t known = 0;
  while (known < content.shared.size() && !index_.holders(content.shared[known].identity).empty())
    ++known;
  std::size_t seen = 0;
  for (std::size_t i = known; i-- > 0;) {
    const double share = static_cast<double>(content.shared[i].end) / input_tokens;
    if (score(share, least.load) < best.score) break;
    const auto& holders = index_.holders(content.shared[i].identity);
    if (holders.size() == seen) continue;
    seen = holders.size();
    // Of those who remember the same part, the least loaded is the best: mostly it is the least
    // loaded of all, and none of the others has to be looked at.
    if (const auto* const holder = PrefixIndex::find(holders, least.replica))
      consider(*holder, input_tokens, best);
    else
      for (const auto& each : holders) consider(each, input_tokens, best);
  }
  return best.key.replica;
}

}  // namespace

std::unique_ptr<Router> make_prefix_aware_router(const RouterSet& set, const RouterRules& rules) {
  return std::make_unique<PrefixAwareRouter>(set, rules);
}

}  // namespace headway
