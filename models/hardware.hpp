// A GPU: peak rates of its data sheet, memory, links, power.
#pragma once

#include <cstdint>
#include <string>

#include "models/precision.hpp"

namespace headway {

struct Gpu {
  std::string name;                 // catalogue name: "h100-sxm-80gb"
  double memory_bytes = 0;          // total memory as CUDA reports it, a little below the label's
  double hbm_bytes_per_second = 0;  // peak bandwidth of the device memory, HBM or GDDR
  double half_flops = 0;            // dense FLOP/s of bf16 and fp16 with fp32 accumulation
  double fp8_flops = 0;             // dense FLOP/s, 0 = the GPU has no such units
  double int8_flops = 0;            // dense operations/s, 0 = none
  double int4_flops = 0;            // dense operations/s, 0 = none
  double fp4_flops = 0;             // dense FLOP/s, 0 = none
  bool sparse_2_4 = false;          // matrix units skip the zeros of 2:4 sparse weights, at up to
                                    // twice the dense rates of 16 and 8 bits
  double nvlink_bytes_per_second = 0;  // one way per GPU, 0 = no NVLink: GPUs talk over PCIe
  double pcie_bytes_per_second = 0;    // one way per GPU
  double collective_efficiency = 0;    // share of the link that collectives reach, 0 = as the
                                       // engine's: of cards that cannot reach each other's memory
  std::int32_t gpus_per_node = 8;
  double network_bytes_per_second = 0;  // between nodes, one way per GPU, 0 = none is known
  double network_latency_seconds = 0;   // of one hop between nodes, as a collective sees it
  double power_watts = 0;               // board power limit
  std::string source;                   // where the figures come from

  /// Dense peak rate of a format; 0 = not supported.
  double flops(NumberFormat format) const;

  /// What collectives inside a node run over, bytes/s one way per GPU.
  double link_bytes_per_second() const {
    return nvlink_bytes_per_second > 0 ? nvlink_bytes_per_second : pcie_bytes_per_second;
  }
};

}  // namespace headway
