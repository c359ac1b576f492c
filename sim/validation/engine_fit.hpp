// An engine's overheads from a few serving benchmarks: those constants with which the simulated
// runs come nearest to what was measured.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "models/engine.hpp"
#include "models/fit.hpp"
#include "sim/validation/validation_run.hpp"

namespace headway {

/// A constant of an engine that is estimated.
struct EngineConstant {
  const char* key;          // in the engine's file: "step_overhead"
  double Engine::*seconds;  // its place
  double high;              // upper bound of the estimate, seconds; the lower one is 0
  double scale;             // a change that matters, seconds
};
/// Their order: that of an engine's file.
enum : std::size_t {
  kStep,
  kSequence,
  kPrefillToken,
  kMixedLayer,
  kMixedExpert,
  kDeviceStep,
  kRequest,
  kEngineConstants
};
/// The scales are the sizes that engines have: a step of 1 ms, 10 µs a sequence, 2 µs a prefill
/// token, 0.1 ms a layer whose prompts are launched one kernel at a time and as much for its
/// experts, 0.3 ms on the GPU, 10 ms a request.
const std::array<EngineConstant, kEngineConstants>& engine_constants();

/// The figures of a row that constants are fitted on: the means of TTFT, TPOT and E2E; the rate of
/// requests (of output tokens, where that was not measured) of an open loop that was saturated, of
/// a closed one and of one that sends everything at once. Without the TTFT of an open loop near its
/// knee: that is a wait, which a small error in step times makes a large one, and whose length the
/// rate tells already.
std::vector<Measure> fitted_measures(const RowCase& row_case);

/// Constants fitted on some rows.
struct EngineFit {
  Engine base, fitted;
  Fit fit;                      // parameters in the order of engine_constants()
  std::vector<RowCase> before;  // the rows as the base predicts them
  std::vector<RowCase> after;   // and as the fitted engine does
};

/// How far a fit is: of the runs that it makes at most.
struct FitProgress {
  std::size_t runs = 0, most_runs = 0;  // done; if every iteration is needed
  double fraction = 0;
};

/// Fits the engine's constants on the rows, all of whose scenarios are of `base`. Residuals are
/// ln(predicted / measured) of the fitted_measures(), every row with the same weight whatever
/// number it has. All runs have their scenario's seed: common random numbers. `jobs` runs at a
/// time (0: one for each core).
/// Throws InputError for a row without a scenario or without a figure to fit on, RunError where a
/// run fails or `stop` ends the fit.
EngineFit fit_engine(const Engine& base, const std::vector<RowCase>& rows, int jobs,
                     const std::function<void(const FitProgress&)>& on_progress,
                     const std::function<Stop()>& stop);

/// What to measure next, for the constants that the rows do not tell, one sentence each; empty
/// where all are told.
std::vector<std::string> measure_next(const EngineFit& fit);

}  // namespace headway
