// What the front lets through at most, without simulating.
#pragma once

#include "sim/scenario/scenario.hpp"

namespace headway {

/// Requests a second, with prompts of this mean length, that the servers of a station of the front
/// can handle; infinite where the station takes no time on average.
double station_bound(const FrontStation& station, double input_tokens);

/// Whether all that is more than the fleet can serve is turned away, or given up by its clients, so
/// that no queue grows without end: by a limit on requests inside, by queues with a limit in all
/// pools, or by the time-outs of all classes.
bool sheds_overload(const Scenario& scenario);

}  // namespace headway
