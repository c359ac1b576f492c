// The lines of a text file, streamed: constant memory, whatever the file's length.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headway {

/// Reads lines ended by LF or CR LF; the last may lack its end. A UTF-8 byte order mark at the
/// start is dropped.
class LineReader {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{1} << 20;  // bytes

  /// `expected` is what the file is to be, for messages. Throws InputError if it cannot be opened.
  explicit LineReader(const std::string& path, std::string expected = "a trace file");
  /// The next line without its end, or false at the end of the file. The text is valid until the
  /// next call. Throws InputError for a line over kLongestLine or a path that is no file, RunError
  /// if reading fails.
  bool next(std::string_view& line);
  /// Number of the line that next() gave last, from 1.
  std::int64_t number() const { return number_; }
  const std::string& path() const { return path_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  bool fill();  // false at the end of the file

  std::string path_, expected_;
  std::unique_ptr<std::FILE, Close> file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // what is read and not yet given
  std::int64_t number_ = 0;
};

}  // namespace headway
