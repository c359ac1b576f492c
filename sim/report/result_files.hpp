// The files of `--out DIR`, written while a run goes and given their names together at its end.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/report/report.hpp"
#include "sim/report/requests_csv.hpp"
#include "sim/report/trace_json.hpp"

namespace headway {

/// Names of the files in the order in which they get their names: the summary is last, so that
/// where it is new, all are.
const std::vector<std::string>& result_file_names();

/// The result files of one run. Its observers take part in the run; destroyed before commit(), it
/// leaves no file.
class ResultFiles {
 public:
  /// Opens the temporaries in a folder that is there. Throws RunError.
  ResultFiles(const std::filesystem::path& folder, const Scenario& scenario);

  Observer& requests() { return requests_; }
  Observer& trace() { return trace_; }

  /// Writes the rest, brings all to the disk, and names them. Throws RunError.
  void commit(const Report& report);

 private:
  std::filesystem::path folder_;
  RequestsCsv requests_;
  TraceJson trace_;
};

}  // namespace headway
