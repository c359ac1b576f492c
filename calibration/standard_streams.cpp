#include "calibration/standard_streams.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "calibration/calibration_error.hpp"
#include "calibration/whole_file.hpp"

namespace headway {

void write_output(std::string_view text) {
  const int error = write_fully(STDOUT_FILENO, text);
  if (error != 0 && error != EPIPE)
    throw CalibrationFailure(
        fmt::format("cannot write to the standard output: {}", std::strerror(error)));
}

void write_message(std::string_view text) {
  constexpr std::size_t kLongest = 1800;
  std::string tame(text.substr(0, kLongest));
  if (text.size() > kLongest) tame += " ...";
  for (char& letter : tame)
    if ((static_cast<unsigned char>(letter) < ' ' && letter != '\n') || letter == '\x7f')
      letter = '?';
  write_fully(STDERR_FILENO, fmt::format("headway-calibrate: {}\n", tame));
}

}  // namespace headway
