#include "sim/workload/line_reader.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "sim/scenario/input_error.hpp"

namespace headway {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 18;  // 256 KiB: beyond it, reading gets no faster

}  // namespace

LineReader::LineReader(const std::string& path, std::string expected)
    : path_(path),
      expected_(std::move(expected)),
      file_(std::fopen(path.c_str(), "rb")),
      buffer_(kChunk) {
  if (!file_)
    throw InputError(fmt::format("{}: cannot be opened: {}; expected {}", path_,
                                 std::strerror(errno), expected_));
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);
  while (end_ < 3 && fill()) {
  }
  if (end_ >= 3 && std::memcmp(buffer_.data(), "\xEF\xBB\xBF", 3) == 0) begin_ = 3;
}

bool LineReader::fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(buffer_.size() + kChunk);
  const std::size_t got = std::fread(buffer_.data() + end_, 1, buffer_.size() - end_, file_.get());
  if (got == 0 && std::ferror(file_.get())) {
    const int cause = errno;
    if (cause == EISDIR)
      throw InputError(fmt::format("{}: is a folder; expected {}", path_, expected_));
    throw RunError(
        fmt::format("{}: reading failed after line {}: {}", path_, number_, std::strerror(cause)));
  }
  end_ += got;
  return got > 0;
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = 0;
  while (true) {
    const char* start = buffer_.data() + begin_;
    const void* found = std::memchr(start + searched, '\n', end_ - begin_ - searched);
    std::size_t length =
        found ? static_cast<std::size_t>(static_cast<const char*>(found) - start) : end_ - begin_;
    if (length > kLongestLine)
      throw InputError(fmt::format("{}:{}:1: a line of over 1 MiB; expected {} with shorter lines",
                                   path_, number_ + 1, expected_));
    if (!found) {
      searched = length;
      if (fill()) continue;
      if (length == 0) return false;
      start = buffer_.data() + begin_;
    }
    begin_ += length + (found ? 1 : 0);
    ++number_;
    if (length > 0 && start[length - 1] == '\r') --length;
    line = {start, length};
    return true;
  }
}

}  // namespace headway
