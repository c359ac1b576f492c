#include "models/fixed_point.hpp"

#include <fmt/format.h>

#include <cmath>

#include "models/model_error.hpp"

namespace headway {

std::int64_t fixed_point(double seconds) {
  if (!(seconds >= 0 && seconds <= kLargestCoefficientSeconds)) {
    throw ModelError(fmt::format("a step cost has the coefficient {:g} s; expected 0 s to {:g} s",
                                 seconds, kLargestCoefficientSeconds));
  }
  return std::llround(std::ldexp(seconds * kPicosecondsPerSecond, kFractionBits));
}

}  // namespace headway
