// A folder for files that nobody keeps.
#pragma once

#include <filesystem>

namespace headway {

/// A new folder of its own in the system's folder for temporary files, removed with the object.
class ScratchFolder {
 public:
  /// Throws RunError where none can be made.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace headway
