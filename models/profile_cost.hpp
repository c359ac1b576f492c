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
/// A pipeline of P stages runs as many micro-batches as the step has sequences, P at most: every
/// token passes all layers once, with a micro-batch's share of the tokens in each operator, and the
/// LM head works once a micro-batch. Throws PlacementError; CatalogError for a profile that cannot
/// be read.
std::unique_ptr<StepCost> make_profile_cost(const Placement& placement,
                                            const std::vector<std::string>& files);

/// The same from these profiles alone; from the roofline where there are none.
std::unique_ptr<StepCost> make_cost_of_profiles(const Placement& placement,
                                                KernelProfiles profiles);

}  // namespace headway
