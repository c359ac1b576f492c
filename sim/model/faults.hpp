// What can fail in a fleet, and when it does.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/units.hpp"
#include "sim/scenario/machine_layout.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/workload/sampler.hpp"

namespace headway {

/// What fails by itself: a fault takes the places [first, end) of its pool with it.
struct FaultUnit {
  enum class Kind : std::uint8_t {
    gpu,  // the GPUs of one replica, together
    node,
    rack,
    crash,  // the engine of one replica
    spot,   // the machine of one replica is reclaimed
    store   // the link of a store is cut
  };
  Kind kind = Kind::gpu;
  std::uint32_t pool = 0;    // number of the pool, or of the store
  std::uint32_t number = 0;  // among its pool's units of this kind
  std::int32_t first = 0, end = 0;
  double mean_seconds = 1;  // from its repair, or the start of the run, to its next fault
  Distribution repair;      // seconds; of spot: from the notice to the end
};
inline constexpr int kFaultKinds = 6;
const char* fault_name(FaultUnit::Kind kind);  // "GPU faults", "spot reclaims", …
/// Faults by kind that met something: a replica with a machine, or a store's link.
using FaultCounts = std::array<std::int64_t, kFaultKinds>;

/// All units of the scenario, in order of pool, kind and number; stores last.
std::vector<FaultUnit> fault_units(const Scenario& scenario);

/// When one unit fails: exponential times between faults (Poisson: no memory, so it does not matter
/// how long it was there), by draws of its own.
class FaultTimes {
 public:
  FaultTimes(const FaultUnit& unit, std::uint64_t seed);
  /// The next fault, `from` being the end of the last one's repair; kNever beyond the end of time.
  Time next(Time from);
  /// How long the repair of the fault that next() gave takes.
  Time repair() const;

 private:
  Draw times_, repairs_;
  double mean_seconds_;
  Sampler repair_law_;
  std::uint64_t faults_ = 0;
};

/// By how much the steps of a replica take longer that starts on the machine-th machine of its
/// place (over all pools): the pool's factor with its probability, else 1.
double machine_slowness(const Pool& pool, std::uint64_t seed, std::uint32_t place,
                        std::uint64_t machine);

}  // namespace headway
