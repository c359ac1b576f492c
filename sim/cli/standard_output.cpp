#include "sim/cli/standard_output.hpp"

#include <fmt/format.h>
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
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

void print(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error != 0 && error != EPIPE)
    throw RunError(fmt::format("cannot write to the standard output: {}", std::strerror(error)));
}

void print_error(std::string_view text) {
  write_all(STDERR_FILENO, fmt::format("headway: {}\n", text));
}

}  // namespace headway
