// One line of a terminal that says how far a run is and how long it will still take.
#pragma once

#include <chrono>
#include <string>

#include "sim/report/run_protocol.hpp"

namespace headway {

/// Rewrites its line on the standard error, from the second second of a run that takes longer than
/// two; does nothing where that is no terminal. The line is cleared with the object.
class ProgressLine {
 public:
  explicit ProgressLine(bool wanted);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const ChildProgress& progress);
  /// Of several runs: "12 of 94 runs, 20 s left", with `fraction` of the work done.
  void show(double fraction, const std::string& done);
  void clear();

 private:
  double seconds() const;  // since the line was made
  void rewrite(double fraction, double elapsed, const std::string& text);

  bool wanted_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// The line's text: "34 %, 20.4 min simulated, 24,480 requests, 8 s left". Time left is told where
/// the run's end is known.
std::string progress_text(const ChildProgress& progress, double elapsed_seconds);

/// ", 8 s left" when `fraction` of the work took so long; empty where it is too early to tell.
std::string time_left_text(double fraction, double elapsed_seconds);

}  // namespace headway
