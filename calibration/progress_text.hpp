// How far a calibration is, on the standard error.
#pragma once

#include <string>

#include "calibration/calibration_run.hpp"

namespace headway {

/// "34 %, 119 of 350 points, 48 s left: gemm bf16 m=16 n=4096 k=4096".
std::string progress_text(const CalibrationProgress& progress);

/// A time for people: "48 s", "12 min", "3 h 05 min".
std::string duration_text(double seconds);

/// Rewrites one line of a terminal; elsewhere writes a line every ten seconds.
class CalibrationProgressLine {
 public:
  CalibrationProgressLine();
  ~CalibrationProgressLine() { clear(); }
  CalibrationProgressLine(const CalibrationProgressLine&) = delete;
  CalibrationProgressLine& operator=(const CalibrationProgressLine&) = delete;

  void show(const CalibrationProgress& progress);
  void clear();

 private:
  bool terminal_, shown_ = false;
  double last_;
};

}  // namespace headway
