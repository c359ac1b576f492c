#include "calibration/sample_journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "calibration/calibration_error.hpp"
#include "calibration/sample_file.hpp"
#include "calibration/wall_clock.hpp"
#include "calibration/whole_file.hpp"

namespace headway {

SampleJournal::SampleJournal(std::string path, const SampleHeader& header, bool resume)
    : path_(std::move(path)) {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(errno);
  try {
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
      throw CalibrationFailure(path_ + ": another process measures into this file");
    const off_t size = ::lseek(descriptor_, 0, SEEK_END);
    if (size > 0 && !resume)
      throw SampleError(path_ + ": exists already; expected a new file, or --resume");
    if (size > 0)
      go_on(header);
    else
      begin(header);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

SampleJournal::~SampleJournal() {
  ::fsync(descriptor_);
  ::close(descriptor_);
}

void SampleJournal::fail(int error) const {
  throw CalibrationFailure(fmt::format("cannot write {}: {}", path_, std::strerror(error)));
}

void SampleJournal::begin(const SampleHeader& header) {
  const int error = write_fully(descriptor_, header_line(header) + "\n");
  if (error != 0) fail(error);
  flush();
}

void SampleJournal::go_on(const SampleHeader& header) {
  InterruptedSamples read = read_interrupted_samples(path_);
  const auto same = [&](const char* what, const std::string& found, const std::string& now) {
    if (found != now)
      throw SampleError(
          fmt::format("{}:1:1: measured with {} \"{}\"; this one is \"{}\"; expected "
                      "a new file",
                      path_, what, found, now));
  };
  const bool torn_header = read.whole_bytes == 0;
  if (!torn_header) {
    same("the GPU", read.file.header.gpu, header.gpu);
    same("the device", read.file.header.device, header.device);
    same("the engine", read.file.header.engine, header.engine);
    same("the driver", read.file.header.driver, header.driver);
  }
  // What a killed process left of a line goes.
  if (::ftruncate(descriptor_, read.whole_bytes) != 0) fail(errno);
  if (::lseek(descriptor_, 0, SEEK_END) < 0) fail(errno);
  if (torn_header) return begin(header);
  found_ = std::move(read.file.samples);
}

void SampleJournal::append(const Sample& sample) {
  const int error = write_fully(descriptor_, sample_line(sample) + "\n");
  if (error != 0) fail(error);
  if (system_clock().now() - flushed_at_ > 1) flush();
}

void SampleJournal::flush() {
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) fail(errno);
  flushed_at_ = system_clock().now();
}

}  // namespace headway
