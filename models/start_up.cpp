#include "models/start_up.hpp"

namespace headway {

StartUpTimes start_up_times(const Placement& placement, const MemoryPlan& plan,
                            double storage_bytes_per_second) {
  const Engine& engine = placement.engine;
  const double gpus = placement.parallel.gpus();
  StartUpTimes times;
  times.process = engine.start_process_seconds;
  times.weights = gpus * plan.weight_bytes / storage_bytes_per_second;
  times.compile = engine.start_compile_seconds;
  times.capture = engine.start_capture_seconds;
  return times;
}

}  // namespace headway
