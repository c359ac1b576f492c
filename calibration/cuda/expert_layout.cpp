#include "calibration/cuda/expert_layout.hpp"

#include <algorithm>
#include <numeric>

namespace headway {

ExpertLayout lay_experts(const std::vector<ExpertVisit>& visits, std::int64_t tokens) {
  ExpertLayout layout;
  const auto count = static_cast<std::int32_t>(visits.size());
  std::vector<std::int32_t> begins;  // of each expert's visits
  for (std::int32_t visit = 0; visit < count; ++visit) {
    const auto at = static_cast<std::size_t>(visit);
    if (visit == 0 || visits[at].expert != visits[at - 1].expert) begins.push_back(visit);
    layout.token_of.push_back(visits[at].token);
  }
  layout.experts = static_cast<std::int32_t>(begins.size());
  begins.push_back(count);

  for (const std::int64_t rows : kGroupedRows) {
    layout.tile_rows = static_cast<std::int32_t>(rows);
    if (rows * layout.experts >= count) break;
  }
  for (std::int32_t expert = 0; expert < layout.experts; ++expert) {
    const std::int32_t end = begins[static_cast<std::size_t>(expert) + 1];
    for (std::int32_t first = begins[static_cast<std::size_t>(expert)]; first < end;
         first += layout.tile_rows)
      layout.tiles.push_back({expert, first, std::min(end, first + layout.tile_rows)});
  }

  layout.visits.resize(visits.size());
  std::iota(layout.visits.begin(), layout.visits.end(), 0);
  std::stable_sort(layout.visits.begin(), layout.visits.end(), [&](std::int32_t a, std::int32_t b) {
    return layout.token_of[static_cast<std::size_t>(a)] <
           layout.token_of[static_cast<std::size_t>(b)];
  });
  layout.first.assign(static_cast<std::size_t>(tokens) + 1, 0);
  for (const std::int32_t token : layout.token_of)
    ++layout.first[static_cast<std::size_t>(token) + 1];
  std::partial_sum(layout.first.begin(), layout.first.end(), layout.first.begin());
  return layout;
}

}  // namespace headway
