// The verdict on a stationary load: served for ever, never, or not to be told from this run.
#pragma once

#include <optional>
#include <vector>

#include "sim/metrics/run_timeline.hpp"
#include "sim/metrics/summary.hpp"

namespace headway {

/// How the number in the system grew over the last two thirds of the load.
struct Growth {
  double per_second = 0;  // requests per second
  double offered_per_second = 0;
  double z = 0;          // in standard errors: the smaller of two, from Poisson counts and from
                         // the spread between sections
  bool waiting = false;  // most of the growth is requests that wait, not requests being served
  bool empties = true;   // late in the load the number in the system was once back at the mean of
                         // the first third
  std::int64_t arrivals = 0;  // in the last two thirds
};

/// From sections of equal length over the whole load; 12 at least, else no growth is told.
Growth measure_growth(const std::vector<LoadSection>& sections);

/// What the verdict rests on.
struct Evidence {
  Growth growth;
  double load_seconds = 0;
  std::int64_t samples = 0;  // measured completions
  bool settled = true;       // the warm-up ends before half of the samples
  double mean_e2e = 0;       // seconds
  std::optional<double> e2e_half_width;
  double waiting = 1;  // share of time in which requests wait at the pool where they wait most
};

/// Unstable: growth by more than 5 standard errors and 1 % of the offered rate, in requests that
/// wait, without ever emptying. Undecided: fewer than 200 samples, a growth of more than 2.5
/// standard errors, no settled start; or, where requests wait for half of the time or more, a mean
/// E2E that is known to no better than ± 20 %. Else stable: a queue that is empty most of the time
/// is far from what the fleet can serve, however long its latencies stay correlated.
Stability judge(const Evidence& evidence);

}  // namespace headway
