// Queues as Markov chains of any shape: exact means, and the exact asymptotic variance of what a
// simulation of them estimates.
#pragma once

#include <cstddef>
#include <vector>

#include "birth_death.hpp"

namespace headway {

/// A chain in continuous time; state 0 is where runs start. Dense: a few thousand states at most.
struct MarkovChain {
  struct Jump {
    std::size_t from, to;
    double rate;
    double arrived = 0, served = 0, lost = 0;  // requests that do so at the jump
  };
  std::vector<Jump> jumps;
  std::vector<double> number;  // requests in the system, by state
};

struct ChainAverages {
  TimeAverage number;      // requests
  TimeAverage loss;        // share of arrivals
  TimeAverage throughput;  // per second
};

/// As averages() of a birth-death queue, with Poisson's equation solved as it stands:
/// Q h = limit − ĝ, and the variance is Σ over jumps of π · rate · (r + change of h)².
ChainAverages averages(const MarkovChain& chain);

}  // namespace headway
