// Rows of a family by one of their sizes: those around a value, and what lies between them.
#pragma once

#include <vector>

#include "models/profile_shapes.hpp"

namespace headway {

/// A size of a row by its name; 0 where it has none.
double size_of(const ProfileRow& row, const char* name);

/// The rows whose size is next below and next above a value: both the same where one has it, one or
/// none nullptr at the ends.
struct RowsAround {
  const ProfileRow *low = nullptr, *high = nullptr;

  bool both() const { return low != nullptr && high != nullptr; }
  bool any() const { return low != nullptr || high != nullptr; }
};
RowsAround rows_around(const std::vector<const ProfileRow*>& rows, const char* size, double value);

/// How near `value` is to the upper of both rows, in logarithms: 0 to 1; 0 where they are the same.
double share_of_high(const RowsAround& around, const char* size, double value);

/// scale · low · (high / low)^upper, point by point; of what both have, else of the one.
std::vector<double> between(const ProfileRow& low, const ProfileRow& high, double upper,
                            double scale);

/// Between the rows around `value`; beyond them in proportion to the size where `proportional`, as
/// the nearest row otherwise, and outside. Nothing without rows.
std::optional<ShapeTimes> between_rows(const ProfileFamily& family,
                                       const std::vector<const ProfileRow*>& rows, const char* size,
                                       double value, bool proportional);

/// All rows of a family.
std::vector<const ProfileRow*> all_rows(const ProfileFamily& family);

/// The rows for which `keep(row)` holds.
template <class Keep>
std::vector<const ProfileRow*> rows_where(const std::vector<const ProfileRow*>& rows, Keep keep) {
  std::vector<const ProfileRow*> kept;
  for (const ProfileRow* row : rows) {
    if (keep(*row)) kept.push_back(row);
  }
  return kept;
}

}  // namespace headway
