// How the visits of tokens to experts are dealt to the blocks of grouped products.
#pragma once

#include <cstdint>
#include <vector>

#include "calibration/cuda/grouped_kernel.hpp"
#include "calibration/point_work.hpp"

namespace headway {

/// Visits in order of expert, as the kernels take them.
struct ExpertLayout {
  std::int32_t experts = 0;            // that have tokens; numbered from 0 in the tiles
  std::int32_t tile_rows = 16;         // the least of kGroupedRows that an average expert fills
  std::vector<ExpertTile> tiles;       // every visit in one of them
  std::vector<std::int32_t> token_of;  // of each visit
  std::vector<std::int32_t> visits;    // by token: the visits of token t stand from
  std::vector<std::int32_t> first;     // first[t] to first[t + 1]
};

/// `visits` in order of expert, then token, of tokens below `tokens`.
ExpertLayout lay_experts(const std::vector<ExpertVisit>& visits, std::int64_t tokens);

}  // namespace headway
