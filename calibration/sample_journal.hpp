// A samples file that grows while points are measured, and survives the end of its process.
#pragma once

#include <string>
#include <vector>

#include "calibration/sample.hpp"

namespace headway {

/// Each sample is one line, written at once and on the disk within a second: whatever ends the
/// process, at most the last line is torn, and resuming drops it. A lock on the file keeps a second
/// process out.
class SampleJournal {
 public:
  /// Begins a file, or, where `resume` is set and it exists, goes on with it. Throws SampleError
  /// for a file that exists and is not to be resumed, that is no samples file, or whose GPU, device
  /// or engine is another than the header's; CalibrationFailure where it cannot be written or
  /// another process measures into it.
  SampleJournal(std::string path, const SampleHeader& header, bool resume);
  ~SampleJournal();
  SampleJournal(const SampleJournal&) = delete;
  SampleJournal& operator=(const SampleJournal&) = delete;

  /// The samples that the file held already.
  const std::vector<Sample>& found() const { return found_; }

  /// Throws CalibrationFailure: a full disk.
  void append(const Sample& sample);
  /// Everything to the disk.
  void flush();

 private:
  void begin(const SampleHeader& header);
  void go_on(const SampleHeader& header);
  [[noreturn]] void fail(int error) const;

  std::string path_;
  int descriptor_ = -1;
  std::vector<Sample> found_;
  double flushed_at_ = 0;  // of the monotonic clock
};

}  // namespace headway
