// Which replicas of a pool share a node or a rack.
#pragma once

#include <cstdint>

#include "sim/scenario/scenario.hpp"

namespace headway {

/// The machines that the places of a pool stand on. Places fill nodes in order and nodes fill racks
/// in order; a replica that is smaller than a node lies within one, a larger one has nodes of its
/// own.
struct MachineLayout {
  std::int32_t places_of_node = 1;  // that share a node; 1 where a replica has nodes of its own
  std::int32_t nodes_of_place = 1;
  std::int32_t nodes_of_rack = 1;

  static MachineLayout of(const Pool& pool);
  std::int32_t nodes(std::int32_t places) const;
  std::int32_t racks(std::int32_t places) const;
};

}  // namespace headway
