// A value between scattered points: a plane through those around it, in which few far off count
// little.
#pragma once

#include <vector>

namespace headway {

/// A value at a point of two coordinates, as seen from where one is wanted.
struct PlanePoint {
  double x = 0, y = 0;
  double distance2 = 0;  // squared, in bandwidths: farther than one or two counts little
  double value = 0;
};

/// The value at (0, 0) of the plane c + a·x + b·y that fits the points around it best by least
/// absolute deviations, each with the weight of a normal density of its distance, up to three
/// bandwidths (local regression: Cleveland, J. Am. Stat. Assoc. 74, 1979). Where the fourth point
/// is farther than √2, the bandwidths are wider by as much. A plane is not continued: coordinates
/// beyond those of the points that count are taken as their edge. `points` in ascending distance,
/// at least one; slopes are damped as if a and b were about 1 or less.
double local_plane(const std::vector<PlanePoint>& points);

}  // namespace headway
