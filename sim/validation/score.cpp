#include "sim/validation/score.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace headway {

std::optional<double> relative_error(const RowCase& row_case, Measure measure) {
  const auto& measured = row_case.row.measured[measure];
  const auto& predicted = row_case.predicted[measure];
  if (!measured || !predicted) return std::nullopt;
  if (measure == Measure::requests && row_case.row.loop == Loop::open_constant &&
      !row_case.saturated)
    return std::nullopt;
  return *predicted / *measured - 1;
}

std::string why_no_error(const RowCase& row_case) {
  std::vector<std::string> missing;
  for (const MeasureFacts& facts : measures()) {
    if (!row_case.row.measured[facts.measure]) continue;
    if (relative_error(row_case, facts.measure)) return "";
    if (!row_case.predicted[facts.measure]) missing.emplace_back(facts.title);
  }
  if (missing.empty()) return "below its knee, an open loop's rate is the offered one";
  if (missing == std::vector<std::string>{"TPOT mean"})
    return "the run has no TPOT: its answers have one token";
  return fmt::format("the run has no {}", fmt::join(missing, ", "));
}

std::optional<Score> score_of(const std::vector<RowCase>& cases, Measure measure,
                              const RowChoice& choice) {
  Score score;
  std::vector<double> sizes;
  double sum = 0;
  for (const RowCase& one : cases) {
    if (!choice(one)) continue;
    const std::optional<double> error = relative_error(one, measure);
    if (!error) continue;
    sizes.push_back(std::fabs(*error));
    sum += *error;
    if (sizes.size() == 1 || std::fabs(*error) > std::fabs(score.worst)) {
      score.worst = *error;
      score.worst_id = one.row.id;
    }
  }
  if (sizes.empty()) return std::nullopt;
  score.rows = sizes.size();
  const auto count = static_cast<double>(sizes.size());
  double total = 0;
  for (const double size : sizes) total += size;
  score.mean = total / count;
  score.bias = sum / count;
  std::sort(sizes.begin(), sizes.end());
  score.median = (sizes[(sizes.size() - 1) / 2] + sizes[sizes.size() / 2]) / 2;
  return score;
}

std::vector<std::string> groups_of(const std::vector<RowCase>& cases) {
  std::vector<std::string> groups;
  for (const RowCase& one : cases)
    if (std::find(groups.begin(), groups.end(), one.row.group) == groups.end())
      groups.push_back(one.row.group);
  return groups;
}

}  // namespace headway
