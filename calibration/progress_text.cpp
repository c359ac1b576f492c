#include "calibration/progress_text.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "calibration/operator_form.hpp"
#include "calibration/wall_clock.hpp"
#include "calibration/whole_file.hpp"

namespace headway {

namespace {

constexpr double kTerminalSeconds = 0.2;  // between two rewritings
constexpr double kLogSeconds = 10;

// A line that wraps cannot be rewritten: what fits on it.
std::string fitted(const std::string& text) {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return text.substr(0, known ? size.ws_col - 1u : 79u);
}

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(std::clamp(seconds, 0.0, 1e9)));
  if (whole < 100) return fmt::format("{} s", whole);
  const std::int64_t minutes = (whole + 59) / 60;
  if (minutes < 100) return fmt::format("{} min", minutes);
  return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

std::string progress_text(const CalibrationProgress& progress) {
  std::string text = fmt::format("{} %, {} of {} points",
                                 100 * progress.done / std::max<std::int64_t>(1, progress.total),
                                 progress.done, progress.total);
  if (std::isfinite(progress.left_seconds))
    text += fmt::format(", {} left", duration_text(progress.left_seconds));
  if (progress.point != nullptr) text += ": " + point_text(*progress.point);
  return text;
}

CalibrationProgressLine::CalibrationProgressLine()
    : terminal_(::isatty(STDERR_FILENO) != 0), last_(system_clock().now()) {}

void CalibrationProgressLine::show(const CalibrationProgress& progress) {
  const double now = system_clock().now();
  if (now - last_ < (terminal_ ? kTerminalSeconds : kLogSeconds)) return;
  last_ = now;
  shown_ = terminal_;
  write_fully(STDERR_FILENO, terminal_ ? "\r\x1b[K" + fitted(progress_text(progress))
                                       : progress_text(progress) + "\n");
}

void CalibrationProgressLine::clear() {
  if (shown_) write_fully(STDERR_FILENO, "\r\x1b[K");
  shown_ = false;
}

}  // namespace headway
