#include "sim/scenario/scenario.hpp"

#include <algorithm>
#include <cmath>

namespace headway {

double distribution_mean(const Distribution& law) {
  using Kind = Distribution::Kind;
  switch (law.kind) {
    case Kind::fixed:
    case Kind::normal:
    case Kind::exponential:
    case Kind::gamma:
      return law.a;
    case Kind::uniform:
      return (law.a + law.b) / 2;
    case Kind::lognormal:
      return std::exp(law.a + law.b * law.b / 2);
    case Kind::histogram: {
      double total = 0, sum = 0;
      for (const auto& bin : law.bins) {
        total += bin.weight;
        sum += bin.weight * (bin.low + bin.high) / 2;
      }
      return total > 0 ? sum / total : 0;
    }
  }
  return 0;
}

bool Arrivals::stationary() const {
  return kind == Kind::constant || kind == Kind::poisson || kind == Kind::gamma ||
         kind == Kind::mmpp || (kind == Kind::closed && requests == 0);
}

std::int32_t Pool::places() const {
  std::int32_t places = autoscaler ? std::max(autoscaler->max, replicas) : replicas;
  std::int32_t surge = 0;
  for (const Deploy& deploy : deploys) surge = std::max(surge, deploy.surge);
  return places + surge;
}

bool Scenario::stationary() const {
  return !run.drain && std::all_of(workload.begin(), workload.end(), [](const WorkloadClass& each) {
    return each.arrivals.stationary();
  });
}

}  // namespace headway
