// One measured operator time, and a file of them: JSON lines, a header first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headway {

/// What was run: an operator of an engine step with its shape, on one GPU of a replica. Dimensions
/// that the operator does not have are 0. Operators and the dimensions that they have:
///   gemm               m n k                 tokens × [k → n], weights in `format`
///   attention_prefill  heads kv_heads head_dim window batch chunk prefix
///                                            `batch` chunks of `chunk` queries after `prefix` keys
///   attention_decode   heads kv_heads head_dim window batch context longest
///                                            `batch` sequences that read `context` keys on
///                                            average; `longest` 0: all the same, else the longest
///                                            of them
///   attention_mixed    heads kv_heads head_dim window chunk prefix batch context
///                                            one chunk and `batch` decodes, the time of both
///   mla_prefill        heads batch chunk prefix      DeepSeek's latent attention, with projections
///   mla_decode         heads batch context
///   mla_prefill_kernel mla_decode_kernel     the same without projections
///   norm activation rotary embedding         tokens width
///   sampler            batch width           sequences, vocabulary
///   moe                tokens hidden inner experts topk expert_parallel touched
///                                            routed experts of one layer; `inner` is this GPU's
///                                            share; `touched` 0: drawn as `distribution` says
///   all_reduce all_gather reduce_scatter all_to_all   gpus bytes     bytes: of the whole message
///   copy               bytes                 device memory to device memory, read and write apart
struct OperatorPoint {
  std::string op;
  std::string format;   // of the product or the data: bf16 fp16 fp8 fp8_block int8 int8_wo (weights
                        // only) int4 mxfp4 fp4; on CPUs fp32
  std::string kv;       // of the KV cache, attention only
  std::string variant;  // kernel, router distribution or backend where a table has several; or ""
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t heads = 0, kv_heads = 0, head_dim = 0, window = 0;
  std::int64_t batch = 0, chunk = 0, prefix = 0, context = 0, longest = 0;
  std::int64_t tokens = 0, width = 0;
  std::int64_t hidden = 0, inner = 0, experts = 0, topk = 0, expert_parallel = 0, touched = 0;
  std::int64_t gpus = 0, bytes = 0;

  bool operator==(const OperatorPoint&) const = default;
};

/// A measured time: the median of `repeats` runs.
struct Sample {
  OperatorPoint point;
  double seconds = 0;         // > 0
  double spread_seconds = 0;  // half the width of a 95 % interval of the median; 0: not known
  std::int32_t repeats = 0;   // 0: not known
  double clock_hz = 0;        // of the multiprocessors while it ran; 0: not known
};

/// What was measured where: the first line of a samples file.
struct SampleHeader {
  std::string gpu;     // catalogue name, "h100-sxm-80gb"; "cpu"
  std::string device;  // as the driver names it
  std::string engine;  // whose kernels: "vllm 0.19.0", "headway"
  std::string driver;  // versions of driver and libraries, free text
  std::string source;  // provenance: a public table with its revision, or the command that ran
  std::string date;    // "2026-11-30", when measured, or ""
};

struct SampleFile {
  SampleHeader header;
  std::vector<Sample> samples;
};

}  // namespace headway
