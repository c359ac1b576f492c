// Measured times over a grid of one to three axes, and what lies between and beyond them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/axis.hpp"

namespace headway {

/// How times are joined between two points of an axis.
enum class Joining {
  linear,  // time against coordinate: what grows by so much a token
  tiles,   // the same, but between neighbouring multiples of 16 the time of the upper one: kernels
           // work on tiles of 16 tokens or of a multiple of that
  power    // logarithm against logarithm: what grows with a power of the coordinate
};

/// A time, and whether measured points stand on every side of it.
struct GridTime {
  double seconds = 0;
  bool inside = false;
};

/// Times at the points of up to three axes; row-major, the last axis fastest. Points that were not
/// measured are continued from measured ones along the first axis, else along the next, and count
/// as outside.
class TimeGrid {
 public:
  TimeGrid() = default;

  /// Axes ascend strictly from values above 0 (from 0 where joining is linear); one joining an
  /// axis. `seconds` has the product of their sizes, > 0, or NaN where nothing was measured. Throws
  /// ModelError otherwise, and where no point was measured.
  TimeGrid(std::vector<std::vector<double>> axes, std::vector<double> seconds,
           std::vector<Joining> joining);

  bool empty() const { return seconds_.empty(); }
  const std::vector<double>& axis(std::size_t index) const { return axes_[index].points(); }

  /// Time at a point, one coordinate an axis. Between points as the axis' joining says; beyond the
  /// last point along the line of the last two (never below the last); below the first the first.
  GridTime at(const double* point) const;
  GridTime at(double first) const { return at(&first); }
  GridTime at(double first, double second) const {
    const double point[] = {first, second};
    return at(point);
  }
  GridTime at(double first, double second, double third) const {
    const double point[] = {first, second, third};
    return at(point);
  }

  /// The same grid with every time multiplied by `factor` > 0.
  TimeGrid scaled(double factor) const;

 private:
  void continue_from_measured();
  void keep_logarithms();
  GridTime among_powers(const double* point) const;
  GridTime along(std::size_t of, std::size_t offset, const double* point) const;

  std::vector<Axis> axes_;
  std::vector<std::size_t> strides_;
  std::vector<double> seconds_;
  std::vector<char> measured_;
  std::vector<Joining> joining_;
  std::vector<std::vector<double>> log_axes_;  // of two axes joined by powers
  std::vector<double> log_seconds_;
};

}  // namespace headway
