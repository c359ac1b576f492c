// Held-out errors: every shape predicted from the others.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "calibration/profile_maker.hpp"
#include "models/profile_shapes.hpp"

namespace headway {
namespace {

std::int64_t size_of(const OperatorShape& shape, const char* name) {
  const auto found = shape.find(name);
  return found == shape.end() ? 0 : found->second;
}

std::optional<ShapeTimes> predict(const ProfileFamily& others, const std::string& format,
                                  const OperatorShape& shape) {
  if (others.op == "gemm") {
    return gemm_times(others, format, shape.at("n"), shape.at("k"));
  }
  if (others.op.starts_with("attention_")) {
    return attention_times(others, {size_of(shape, "heads"), size_of(shape, "kv_heads"),
                                    size_of(shape, "head_dim"), size_of(shape, "window")});
  }
  if (others.op == "moe") {
    return expert_times(
        others, {size_of(shape, "hidden"), size_of(shape, "inner"), size_of(shape, "experts"),
                 size_of(shape, "topk"), size_of(shape, "expert_parallel")});
  }
  if (others.op.starts_with("mla_")) return sized_times(others, "heads", size_of(shape, "heads"));
  return std::nullopt;
}

/// Inner points of one axis, each from its neighbours.
void predict_points(const ProfileFamily& family, const ProfileRow& row,
                    std::vector<double>* errors) {
  const std::vector<double>& axis = family.axes[0];
  for (std::size_t i = 1; i + 1 < axis.size(); ++i) {
    const double below = row.seconds[i - 1], here = row.seconds[i], above = row.seconds[i + 1];
    if (std::isnan(below) || std::isnan(here) || std::isnan(above)) continue;
    const double between =
        below + (above - below) * (axis[i] - axis[i - 1]) / (axis[i + 1] - axis[i - 1]);
    errors->push_back(std::abs(between / here - 1));
  }
}

void predict_row(const ProfileFamily& family, std::size_t held, const std::string& format,
                 std::vector<double>* errors) {
  ProfileFamily others = family;
  others.rows.erase(others.rows.begin() + static_cast<std::ptrdiff_t>(held));
  const ProfileRow& row = family.rows[held];
  const std::optional<ShapeTimes> times = predict(others, format, row.shape);
  if (!times || times->outside) return;
  std::vector<double> point;
  std::size_t index = 0;
  const auto visit = [&](auto&& self) -> void {
    if (point.size() == family.axes.size()) {
      const double measured = row.seconds[index++];
      if (std::isnan(measured)) return;
      errors->push_back(std::abs(times->grid.at(point.data()).seconds / measured - 1));
      return;
    }
    for (const double value : family.axes[point.size()]) {
      point.push_back(value);
      self(self);
      point.pop_back();
    }
  };
  visit(visit);
}

}  // namespace

HeldOutError held_out_error(const ProfileFamily& family, const std::string& format) {
  std::vector<double> errors;
  const bool by_point = family.axes.size() == 1 && family.op != "gemm" && family.op != "moe";
  for (std::size_t i = 0; i < family.rows.size(); ++i) {
    if (by_point) {
      predict_points(family, family.rows[i], &errors);
    } else if (family.rows.size() > 1) {
      predict_row(family, i, format, &errors);
    }
  }
  HeldOutError result{family.op, static_cast<std::int64_t>(errors.size()), 0, 0};
  if (errors.empty()) return result;
  result.mean =
      std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::nth_element(errors.begin(), middle, errors.end());
  result.median = *middle;
  return result;
}

}  // namespace headway
