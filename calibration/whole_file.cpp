#include "calibration/whole_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "calibration/calibration_error.hpp"

namespace headway {

namespace fs = std::filesystem;

int write_fully(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {  // a pipe that is full and does not block
      pollfd pipe{descriptor, POLLOUT, 0};
      ::poll(&pipe, 1, -1);
      continue;
    }
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

WholeFile::WholeFile(std::string path) : path_(std::move(path)) {
  std::error_code ignored;
  const fs::path target(path_);
  std::string opened = path_;
  if (!fs::exists(target, ignored) || fs::is_regular_file(target, ignored)) {
    temporary_ =
        (target.parent_path() / fmt::format(".{}.{}.tmp", target.filename().string(), ::getpid()))
            .string();
    opened = temporary_;
  }
  descriptor_ = ::open(opened.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail("write", errno);
}

WholeFile::~WholeFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void WholeFile::fail(const char* action, int error) const {
  throw CalibrationFailure(fmt::format("cannot {} {}: {}", action, path_, std::strerror(error)));
}

void WholeFile::write(std::string_view text) {
  const int error = write_fully(descriptor_, text);
  if (error != 0) fail("write", error);
}

void WholeFile::commit() {
  // Pipes and some file systems have no fsync: EINVAL says so, and is no loss of data.
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) fail("write", errno);
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0 && errno != EINTR) fail("write", errno);
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("name", errno);
  temporary_.clear();
}

}  // namespace headway
