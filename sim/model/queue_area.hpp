// How much waiting a queue saw: the integral of its length over time.
#pragma once

#include <cstddef>

#include "models/units.hpp"

namespace headway {

class QueueArea {
 public:
  /// The length, `length` since the last call, changes now.
  void change(Time now, std::size_t length) {
    area_ += static_cast<double>(now - since_) * static_cast<double>(length);
    since_ = now;
  }
  /// The integral since the last take, in request-picoseconds; the length stays `length`.
  double take(Time now, std::size_t length) {
    change(now, length);
    const double area = area_;
    area_ = 0;
    return area;
  }

 private:
  double area_ = 0;
  Time since_ = 0;
};

}  // namespace headway
