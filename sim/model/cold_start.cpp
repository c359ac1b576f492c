#include "sim/model/cold_start.hpp"

#include <cmath>

namespace headway {
namespace {

/// Every phase of every start of every replica has an index of its own.
std::uint64_t draw_index(std::uint32_t replica, std::uint32_t start) {
  return std::uint64_t{replica} << 32 | start;
}

}  // namespace

ColdStartTimes::ColdStartTimes(const Pool& pool, std::uint32_t pool_index, std::uint64_t seed)
    : cold_start_(*pool.cold_start),
      provision_(cold_start_.provision, seed, Stream::provision, pool_index),
      image_(cold_start_.image, seed, Stream::image_pull, pool_index),
      process_(cold_start_.process, seed, Stream::process_start, pool_index),
      weights_(cold_start_.weights, seed, Stream::weight_load, pool_index),
      compile_(cold_start_.compile, seed, Stream::compile, pool_index),
      capture_(cold_start_.capture, seed, Stream::graph_capture, pool_index),
      warm_up_(cold_start_.warm_up, seed, Stream::first_request, pool_index),
      stock_(seed, Stream::stock, pool_index) {}

std::int64_t ColdStartTimes::bytes(ReplicaPhase phase) const {
  if (phase == ReplicaPhase::image && !image_.given()) {
    return static_cast<std::int64_t>(cold_start_.image_bytes);
  }
  if (phase == ReplicaPhase::weights && !weights_.given()) {
    return static_cast<std::int64_t>(cold_start_.weight_bytes);
  }
  return 0;
}

Time ColdStartTimes::seconds(ReplicaPhase phase, std::uint32_t replica, std::uint32_t start) const {
  const std::uint64_t index = draw_index(replica, start);
  switch (phase) {
    case ReplicaPhase::provisioning:
      return provision_(index);
    case ReplicaPhase::image:
      return image_(index);
    case ReplicaPhase::process:
      return process_(index);
    case ReplicaPhase::weights:
      return weights_(index);
    case ReplicaPhase::compile:
      return compile_(index);
    case ReplicaPhase::capture:
      return capture_(index);
    case ReplicaPhase::warming:
      return warm_up_(index);
    default:
      return 0;
  }
}

bool ColdStartTimes::out_of_stock(std::uint32_t replica, std::uint32_t start,
                                  std::uint32_t attempt) const {
  return cold_start_.stock_out > 0 &&
         stock_.uniform(draw_index(replica, start), attempt) < cold_start_.stock_out;
}

}  // namespace headway
