// A serving engine: what its host code costs, what memory it keeps, how near its kernels come to
// the data sheet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headway {

/// What gpu_memory_utilization is a share of in an engine's own sum.
enum class UtilizationOf {
  memory,         // the GPU's memory: vLLM's gpu_memory_utilization
  free_at_start,  // what is free before the weights, and activations lie in the rest: SGLang's
                  // mem_fraction_static
  free_at_peak    // what weights and the largest step leave: TensorRT-LLM's
                  // free_gpu_memory_fraction
};

/// What an engine leaves free of a GPU's memory where nobody sets gpu_memory_utilization: SGLang's
/// rule (server_args.py of 0.5). All 0: it has no such rule.
struct MemoryReserve {
  double fixed_bytes = 0;
  double bytes_per_token = 0;        // × max_num_batched_tokens, at least 2,048
  double bytes_per_sequence = 0;     // × sequences of the largest CUDA graph
  std::int32_t graph_sequences = 0;  // most sequences of a graph; max_num_seqs if those are fewer
  double bytes_per_gpu = 0;          // × GPUs of tensor and pipeline
  double least_bytes = 0;            // on a GPU of more than 60 GiB
  bool any() const {
    return fixed_bytes + bytes_per_token + bytes_per_sequence + bytes_per_gpu + least_bytes > 0;
  }
};

struct Engine {
  std::string name;     // catalogue name: "vllm-0.19"; of a file of the user's, its own without
                        // the ending
  std::string kernels;  // catalogue name of the engine whose kernels it runs; empty: its own
  const std::string& kernels_of() const { return kernels.empty() ? name : kernels; }

  // Decodes run in CUDA graphs of 1, 2, 4 and this many sequences, and of its multiples: others are
  // filled up, and kernels chosen for what they are filled up to. 1: none is.
  std::int32_t graph_sequences_multiple = 1;
  // Steps of more tokens, or of more than twice max_num_seqs, run without CUDA graphs, prompts or
  // not. 0: not known, all are taken to run in graphs.
  std::int32_t graph_tokens = 0;

  // Host time. Step, sequence and prefill-token overheads belong to the step cost; the request
  // overhead is paid once a request, before its first token (HTTP, tokenising, scheduling).
  bool asynchronous = false;  // true: the host prepares the next step while the GPU works, and a
                              // step lasts max(GPU, host); false: GPU + host
  double step_overhead_seconds = 0;           // every step
  double sequence_overhead_seconds = 0;       // × sequences in the step
  double prefill_token_overhead_seconds = 0;  // × prefill tokens in the step
  double mixed_layer_overhead_seconds = 0;    // × layers of a step with prefill tokens: launches
                                              // that no CUDA graph holds
  double mixed_expert_overhead_seconds = 0;  // the same × layers with experts that are expanded on
                                             // the way (weight-only), whose kernels more is asked
                                             // for: Triton's are launched from Python
  double device_step_overhead_seconds = 0;   // every step, on the GPU: inputs prepared, tokens
                                             // gathered and copied; not hidden by anything
  double eager_step_overhead_seconds = 0;    // every step that no CUDA graph holds, on the GPU,
                                             // which waits for launches; not hidden by anything
  double request_overhead_seconds = 0;       // once a request, part of TTFT
  double idle_overhead_seconds = 0;  // of continuous batching: from a request that finds the engine
                                     // idle to its first step: processes and clocks that wake up

  // Device memory that is neither weights nor KV blocks.
  double sampler_bytes_per_logit = 10;      // peak while it samples max_num_seqs sequences: logits
                                            // in 16 and 32 bits, and what sorts them
  double memory_overhead_bytes = 0;         // CUDA context, library workspaces
  double communication_overhead_bytes = 0;  // collective buffers, when a replica has several GPUs
  double pcie_communication_overhead_bytes = 0;  // the same of GPUs without NVLink
  UtilizationOf utilization_of = UtilizationOf::memory;
  MemoryReserve reserve;  // says gpu_memory_utilization where a scenario has none; without: 0.9

  // Start-up of a replica beside its weights (models/start_up.hpp); all 0: not known.
  double start_process_seconds = 0;  // interpreter, imports, devices, process groups
  double start_compile_seconds = 0;  // compilation for the model, with nothing cached
  double start_capture_seconds = 0;  // CUDA graphs and warm-up
  bool start_up_known() const {
    return start_process_seconds + start_compile_seconds + start_capture_seconds > 0;
  }

  // What its kernels for experts in 4-bit floats, on cards with units for them, round up to.
  std::int32_t fp4_hidden_multiple = 1;  // rows and columns that meet the residual stream
  std::int32_t fp4_inner_multiple = 1;   // those between the two products, of one GPU

  // The roofline's stated efficiencies, in (0, 1]: share of the data sheet's peak that kernels
  // reach on large shapes; and the fixed times that dominate small ones.
  double compute_efficiency = 1;            // matrix products in 16 bits
  double quantised_compute_efficiency = 1;  // matrix products in 8 and 4 bits
  double weight_only_compute_efficiency =
      1;                         // 16-bit products of weights that are expanded on the way
  double weight_only_flops = 0;  // most FLOP/s of products whose weights are expanded
                                 // on the way, 0 = no limit but the efficiency
  double attention_compute_efficiency = 1;    // fused attention over prompts
  double bandwidth_efficiency = 1;            // streaming weights and activations
  double attention_bandwidth_efficiency = 1;  // reading the paged KV cache
  double link_efficiency = 1;                 // large collectives, of NVLink or PCIe
  double kernel_seconds = 0;                  // one kernel: launch, ramp-up, tail
  double attention_kernel_seconds = 0;        // the same of an attention kernel
  double nvlink_latency_seconds = 0;          // the α of an all-reduce or a send over NVLink
  double pcie_latency_seconds = 0;            // the same over PCIe

  std::vector<std::string> fitted_on;  // rows of the measured table that constants were fitted on
  std::string source;                  // where the figures come from
};

}  // namespace headway
