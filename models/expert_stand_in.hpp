// The times of routed experts where no table has this engine's kernel on this card.
#pragma once

#include "models/placement.hpp"
#include "models/profile_shapes.hpp"

namespace headway {

/// What `times`, those of `family`, measured on `measured_on`, tell of the placement's card and
/// engine; on another card, or there with another engine's kernel. While a step reads weights, the
/// placement's roofline of those that an uneven router touches, since how near its bandwidth a
/// kernel comes is the kernel's own; beside them the launches of the measured kernel, or on another
/// card five of the engine's. From the tokens on that touch every expert four times, what the
/// measured times add to that moment, in proportion to the two cards' rooflines, each for the
/// products of its own kernel: padding and uneven experts cost on both. On cards with units
/// for 4-bit floats, the sizes of such experts are rounded up as the engine's kernels do. Counts as
/// roofline.
ShapeTimes expert_stand_in(const Placement& placement, const Gpu& measured_on,
                           const ProfileFamily& family, const ShapeTimes& times);

}  // namespace headway
