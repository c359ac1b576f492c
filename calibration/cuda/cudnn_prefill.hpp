// Attention of prompts by cuDNN's fused kernel, described through its graph interface.
#pragma once

#include <cudnn_graph.h>

#include <compare>
#include <cstdint>

#include "calibration/cuda/cudnn_descriptor.hpp"

namespace headway {

/// `batch` chunks of `chunk` queries, each after `prefix` keys; a query sees the keys up to its own
/// position, the last `window` of them where that is over 0. Data in bf16.
struct PrefillShape {
  std::int64_t batch = 1, heads = 1, kv_heads = 1, head_dim = 128;
  std::int64_t chunk = 1, prefix = 0, window = 0;
  std::int64_t keys() const { return prefix + chunk; }
  auto operator<=>(const PrefillShape&) const = default;
};

class CudnnPrefill {
 public:
  /// Chooses and compiles a kernel for the handle's card. Throws PointError unsupported where there
  /// is none.
  CudnnPrefill(const PrefillShape& shape, cudnnHandle_t handle);

  /// Bytes of scratch memory that launch() needs.
  std::int64_t workspace_bytes() const { return workspace_bytes_; }

  /// Enqueues one run on the handle's stream. q and out: [batch][chunk][heads][head_dim]; k and v:
  /// [batch][prefix + chunk][kv_heads][head_dim].
  void launch(cudnnHandle_t handle, const void* q, const void* k, const void* v, void* out,
              void* workspace) const;

 private:
  CudnnDescriptor plan_;
  std::int64_t workspace_bytes_ = 0;
  float scale_ = 1;
  std::int32_t chunk_ = 0, keys_ = 0, window_ = 0;
};

}  // namespace headway
