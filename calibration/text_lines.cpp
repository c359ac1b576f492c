#include "calibration/text_lines.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>

#include "calibration/calibration_error.hpp"

namespace headway {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 18;  // 256 KiB: beyond it, reading gets no faster

}  // namespace

TextLines::TextLines(const std::string& path, std::string expected)
    : path_(path), expected_(std::move(expected)), buffer_(kChunk) {
  file_ = ::gzopen(path.c_str(), "rb");
  if (file_ == nullptr)
    throw SampleError(fmt::format("{}: cannot be opened: {}; expected {}", path_,
                                  std::strerror(errno), expected_));
  ::gzbuffer(file_, static_cast<unsigned>(kChunk));
}

TextLines::~TextLines() {
  ::gzclose_r(file_);
}

void TextLines::fail(std::size_t column, const std::string& text) const {
  throw SampleError(fmt::format("{}:{}:{}: {}", path_, number_, column, text));
}

void TextLines::fail_reading(int error, const char* message) const {
  if (error == Z_ERRNO && errno == EISDIR)
    throw SampleError(fmt::format("{}: is a folder; expected {}", path_, expected_));
  if (error == Z_ERRNO)
    throw CalibrationFailure(
        fmt::format("{}: reading failed after line {}: {}", path_, number_, std::strerror(errno)));
  if (error == Z_BUF_ERROR)
    throw SampleError(fmt::format("{}:{}:1: the gzip data end in mid-stream; expected a whole file",
                                  path_, number_ + 1));
  throw SampleError(fmt::format("{}:{}:1: the gzip data are damaged ({}); expected {}", path_,
                                number_ + 1, message, expected_));
}

bool TextLines::fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(buffer_.size() + kChunk);
  const auto room = static_cast<unsigned>(buffer_.size() - end_);
  const int got = ::gzread(file_, buffer_.data() + end_, room);
  int error = Z_OK;
  const char* message = ::gzerror(file_, &error);
  // What was decompressed before the data ended in mid-stream is given first.
  if (got < 0 || (got == 0 && error != Z_OK && error != Z_STREAM_END)) fail_reading(error, message);
  if (got > 0 && number_ == 0 && begin_ == 0 && path_.ends_with(".gz") && ::gzdirect(file_) != 0)
    throw SampleError(fmt::format("{}: is not gzip; expected {}", path_, expected_));
  end_ += static_cast<std::size_t>(got);
  return got > 0;
}

bool TextLines::next(std::string_view& line) {
  std::size_t searched = 0;
  while (true) {
    const char* start = buffer_.data() + begin_;
    const void* found = std::memchr(start + searched, '\n', end_ - begin_ - searched);
    std::size_t length = found != nullptr
                             ? static_cast<std::size_t>(static_cast<const char*>(found) - start)
                             : end_ - begin_;
    if (length > kLongestLine)
      throw SampleError(
          fmt::format("{}:{}:1: a line of over 1 MiB; expected {}", path_, number_ + 1, expected_));
    if (found == nullptr) {
      searched = length;
      if (fill()) continue;
      if (length == 0) return false;
      start = buffer_.data() + begin_;
    }
    ended_ = found != nullptr;
    const std::size_t taken = length + (ended_ ? 1 : 0);
    begin_ += taken;
    bytes_ += static_cast<std::int64_t>(taken);
    ++number_;
    if (length > 0 && start[length - 1] == '\r') --length;
    line = {start, length};
    return true;
  }
}

}  // namespace headway
