#include <algorithm>

#include "sim/workload/arrival_process.hpp"
#include "sim/workload/request_lengths.hpp"
#include "sim/workload/source.hpp"

namespace headway {

struct ClosedLoad::Laws {
  RequestLengths lengths;
  Sampler think;
  Draw think_draw;
};

ClosedLoad::ClosedLoad(const WorkloadClass& workload_class, std::uint64_t seed,
                       std::uint32_t entity)
    : laws_(std::make_unique<Laws>(Laws{RequestLengths(workload_class, seed, entity),
                                        Sampler(workload_class.arrivals.think),
                                        Draw(seed, Stream::think_time, entity)})) {}

ClosedLoad::~ClosedLoad() = default;

RequestBody ClosedLoad::body(std::uint64_t request) const {
  RequestBody body;
  laws_->lengths.apply(request, body);
  return body;
}

Time ClosedLoad::think(std::uint64_t request) const {
  const double picoseconds = laws_->think(laws_->think_draw, request) * kPicosecondsPerSecond;
  if (!(picoseconds < static_cast<double>(kLastArrival))) return kLastArrival;
  return std::llround(std::max(picoseconds, 0.0));
}

}  // namespace headway
