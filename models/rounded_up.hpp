// Sizes that kernels and CUDA graphs pad to.
#pragma once

#include <cstdint>

namespace headway {

/// The next multiple of `multiple` (at least 1) that is not below `size` (at least 0).
inline std::int64_t rounded_up(std::int64_t size, std::int64_t multiple) {
  return (size + multiple - 1) / multiple * multiple;
}

}  // namespace headway
