// An operator's time from the data sheet's peak rates with stated efficiencies (Williams, Waterman,
// Patterson: Roofline, CACM 52(4), 2009), for what no measured profile covers.
#pragma once

#include "models/operators.hpp"

namespace headway {

/// Time of one repeat of an operator, by parts.
struct OperatorTime {
  double fixed_seconds = 0;    // launch and ramp-up of the kernel, or latency of the link
  double compute_seconds = 0;  // flops / (peak · efficiency)
  double memory_seconds = 0;   // bytes / (peak · efficiency)
  double network_seconds = 0;  // bytes / (link · efficiency)

  bool compute_bound() const { return compute_seconds > memory_seconds; }
  /// fixed + max(compute, memory) + network.
  double total() const {
    return fixed_seconds + (compute_bound() ? compute_seconds : memory_seconds) + network_seconds;
  }
};

/// One repeat of the operator. Efficiencies and fixed times are the engine's; products of 2:4
/// sparse weights run at 1.3 times the rate of dense ones.
OperatorTime roofline_time(const Operator& op, const Gpu& gpu, const Engine& engine);

}  // namespace headway
