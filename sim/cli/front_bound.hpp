// What the front lets through at most, without simulating.
#pragma once

#include <vector>

#include "sim/cli/offered_load.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

/// The share of each class's requests that the rate limits of its tenant let in at most, if all are
/// of its mean length; 1 where there is no limit, and for a closed loop, whose rate is an answer.
/// `loads` are those of the classes.
std::vector<double> let_in_shares(const Scenario& scenario, const std::vector<OfferedLoad>& loads);

/// Requests a second, with prompts of this mean length, that the servers of a station of the front
/// can handle; infinite where the station takes no time on average.
double station_bound(const FrontStation& station, double input_tokens);

/// Whether all that is more than the fleet can serve is turned away, or given up by its clients, so
/// that no queue grows without end: by a limit on requests inside, by queues with a limit in all
/// pools, or by the time-outs of all classes.
bool sheds_overload(const Scenario& scenario);

}  // namespace headway
