#include "models/operator_times.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "models/expert_stand_in.hpp"
#include "models/roofline.hpp"

namespace headway {
namespace {

/// The profile's name of a product's format; empty where it has none: a weight-only product of a
/// format whose products the GPU does not make.
std::string product_format(const Placement& placement, const Operator& op) {
  if (bytes(op.format) == 2 && op.kind == OperatorKind::gemm && op.format != NumberFormat::fp16) {
    // A 16-bit product: of 16-bit weights, or of weights that are expanded on the way.
    const double elements = static_cast<double>(op.n) * static_cast<double>(op.k);
    const double rows = static_cast<double>(op.m) * static_cast<double>(op.n + op.k) * 2;
    if (op.memory_bytes - rows > 1.9 * elements) return "bf16";
  }
  const NumberFormat weights = placement.precision.weights;
  if (bytes(weights) == 2) return "bf16";
  if (op.format != compute_format(placement)) return "bf16";
  if (op.format != default_activations(weights)) return {};
  if (weights == NumberFormat::fp8 && placement.architecture.latent()) return "fp8_block";
  return number_format_name(weights);
}

}  // namespace

std::optional<ShapeTimes> OperatorTimes::find(const Operator& op) const {
  if (op.sparse) return std::nullopt;    // no profile has 2:4 sparse products
  if (op.hops > 0) return std::nullopt;  // nor transfers between nodes
  switch (op.kind) {
    case OperatorKind::gemm: {
      const std::string format = product_format(placement_, op);
      if (format.empty()) return std::nullopt;
      const FoundFamily found = profiles_.find("gemm", format);
      // Kernels that expand weights are each engine's own.
      if (!found || (op.weight_only && !found.of_engine(placement_.engine.kernels_of()))) {
        return std::nullopt;
      }
      return gemm_times(*found.family, format, op.n, op.k);
    }
    case OperatorKind::expert_gemm:
      return experts();
    case OperatorKind::elementwise:
      return elementwise(op.name);
    case OperatorKind::all_reduce:
      return collective("all_reduce", op.group);
    case OperatorKind::reduce_scatter:
      return collective("reduce_scatter", op.group);
    case OperatorKind::all_gather:
      return collective("all_gather", op.group);
    default:
      return std::nullopt;
  }
}

std::optional<ShapeTimes> OperatorTimes::find_eager(const Operator& op) const {
  if (op.kind != OperatorKind::all_reduce || op.hops > 0) return std::nullopt;
  const FoundFamily found = profiles_.find("all_reduce_eager", "bf16");
  if (!found || !found.of_engine(placement_.engine.kernels_of())) return std::nullopt;
  return sized_times(*found.family, "gpus", op.group);
}

double OperatorTimes::coordinate(const Placement& placement, const Operator& op,
                                 std::int64_t tokens) {
  switch (op.kind) {
    case OperatorKind::elementwise:
      return std::string_view(op.name) == "sampler" ? static_cast<double>(tokens) : op.memory_bytes;
    case OperatorKind::all_reduce:
    case OperatorKind::reduce_scatter:
      return static_cast<double>(tokens) * placement.architecture.hidden * 2;
    case OperatorKind::all_gather:  // what a GPU has in the end: sent and its own part
      return op.network_bytes * op.group / (op.group - 1);
    default:
      return static_cast<double>(tokens);
  }
}

ExpertShape OperatorTimes::expert_shape() const {
  const Architecture& a = placement_.architecture;
  const std::int64_t group = placement_.parallel.stage_gpus();
  const std::int64_t spread = std::max(1, placement_.parallel.expert);
  return {a.hidden, std::max<std::int64_t>(1, a.moe_intermediate * spread / group), a.experts,
          a.experts_per_token, spread};
}

std::optional<ShapeTimes> OperatorTimes::experts() const {
  const NumberFormat weights = placement_.precision.weights;
  const std::string format = bytes(weights) == 2 ? "bf16" : number_format_name(weights);
  std::vector<std::string> names = {format};
  if (weights == NumberFormat::fp8 && placement_.architecture.latent()) {
    names.insert(names.begin(), "fp8_block");
  }
  for (const std::string& name : names) {
    FoundFamily found = profiles_.find("moe", name);
    if (!found) continue;
    if (found.of_engine(placement_.engine.kernels_of()) || !runs_known_kernels(placement_.engine)) {
      return expert_times(*found.family, expert_shape());
    }
    // Another engine's own kernel says nothing of this one's.
    if (const FoundFamily measured = profiles_.find("moe_as_measured", name)) found = measured;
    const auto times = expert_times(*found.family, expert_shape());
    if (times) return expert_stand_in(placement_, placement_.gpu, *found.family, *times);
  }
  for (const std::string& name : names) {
    std::string gpu;
    FoundFamily found = profiles_.find_elsewhere("moe_as_measured", name, &gpu);
    if (!found) found = profiles_.find_elsewhere("moe", name, &gpu);
    if (!found) continue;
    auto times = expert_times(*found.family, expert_shape());
    if (times) return expert_stand_in(placement_, load_gpu(gpu), *found.family, *times);
  }
  return std::nullopt;
}

std::optional<ShapeTimes> OperatorTimes::elementwise(std::string_view name) const {
  if (name == "sampler") {
    const FoundFamily found = profiles_.find("sampler", "bf16");
    const std::int64_t vocab = placement_.architecture.vocab;
    return found ? sized_times(*found.family, "width", vocab) : std::nullopt;
  }
  const char* op = name == "norm"        ? "norm"
                   : name == "embedding" ? "embedding"
                   : name == "rotary_and_kv_write" && !placement_.architecture.latent()
                       ? "rotary"
                       : "activation";
  const FoundFamily found = profiles_.find(op, "bf16");
  if (!found) return std::nullopt;
  return ShapeTimes{found.family->grid(found.family->rows.front().seconds),
                    TimeSource::interpolation, false};
}

/// Cards on PCIe without a table of their own take another such card's, in proportion to the
/// bandwidth.
std::optional<ShapeTimes> OperatorTimes::collective(const char* op, std::int64_t group) const {
  const Gpu& gpu = placement_.gpu;
  if (const FoundFamily found = profiles_.find(op, "bf16")) {
    return sized_times(*found.family, "gpus", group);
  }
  if (gpu.nvlink_bytes_per_second > 0 || gpu.collective_efficiency > 0) return std::nullopt;
  const Gpu other = load_gpu("l40s-48gb");
  const FoundFamily found = profiles_.find_in("l40s", op, "bf16");
  if (!found) return std::nullopt;
  auto times = sized_times(*found.family, "gpus", group);
  if (!times) return std::nullopt;
  const double factor = other.pcie_bytes_per_second / gpu.pcie_bytes_per_second;
  return ShapeTimes{times->grid.scaled(factor), TimeSource::roofline, times->outside};
}

}  // namespace headway
