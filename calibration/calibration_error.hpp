// What can go wrong in a calibration: wrong input is a ModelError (models/model_error.hpp), the
// rest is the environment.
#pragma once

#include <stdexcept>

#include "models/model_error.hpp"

namespace headway {

/// A samples file, a kernel table or an argument that is wrong: exit code 2. The text reads
/// "file:line:column: what is wrong (value found); what was expected".
class SampleError : public ModelError {
 public:
  using ModelError::ModelError;
};

/// The environment failed: no device, a lost device, a file that cannot be written. Exit code 3.
class CalibrationFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace headway
