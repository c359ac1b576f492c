// How the GPUs of a replica lie over nodes, and what its collectives cross.
#pragma once

#include <cstdint>
#include <string>

#include "models/placement.hpp"

namespace headway {

/// Pipeline stages are put on different nodes first: a stage that fits into a node stays in one,
/// and a node takes as many whole stages as it holds. A larger stage fills whole nodes, tensor
/// groups inside nodes as long as they fit.
struct NodeLayout {
  std::int32_t gpus_per_node = 1;
  std::int32_t nodes = 1;            // of the replica
  std::int32_t stages_per_node = 1;  // where a stage fits into a node
  std::int32_t tensor_nodes = 1;     // that a tensor group lies on
  std::int32_t data_nodes = 1;     // that the GPUs of one place in every data-parallel rank lie on
  std::int32_t sends_between = 0;  // of the sends from stage to stage: from node to node
};

/// Throws PlacementError for a stage of several nodes that it does not fill, or whose tensor groups
/// straddle them.
NodeLayout lay_out(const Parallel& parallel, std::int32_t gpus_per_node);

/// In words: "2 nodes of 8 GPUs; 2 pipeline stages of 8, 1 to a node; tensor groups of 8 inside a
/// node".
std::string explain(const NodeLayout& layout, const Parallel& parallel);

}  // namespace headway
