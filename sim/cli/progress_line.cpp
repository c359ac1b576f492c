#include "sim/cli/progress_line.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "sim/report/table_text.hpp"

namespace headway {

namespace {

// A line that wraps cannot be rewritten: what fits on it.
std::string fitted(std::string text) {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 &&
      text.size() >= size.ws_col)
    text.resize(size.ws_col - 1u);
  return text;
}

bool rewritable() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) != 0 &&
         (terminal == nullptr || std::strcmp(terminal, "dumb") != 0);
}

}  // namespace

ProgressLine::ProgressLine(bool wanted) : wanted_(wanted && rewritable()) {}

void ProgressLine::show(const ChildProgress& progress) {
  if (!wanted_) return;
  const double elapsed = seconds();
  rewrite(progress.fraction, elapsed, progress_text(progress, elapsed));
}

void ProgressLine::show(double fraction, const std::string& done) {
  if (!wanted_) return;
  const double elapsed = seconds();
  rewrite(fraction, elapsed, done + time_left_text(fraction, elapsed));
}

double ProgressLine::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void ProgressLine::rewrite(double fraction, double elapsed, const std::string& text) {
  const bool takes_long = elapsed > 2 || (fraction > 0 && elapsed / fraction > 2);
  if (elapsed < 1 || !takes_long) return;
  shown_ = true;
  fmt::print(stderr, "\r{}\x1b[K", fitted(text));
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (!shown_) return;
  shown_ = false;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

std::string progress_text(const ChildProgress& progress, double elapsed_seconds) {
  std::string text;
  if (progress.fraction > 0) text = fmt::format("{:.0f} %, ", std::floor(progress.fraction * 100));
  text += fmt::format("{} simulated, {} requests", seconds_text(progress.simulated_seconds, {}, {}),
                      grouped(progress.offered));
  return text + time_left_text(progress.fraction, elapsed_seconds);
}

std::string time_left_text(double fraction, double elapsed_seconds) {
  if (fraction <= 0.005) return "";
  const double left = elapsed_seconds * (1 / fraction - 1);
  const double rounded = left < 10 ? std::ceil(left) : std::ceil(left / 5) * 5;
  return rounded < 120 ? fmt::format(", {:.0f} s left", rounded)
                       : fmt::format(", {:.0f} min left", std::ceil(rounded / 60));
}

}  // namespace headway
