// Step cost from measured operator times.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/kernel_profiles.hpp"
#include "models/placement.hpp"
#include "models/step_cost.hpp"

namespace headway {

/// Step cost of a placement: operator by operator from the first profile that covers it, of those
/// in `files` and then of the catalogue for this GPU (models/kernel_profiles.hpp); by interpolation
/// between measured shapes; and from the roofline where nothing was measured.
///
/// A step of a pipeline is a round of its micro-batches (models/micro_batches.hpp); with
/// data-parallel attention the fullest rank sets the pace (models/fullest_rank.hpp). Throws
/// PlacementError; CatalogError for a profile that cannot be read.
std::unique_ptr<StepCost> make_profile_cost(const Placement& placement,
                                            const std::vector<std::string>& files);

/// The same from these profiles alone; from the roofline where there are none.
std::unique_ptr<StepCost> make_cost_of_profiles(const Placement& placement,
                                                KernelProfiles profiles);

}  // namespace headway
