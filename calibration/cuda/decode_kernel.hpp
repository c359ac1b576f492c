// Attention of decoding sequences over a paged cache of keys and values: one query a sequence and
// head, the keys of a sequence split over blocks, and a pass that combines them (Flash-Decoding).
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace headway {

constexpr std::int64_t kPageKeys = 16;      // keys of a page, as engines have by default
constexpr std::int64_t kHeadsTogether = 8;  // query heads that read a KV head's keys once
constexpr std::int64_t kWarpsOfDecode = 4;  // that share the pages of a split in turn

/// One launch. Pointers are to device memory; rows without padding.
struct DecodeArguments {
  const void* q = nullptr;                 // bf16 [batch][heads][head_dim]
  const void* k = nullptr;                 // [page][16][kv_heads][head_dim], bf16 or fp8 (e4m3)
  const void* v = nullptr;                 // the same
  const std::int32_t* table = nullptr;     // pages of a sequence: [batch][table_width]
  const std::int32_t* contexts = nullptr;  // keys of a sequence: [batch]
  void* out = nullptr;                     // bf16 [batch][heads][head_dim]
  float* partial = nullptr;    // [splits][batch][heads][head_dim]; with one split unused
  float* logarithm = nullptr;  // [splits][batch][heads]; the same
  std::int32_t batch = 0, heads = 0, kv_heads = 0, head_dim = 0;
  std::int32_t window = 0;  // keys that a query sees; 0: all
  std::int32_t table_width = 0;
  std::int32_t splits = 1, pages_per_split = 0;
  bool fp8 = false;
};

/// Head dimensions that there are kernels for: 64, 128, 256.
bool decode_head_dim(std::int64_t head_dim);

/// Blocks of the kernel that a multiprocessor holds at once.
std::int32_t decode_blocks_per_multiprocessor(std::int64_t head_dim, bool fp8);

/// Enqueues it. Softmax over q · k / sqrt(head_dim), in float.
void launch_decode(cudaStream_t stream, const DecodeArguments& arguments);

}  // namespace headway
