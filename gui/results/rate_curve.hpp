// The trade-off curve of a scenario: the same scenario under less and more load.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/report/check_json.hpp"
#include "sim/report/report.hpp"

namespace headway {

/// One run of the curve.
struct RatePoint {
  double factor = 1;  // of the scenario's own load
  std::shared_ptr<const Report> report;
};

/// The runs of a scenario over its load, by rising load; complete or in the making.
struct RateCurve {
  std::string scenario_text;
  std::vector<RatePoint> points;
  std::optional<double> bound_per_second;  // requests of this mix that the fleet serves at most
  bool complete = false;
};

/// Arguments of --set that multiply the load of every class: the rate of arrivals, the speed of a
/// trace, the users of a closed loop (whole ones, at least one). Throws InputError where a fallback
/// stands in for a trace.
std::vector<std::string> load_sets(const Scenario& scenario, double factor);

/// Arguments of --set that cut a steady run at this factor to some 30,000 requests, and to no
/// longer than the scenario's own; empty for loads that end or change. `offered_per_second` is the
/// scenario's own rate, absent where answers set the pace.
std::vector<std::string> length_sets(const Scenario& scenario,
                                     const std::optional<double>& offered_per_second,
                                     double factor);

/// The factors of a curve, rising: from a tenth of the bound to just below it, closer together
/// where queues begin to grow; from 0.2 to 1.4 where nothing bounds the load.
std::vector<double> curve_factors(const CheckReport& check);

/// Between the last factor that was stable and the first that was not, where the curve bends most;
/// absent where they are within 4 %, or where either is missing.
std::optional<double> refining_factor(const std::vector<RatePoint>& points);

}  // namespace headway
