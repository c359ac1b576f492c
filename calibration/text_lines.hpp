// The lines of a text file, plain or gzip, streamed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

struct gzFile_s;

namespace headway {

/// Reads lines ended by LF or CR LF; the last may lack its end. A file whose name ends with ".gz"
/// must be gzip; any other may be.
class TextLines {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{1} << 20;  // bytes

  /// Throws SampleError if the file cannot be opened; `expected` says what it should have been: "a
  /// kernel table".
  TextLines(const std::string& path, std::string expected);
  ~TextLines();
  TextLines(const TextLines&) = delete;
  TextLines& operator=(const TextLines&) = delete;

  /// The next line without its end, or false at the end of the file; valid until the next call.
  /// Throws SampleError for damaged or truncated gzip data, a line over kLongestLine or a path that
  /// is no file, CalibrationFailure if reading fails.
  bool next(std::string_view& line);

  /// Number of the line that next() gave last, from 1.
  std::int64_t number() const { return number_; }
  /// Whether the line that next() gave last was ended; false for a torn last line.
  bool ended() const { return ended_; }
  /// Bytes of the text, after decompression, up to the end of the line that next() gave last.
  std::int64_t bytes() const { return bytes_; }
  const std::string& path() const { return path_; }

  /// Throws SampleError "path:line:column: text" of the line that next() gave last.
  [[noreturn]] void fail(std::size_t column, const std::string& text) const;

 private:
  bool fill();  // false at the end of the file
  [[noreturn]] void fail_reading(int error, const char* message) const;

  std::string path_, expected_;
  gzFile_s* file_ = nullptr;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // what is read and not yet given
  std::int64_t number_ = 0, bytes_ = 0;
  bool ended_ = true;
};

}  // namespace headway
