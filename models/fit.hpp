// Constants of a model from what was measured: bounded least squares, with an account of which
// constants the measurements tell.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace headway {

/// A constant to be estimated.
struct FitParameter {
  double start = 0;  // within [low, high]; kept where the residuals do not tell the constant
  double low = 0, high = 1;  // bounds of the estimate
  double scale = 1;          // > 0: a change of this size is one that matters
};

/// Residuals at each of several points: one vector a point, all of the same length, finite.
/// Everything that is to run at the same time is asked for at once.
using FitResiduals =
    std::function<std::vector<std::vector<double>>(const std::vector<std::vector<double>>& points)>;

/// When a fit ends, and what it takes for known.
struct FitLimits {
  int iterations = 12;       // most steps in all
  double least_step = 0.01;  // relative; ends when every parameter's step is smaller
  double noise = 0.01;       // standard deviation of a residual by measuring alone
  double most_error = 0.5;   // of the scale: a larger standard error tells nothing of the constant
  double most_inflation = 25;  // of a variance by the other parameters: beyond, less than a fifth
                               // of its effects is its own, which differences of runs do not tell
};

/// Whether the residuals tell a constant.
enum class Told {
  yes,
  without_effect,  // a change by its scale moves no residual by more than the noise
  mixed_up  // its effects are those of other constants: the standard error would be too large
};

/// One constant after the fit.
struct FittedParameter {
  double value = 0;           // the start where it is not told
  double standard_error = 0;  // where it is told
  Told told = Told::yes;
  std::size_t like = 0;  // mixed_up: the parameter whose effects are most like its own
  double effect = 0;     // largest change of a residual for a change by the scale
};

struct Fit {
  std::vector<FittedParameter> parameters;
  std::vector<double> before, after;  // residuals at the start and at the end
  int iterations = 0;
  bool converged = false;  // false: it ended with its iterations
};

/// Which parameters the effects tell. `effects[p]` are the changes of the residuals for a change of
/// parameter p by its scale (the scaled Jacobian's columns). First those without effect are set
/// aside; then, as long as a standard error √(σ²·((JᵀJ)⁻¹)pp) is over `most_error`, the one with
/// the largest. Values and standard errors are left 0, but for those told the error in scales.
std::vector<FittedParameter> told_by(const std::vector<std::vector<double>>& effects,
                                     const FitLimits& limits);

/// Least squares by Levenberg's and Marquardt's damped Gauss–Newton steps, clamped to the bounds;
/// the Jacobian by central differences of a quarter of the scales. It ends
/// with a step below `least_step`, or one that gains less of Σr² than 1 % of what the noise makes.
/// Parameters that the residuals do not tell where the fit begins or where it ends keep their
/// start. The standard errors take the larger of `noise` and what the residuals show: √(Σr² / (m −
/// p)).
Fit least_squares(const std::vector<FitParameter>& parameters, const FitResiduals& residuals,
                  const FitLimits& limits = {});

}  // namespace headway
