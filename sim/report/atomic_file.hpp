// Result files that are whole or absent: written under a temporary name beside their own, flushed
// to the disk, and renamed at the end.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace headway {

/// A file in the making. It stands under a hidden temporary name in its own folder until commit();
/// destroyed before that, the temporary is removed and what stood under the name is untouched.
class AtomicFile {
 public:
  /// Opens the temporary. Throws RunError with the path and the cause.
  explicit AtomicFile(std::filesystem::path target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends, through a buffer of 256 KiB. Throws RunError (a full disk, a file size limit).
  void write(std::string_view text) {
    buffer_.append(text);
    if (buffer_.size() >= kBufferBytes) flush();
  }

  /// Everything to the disk: flush, fsync, close. Nothing can be written after it. Throws RunError.
  void close();

  /// Gives the file its name, replacing what had it; closes it first where that has not been done.
  /// Throws RunError.
  void commit();

  /// Bytes written so far, those in the buffer included.
  std::size_t size() const { return flushed_bytes_ + buffer_.size(); }
  const std::filesystem::path& target() const { return target_; }

 private:
  static constexpr std::size_t kBufferBytes = 1 << 18;
  void flush();
  [[noreturn]] void fail(const char* action, int error);

  std::filesystem::path target_, temporary_;
  std::string buffer_;
  std::size_t flushed_bytes_ = 0;
  int descriptor_ = -1;
};

/// Removes the temporaries that process `pid` left in a folder: for a process that was killed.
void remove_temporaries(const std::filesystem::path& folder, long pid);

/// Makes the folder if it is not there and checks that files with these names can be written in it.
/// Throws RunError with the path and the cause. Returns whether the folder was made.
bool prepare_folder(const std::filesystem::path& folder,
                    const std::vector<std::string>& file_names);

}  // namespace headway
