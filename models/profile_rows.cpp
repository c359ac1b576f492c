#include "models/profile_rows.hpp"

#include <cmath>
#include <string_view>

namespace headway {

double size_of(const ProfileRow& row, const char* name) {
  const auto found = row.shape.find(name);
  return found == row.shape.end() ? 0 : static_cast<double>(found->second);
}

RowsAround rows_around(const std::vector<const ProfileRow*>& rows, const char* size, double value) {
  RowsAround around;
  for (const ProfileRow* row : rows) {
    const double at = size_of(*row, size);
    if (at <= value && (around.low == nullptr || at > size_of(*around.low, size))) around.low = row;
    if (at >= value && (around.high == nullptr || at < size_of(*around.high, size))) {
      around.high = row;
    }
  }
  return around;
}

double share_of_high(const RowsAround& around, const char* size, double value) {
  const double low = size_of(*around.low, size), high = size_of(*around.high, size);
  return high > low ? std::log(value / low) / std::log(high / low) : 0;
}

std::vector<double> between(const ProfileRow& low, const ProfileRow& high, double upper,
                            double scale) {
  std::vector<double> seconds(low.seconds.size());
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const double a = low.seconds[i], b = high.seconds[i];
    seconds[i] = scale * (std::isnan(a) ? b : std::isnan(b) ? a : a * std::pow(b / a, upper));
  }
  return seconds;
}

std::optional<ShapeTimes> between_rows(const ProfileFamily& family,
                                       const std::vector<const ProfileRow*>& rows, const char* size,
                                       double value, bool proportional) {
  const RowsAround around = rows_around(rows, size, value);
  if (!around.any()) return std::nullopt;
  if (around.low == around.high) {
    return ShapeTimes{family.grid(around.low->seconds), TimeSource::profile, false};
  }
  if (!around.both()) {
    const ProfileRow& edge = around.low == nullptr ? *around.high : *around.low;
    const double factor = proportional ? value / size_of(edge, size) : 1;
    return ShapeTimes{family.grid(between(edge, edge, 0, factor)), TimeSource::interpolation, true};
  }
  const double upper = share_of_high(around, size, value);
  return ShapeTimes{family.grid(between(*around.low, *around.high, upper, 1)),
                    TimeSource::interpolation, false};
}

std::vector<const ProfileRow*> all_rows(const ProfileFamily& family) {
  std::vector<const ProfileRow*> rows;
  for (const ProfileRow& row : family.rows) rows.push_back(&row);
  return rows;
}

std::optional<ShapeTimes> sized_times(const ProfileFamily& family, const char* size,
                                      std::int64_t value) {
  const bool proportional = std::string_view(size) != "gpus";
  return between_rows(family, all_rows(family), size, static_cast<double>(value), proportional);
}

}  // namespace headway
