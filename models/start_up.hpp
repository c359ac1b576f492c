// How long a replica takes from nothing to its first request, by phase.
#pragma once

#include <string>

#include "models/placement.hpp"

namespace headway {

/// Seconds of each phase, one after the other.
struct StartUpTimes {
  double process = 0;  // interpreter, imports, devices, process groups
  double weights = 0;  // read from storage
  double compile = 0;  // kernels compiled for the model, without a cache of an earlier start
  double capture = 0;  // CUDA graphs, warm-up
  double total() const { return process + weights + compile + capture; }
};

/// Bytes a second that weights are read at where nothing is said of the storage: a file server
/// behind 10 Gbit/s.
inline constexpr double kFileServerBytesPerSecond = 1e9;

/// Phases of the engine, and the weights of all GPUs of the replica over the storage's bandwidth,
/// bytes/s, > 0: GPUs of a replica share it. Zero but for the weights where the engine's entry
/// states no start-up.
StartUpTimes start_up_times(const Placement& placement, const MemoryPlan& plan,
                            double storage_bytes_per_second);

}  // namespace headway
