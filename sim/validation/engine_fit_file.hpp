// An engine's file with constants that were fitted.
#pragma once

#include <string>

#include "sim/validation/engine_fit.hpp"

namespace headway {

/// The text of the base's file with the constants that were estimated, `fitted_on` the rows,
/// `kernels` the base's name where that is the catalogue's and the file does not say whose it runs,
/// and a sentence more under `source`: which constants are estimates, from which results. All else
/// stays as it stands. `base_text` is the text of a file that load_engine() reads.
std::string fitted_engine_text(const std::string& base_text, const EngineFit& fit);

}  // namespace headway
