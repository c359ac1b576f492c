// Measured rows made ready to run, and what the runs predict of them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/validation/measured_table.hpp"

namespace headway {

/// One row of the table, the scenario that stands for it, and what the run of it predicts.
struct RowCase {
  MeasuredRow row;
  std::string scenario_text;         // the file; empty where the row is not run for want of names
  std::optional<Scenario> scenario;  // absent: the row is not run
  std::string not_run;               // why; empty: it is run
  std::string unscored;              // why its errors do not count; empty: they do
  int replications = 1;              // runs with seeds from 1, whose figures are averaged
  std::int64_t warming = 0;          // requests at the start that only fill the prefix cache
  bool fitted = false;               // the engine's constants were fitted on this row: not scored
  bool saturated = false;            // open loop: less was answered than offered
  bool near_knee = false;            // open loop: over 85 % of what the same system answers at most
  std::string kind;                  // "dense 16-bit", "dense fp8", "MoE fp4"
  std::string engine;                // catalogue names
  std::string gpu;
  std::vector<Measures> replicated;  // what each replication that was made predicts
  Measures predicted;                // their means; empty until a run is made
  std::string failure;               // why the run gave no result; empty: it did, or is not made

  bool scored() const { return scenario && failure.empty() && unscored.empty() && !fitted; }
};

/// The cases of the rows, in their order. The request log of a trace row is
/// `data`/traces/sharegpt-REQUESTS-MODEL.csv, with the catalogue's name of the model. A row whose
/// scenario is refused says so in `not_run`. Throws CatalogError for a wrong catalogue file.
std::vector<RowCase> make_cases(std::vector<MeasuredRow> rows, const std::filesystem::path& data);

/// What the run says of the figures that `row` measures, as its source took them: from sending, or
/// inside the engine, without its overhead for a request, for traces and static batches.
Measures predicted_measures(const RowCase& row_case, const Report& report);

/// The same from its requests.csv, without the requests that warm the cache. Throws InputError.
Measures measures_of_warm(const RowCase& row_case, const std::filesystem::path& requests_csv);

/// The run's result files are needed: to be compared with a log, or to leave requests out.
bool needs_files(const RowCase& row_case);

}  // namespace headway
