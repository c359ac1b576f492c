// A file that is whole or absent: written under a temporary name and renamed at the end.
#pragma once

#include <string>
#include <string_view>

namespace headway {

/// Stands under a hidden temporary name in the folder of `path` until commit(); destroyed before
/// that, the temporary is removed and what stood under the name is untouched. What is no regular
/// file, such as /dev/stdout, is written directly.
class WholeFile {
 public:
  /// Throws CalibrationFailure with the path and the cause, as do the others.
  explicit WholeFile(std::string path);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  void write(std::string_view text);
  /// Flushes to the disk and gives the file its name.
  void commit();

 private:
  [[noreturn]] void fail(const char* action, int error) const;

  std::string path_, temporary_;
  int descriptor_ = -1;
};

/// Writes all of the text to a descriptor; 0, or the errno of what went wrong.
int write_fully(int descriptor, std::string_view text);

}  // namespace headway
