// What can be wrong with a description of hardware, model or placement: one exception family.
#pragma once

#include <stdexcept>

namespace headway {

/// Base of the errors of this room. The text is complete but for the place in a scenario file: the
/// caller adds file, line and column, or shows it as it stands when the text names a file itself.
class ModelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A catalogue entry or directory that is not there, or a catalogue file that is wrong.
class CatalogError : public ModelError {
 public:
  using ModelError::ModelError;
};

/// A model description (config.json or catalogue entry) that cannot be read or is not supported.
class ArchitectureError : public ModelError {
 public:
  using ModelError::ModelError;
};

/// A placement that no engine can run: heads that do not divide, a format that the GPU lacks.
class PlacementError : public ModelError {
 public:
  using ModelError::ModelError;
};

}  // namespace headway
