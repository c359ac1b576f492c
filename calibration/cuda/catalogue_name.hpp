// The catalogue's names of cards, by the driver's.
#pragma once

#include <string>

namespace headway {

/// "NVIDIA H100 80GB HBM3" is "h100-sxm-80gb"; "" for a card that the catalogue does not have.
std::string catalogue_gpu_name(const std::string& driver_name);

}  // namespace headway
