#include "sim/report/result_files.hpp"

#include "sim/report/summary_json.hpp"
#include "sim/report/timeseries_csv.hpp"

namespace headway {

const std::vector<std::string>& result_file_names() {
  static const std::vector<std::string> names = {"requests.csv", "timeseries.csv", "trace.json",
                                                 "summary.json"};
  return names;
}

ResultFiles::ResultFiles(const std::filesystem::path& folder, const Scenario& scenario)
    : folder_(folder),
      requests_(folder / "requests.csv", scenario),
      trace_(folder / "trace.json", scenario) {}

void ResultFiles::commit(const Report& report) {
  AtomicFile timeseries(folder_ / "timeseries.csv");
  timeseries.write(timeseries_csv(report.summary.timeline));
  AtomicFile summary(folder_ / "summary.json");
  summary.write(summary_json(report));
  trace_.finish();
  AtomicFile* const files[] = {&requests_.file(), &timeseries, &trace_.file(), &summary};
  for (AtomicFile* file : files) file->close();
  for (AtomicFile* file : files) file->commit();
}

}  // namespace headway
