#include "sim/workload/prefix_groups.hpp"

#include <algorithm>
#include <cmath>

namespace headway {

PrefixGroups::PrefixGroups(const SharedPrefix& prefix, std::uint64_t seed, std::uint32_t entity)
    : prefix_(prefix), entity_(entity), draw_(seed, Stream::prefix_group, entity) {
  if (prefix.zipf <= 0 || prefix.order != SharedPrefix::Order::random) return;
  double sum = 0;
  for (std::int64_t rank = 1; rank <= prefix.groups; ++rank) {
    sum += std::pow(static_cast<double>(rank), -prefix.zipf);
    cumulative_.push_back(sum);
  }
}

std::int64_t PrefixGroups::group(std::uint64_t request) const {
  const auto groups = static_cast<std::uint64_t>(prefix_.groups);
  if (prefix_.order == SharedPrefix::Order::round_robin)
    return static_cast<std::int64_t>(request % groups);
  if (cumulative_.empty()) return static_cast<std::int64_t>(draw_.below(groups, request));
  const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end() - 1,
                                      draw_.uniform(request) * cumulative_.back());
  return found - cumulative_.begin();
}

Content::Part PrefixGroups::part(std::uint64_t request, std::int32_t input_tokens) const {
  const auto number = static_cast<std::uint64_t>(group(request));
  return {content_identity(ContentOf::prefix_group, entity_, number),
          std::min(prefix_.tokens, input_tokens)};
}

}  // namespace headway
