#include "sim/validation/validation_csv.hpp"

#include <fmt/format.h>

#include "sim/report/requests_csv.hpp"
#include "sim/validation/score.hpp"

namespace headway {
namespace {

std::string state_of(const RowCase& one) {
  if (!one.not_run.empty()) return one.not_run;
  if (!one.failure.empty()) return one.failure;
  if (one.fitted) return "fitted";
  if (!one.unscored.empty()) return one.unscored;
  return one.saturated ? "saturated" : "";
}

}  // namespace

std::string validation_csv(const std::vector<RowCase>& cases) {
  std::string text =
      "# headway.validation 1\n"
      "id,group,kind,engine,gpu,loop,measure,unit,measured,predicted,error,scored,state\n";
  for (const RowCase& one : cases)
    for (const MeasureFacts& facts : measures()) {
      const auto& measured = one.row.measured[facts.measure];
      if (!measured) continue;
      const auto& predicted = one.predicted[facts.measure];
      const bool scored = one.scored() && relative_error(one, facts.measure).has_value();
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", one.row.id, one.row.group,
                          csv_field(one.kind), one.engine, one.gpu, loop_name(one.row.loop),
                          facts.name, facts.rate ? "/s" : "ms", *measured,
                          predicted ? fmt::format("{:.7g}", *predicted) : "",
                          predicted ? fmt::format("{:.4f}", *predicted / *measured - 1) : "",
                          scored, csv_field(state_of(one)));
    }
  return text;
}

}  // namespace headway
