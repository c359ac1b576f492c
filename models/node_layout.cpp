#include "models/node_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headway {
namespace {

std::string plural(std::int32_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string where(std::int32_t nodes) {
  return nodes == 1 ? "inside a node" : fmt::format("over {} nodes", nodes);
}

}  // namespace

NodeLayout lay_out(const Parallel& parallel, std::int32_t gpus_per_node) {
  NodeLayout layout;
  const std::int32_t node = layout.gpus_per_node = std::max(1, gpus_per_node);
  const std::int32_t stage = parallel.stage_gpus(), tensor = parallel.tensor;
  const std::int32_t stages = parallel.pipeline;
  if (stage <= node) {
    layout.stages_per_node = std::min(stages, node / stage);
    layout.nodes = (stages + layout.stages_per_node - 1) / layout.stages_per_node;
    layout.sends_between = layout.nodes - 1;
    return layout;
  }
  if (stage % node != 0 || (tensor <= node ? node % tensor : tensor % node) != 0) {
    throw PlacementError(
        fmt::format("{} GPUs that share layers, in tensor groups of {}, do not fill whole nodes of "
                    "{}; expected groups and nodes of which one divides the other",
                    stage, tensor, node));
  }
  layout.tensor_nodes = std::max(1, tensor / node);
  layout.data_nodes = tensor <= node ? stage / node : parallel.data;
  layout.nodes = stage / node * stages;
  layout.sends_between = stages - 1;
  return layout;
}

std::string explain(const NodeLayout& layout, const Parallel& parallel) {
  std::string text =
      plural(layout.nodes, "node") + fmt::format(" of {} GPUs", layout.gpus_per_node);
  const std::int32_t stage = parallel.stage_gpus();
  if (parallel.pipeline > 1) {
    text += fmt::format("; {} pipeline stages of {}, ", parallel.pipeline, plural(stage, "GPU"));
    text += stage > layout.gpus_per_node
                ? fmt::format("each over {} nodes", stage / layout.gpus_per_node)
                : fmt::format("{} to a node", layout.stages_per_node);
  }
  if (parallel.tensor > 1) {
    text += fmt::format("; tensor groups of {} {}", parallel.tensor, where(layout.tensor_nodes));
  }
  if (parallel.data > 1) {
    text += fmt::format("; {} data-parallel ranks {}", parallel.data, where(layout.data_nodes));
  }
  if (parallel.expert > 1) text += fmt::format("; experts over {} GPUs", parallel.expert);
  return text;
}

}  // namespace headway
