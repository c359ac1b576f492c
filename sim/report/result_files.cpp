#include "sim/report/result_files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "sim/report/summary_json.hpp"
#include "sim/report/timeseries_csv.hpp"

namespace headway {

namespace {

// Holds a folder for one process at a time, so that the files of two runs do not mix. A file system
// without locks is written without.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder)
      : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor_ >= 0) ::flock(descriptor_, LOCK_EX);
  }
  ~FolderLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace

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
  const FolderLock lock(folder_);
  for (AtomicFile* file : files) file->commit();
}

}  // namespace headway
