#include "sim/report/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "sim/scenario/input_error.hpp"

namespace headway {

namespace fs = std::filesystem;

namespace {

std::string temporary_suffix(long pid) {
  return fmt::format(".{}.tmp", pid);
}

void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // a folder that may be written but not read
  ::fsync(descriptor);
  ::close(descriptor);
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

}  // namespace

AtomicFile::AtomicFile(fs::path target) : target_(std::move(target)) {
  temporary_ = folder_of(target_) /
               fmt::format(".{}{}", target_.filename().string(), temporary_suffix(::getpid()));
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail("write", errno);
  buffer_.reserve(kBufferBytes + 4096);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::fail(const char* action, int error) {
  throw RunError("cannot " + std::string(action) + " " + target_.string() + ": " +
                 std::strerror(error));
}

void AtomicFile::flush() {
  const char* from = buffer_.data();
  std::size_t left = buffer_.size();
  while (left > 0) {
    const ssize_t written = ::write(descriptor_, from, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int error = errno;
      buffer_.clear();
      fail("write", error);
    }
    from += written;
    left -= static_cast<std::size_t>(written);
  }
  flushed_bytes_ += buffer_.size();
  buffer_.clear();
}

void AtomicFile::close() {
  if (descriptor_ < 0) return;
  flush();
  // Pipes and some file systems have no fsync: EINVAL says so, and is no loss of data.
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) fail("write", errno);
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0 && errno != EINTR) fail("write", errno);
}

void AtomicFile::commit() {
  close();
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("name", errno);
  temporary_.clear();
  sync_folder(folder_of(target_));
}

void remove_temporaries(const fs::path& folder, long pid) {
  const std::string suffix = temporary_suffix(pid);
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.') && name.ends_with(suffix)) fs::remove(entry.path(), ignored);
  }
}

bool prepare_folder(const fs::path& folder, const std::vector<std::string>& file_names) {
  std::error_code error;
  const bool made = fs::create_directories(folder, error);
  if (error) throw RunError("cannot make the folder " + folder.string() + ": " + error.message());
  if (!fs::is_directory(folder, error)) throw RunError(folder.string() + " is not a folder");
  for (const std::string& name : file_names) {
    if (fs::is_directory(folder / name, error))
      throw RunError("cannot write " + (folder / name).string() + ": Is a directory");
    AtomicFile probe(folder / name);
  }
  return made;
}

}  // namespace headway
