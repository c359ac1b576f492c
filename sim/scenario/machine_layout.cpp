#include "sim/scenario/machine_layout.hpp"

#include <algorithm>

namespace headway {
namespace {

constexpr std::int32_t ceiling(std::int32_t a, std::int32_t b) {
  return (a + b - 1) / b;
}

}  // namespace

MachineLayout MachineLayout::of(const Pool& pool) {
  const std::int32_t gpus = std::max(1, pool.gpus_per_replica);
  MachineLayout layout;
  if (!pool.failures) return layout;
  const std::int32_t node = pool.failures->node_gpus;
  layout.places_of_node = std::max(1, node / gpus);
  layout.nodes_of_place = ceiling(gpus, node);
  layout.nodes_of_rack = std::max(1, pool.failures->rack_gpus / node);
  return layout;
}

std::int32_t MachineLayout::nodes(std::int32_t places) const {
  return ceiling(places, places_of_node) * nodes_of_place;
}

std::int32_t MachineLayout::racks(std::int32_t places) const {
  return ceiling(nodes(places), nodes_of_rack);
}

}  // namespace headway
