#include "calibration/point_work.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "calibration/device.hpp"

namespace headway {

namespace {

// A counter-based generator (SplitMix64's finaliser): the same draws everywhere.
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

}  // namespace

std::vector<std::int64_t> decode_contexts(const OperatorPoint& point) {
  const std::int64_t batch = point.batch;
  if (point.longest == 0)
    return std::vector<std::int64_t>(static_cast<std::size_t>(batch), point.context);
  const std::int64_t rest = batch * point.context - point.longest;
  if (batch < 2 || point.longest < point.context || rest < batch - 1)
    throw PointError(PointFault::unsupported,
                     fmt::format("no {} contexts of mean {} have the longest at {}", batch,
                                 point.context, point.longest));
  std::vector<std::int64_t> contexts(static_cast<std::size_t>(batch), rest / (batch - 1));
  contexts.front() = point.longest;
  for (std::int64_t i = 0; i < rest % (batch - 1); ++i) ++contexts[static_cast<std::size_t>(i) + 1];
  return contexts;
}

std::vector<ExpertVisit> expert_visits(const OperatorPoint& point) {
  const std::int64_t choice = point.touched > 0 ? point.touched : point.experts;
  if (point.topk > choice || choice > point.experts || point.experts % point.expert_parallel != 0)
    throw PointError(PointFault::unsupported,
                     fmt::format("{} experts a token of {}, over {} GPUs", point.topk, choice,
                                 point.expert_parallel));
  const std::int64_t here = point.experts / point.expert_parallel;
  std::vector<ExpertVisit> visits;
  std::vector<std::int64_t> order(static_cast<std::size_t>(choice));
  for (std::int64_t token = 0; token < point.tokens; ++token) {
    for (std::int64_t i = 0; i < choice; ++i) order[static_cast<std::size_t>(i)] = i;
    for (std::int64_t slot = 0; slot < point.topk; ++slot) {
      const std::int64_t index = token * point.topk + slot;
      std::int64_t expert = index % choice;
      if (point.touched == 0) {  // the first steps of a Fisher-Yates shuffle
        const auto left = static_cast<std::uint64_t>(choice - slot);
        const auto drawn =
            slot + static_cast<std::int64_t>(mixed(static_cast<std::uint64_t>(index)) % left);
        std::swap(order[static_cast<std::size_t>(slot)], order[static_cast<std::size_t>(drawn)]);
        expert = order[static_cast<std::size_t>(slot)];
      }
      if (expert < here)
        visits.push_back({static_cast<std::int32_t>(token), static_cast<std::int32_t>(expert)});
    }
  }
  std::sort(visits.begin(), visits.end(), [](const ExpertVisit& a, const ExpertVisit& b) {
    return a.expert != b.expert ? a.expert < b.expert : a.token < b.token;
  });
  return visits;
}

}  // namespace headway
