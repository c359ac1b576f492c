#include "sim/cli/standard_output.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "sim/scenario/input_error.hpp"

namespace headway {

namespace {

// 0, or the errno of what went wrong.
int write_all(int descriptor, std::string_view text) {
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

// A message for a terminal: without the control characters of what it quotes, and not endless.
std::string tame(std::string_view text) {
  constexpr std::size_t kLongest = 1800, kTail = 600;
  std::string tamed(text);
  if (tamed.size() > kLongest)
    tamed = tamed.substr(0, kLongest - kTail) + " ... " + tamed.substr(tamed.size() - kTail);
  for (char& letter : tamed)
    if ((static_cast<unsigned char>(letter) < ' ' && letter != '\n') || letter == '\x7f')
      letter = '?';
  return tamed;
}

}  // namespace

void print(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error != 0 && error != EPIPE)
    throw RunError(fmt::format("cannot write to the standard output: {}", std::strerror(error)));
}

void print_error(std::string_view text) {
  write_all(STDERR_FILENO, fmt::format("headway: {}\n", tame(text)));
}

}  // namespace headway
