#include "models/roofline.hpp"

#include <algorithm>

namespace headway {
namespace {

/// Rate of 2:4 sparse products over that of dense ones, of which the hardware has 2. Stated: the
/// middle of 1.26 to 1.39, measured in fp8 with CUTLASS on an H100 (pytorch/ao, pull request 2012:
/// both products of an MLP of 8192 x 8192).
constexpr double kSparseGain = 1.3;

bool sixteen_bits(NumberFormat format) {
  return bytes(format) == 2;
}

/// A collective between nodes starts like one inside, takes its hops, and sends over the adapters.
OperatorTime between_nodes(const Operator& op, const Gpu& gpu, const Engine& engine) {
  OperatorTime time;
  time.fixed_seconds = (gpu.nvlink_bytes_per_second > 0 ? engine.nvlink_latency_seconds
                                                        : engine.pcie_latency_seconds) +
                       op.hops * gpu.network_latency_seconds;
  time.network_seconds = op.network_bytes / (gpu.network_bytes_per_second * engine.link_efficiency);
  return time;
}

}  // namespace

OperatorTime roofline_time(const Operator& op, const Gpu& gpu, const Engine& engine) {
  OperatorTime time;
  double compute = engine.compute_efficiency;
  double bandwidth = engine.bandwidth_efficiency;
  switch (op.kind) {
    case OperatorKind::gemm:
    case OperatorKind::expert_gemm:
      time.fixed_seconds = engine.kernel_seconds;
      if (!sixteen_bits(op.format)) compute = engine.quantised_compute_efficiency;
      if (op.weight_only) {
        compute = engine.compute_efficiency;
        if (engine.weight_only_flops > 0) {
          compute = std::min(compute, engine.weight_only_flops / gpu.flops(op.format));
        }
      }
      if (op.sparse) compute *= kSparseGain;
      break;
    case OperatorKind::attention_prefill:
    case OperatorKind::attention_decode:
      time.fixed_seconds = engine.attention_kernel_seconds;
      compute = engine.attention_compute_efficiency;
      bandwidth = engine.attention_bandwidth_efficiency;
      break;
    case OperatorKind::elementwise:
      time.fixed_seconds = engine.kernel_seconds;
      break;
    case OperatorKind::all_reduce:
    case OperatorKind::all_gather:
    case OperatorKind::reduce_scatter:
    case OperatorKind::send:
      if (op.hops > 0) return between_nodes(op, gpu, engine);
      time.fixed_seconds = gpu.nvlink_bytes_per_second > 0 ? engine.nvlink_latency_seconds
                                                           : engine.pcie_latency_seconds;
      time.network_seconds =
          op.network_bytes /
          (gpu.link_bytes_per_second() *
           (gpu.collective_efficiency > 0 ? gpu.collective_efficiency : engine.link_efficiency));
      return time;
  }
  if (op.flops > 0) time.compute_seconds = op.flops / (gpu.flops(op.format) * compute);
  time.memory_seconds = op.memory_bytes / (gpu.hbm_bytes_per_second * bandwidth);
  return time;
}

}  // namespace headway
