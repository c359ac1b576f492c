// Collectives over the cards of this machine by NCCL, all of them driven by this process.
#pragma once

#include <nccl.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "calibration/cuda/cuda_operator.hpp"

namespace headway {

/// Cards that exchange messages: the one that is measured is rank 0.
class NcclGroup {
 public:
  /// `first` and the `count` - 1 cards after it, in turn, of the `devices` there are. Throws
  /// PointError unsupported where NCCL cannot connect them, CalibrationFailure, DeviceLost.
  NcclGroup(CudaGpu& first, int count, int devices);
  NcclGroup(const NcclGroup&) = delete;
  NcclGroup& operator=(const NcclGroup&) = delete;
  ~NcclGroup();

  int count() const { return static_cast<int>(ranks_.size()); }
  CudaGpu& rank(int index) const { return *ranks_[static_cast<std::size_t>(index)]; }
  ncclComm_t connection(int index) const { return connections_[static_cast<std::size_t>(index)]; }

 private:
  std::vector<std::unique_ptr<CudaGpu>> others_;
  std::vector<CudaGpu*> ranks_;
  std::vector<ncclComm_t> connections_;
};

/// all_reduce, all_gather, reduce_scatter or all_to_all of the point over the group, in bf16.
/// Throws PointError unsupported for a message that does not divide among the cards.
std::unique_ptr<CudaOperator> make_nccl_collective(NcclGroup& group, const OperatorPoint& point,
                                                   double limit);

}  // namespace headway
