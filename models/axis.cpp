#include "models/axis.hpp"

#include <cmath>

namespace headway {

Axis::Axis(std::vector<double> points) : points_(std::move(points)) {
  for (std::size_t octave = 0; octave < kOctaves; ++octave) {
    const double least = std::ldexp(1.0, static_cast<int>(octave));
    starts_[octave + 1] = static_cast<std::int32_t>(
        std::lower_bound(points_.begin(), points_.end(), least) - points_.begin());
  }
  starts_.back() = static_cast<std::int32_t>(points_.size());
}

}  // namespace headway
