// The kernel tables of aiconfigurator (github.com/ai-dynamo/aiconfigurator): CSV, often gzip, one
// row a kernel call, `latency` in milliseconds.
#pragma once

#include "calibration/import/csv_table.hpp"
#include "calibration/import/kernel_table.hpp"

namespace headway {

/// Whether the header is one of these tables.
bool is_aiconfigurator(const CsvTable& csv);

/// Reads the table. What a row means:
/// - gemm, context and generation attention: the engine chooses the kernel by shape, no shape has
///   two, so the samples name none. A generation step reads `step` cached keys and its own.
/// - mla_…_module: a layer's latent attention with its projections; context_mla, generation_mla:
///   the attention kernel alone.
/// - moe: `inter_size` is the model's; a GPU has 1/moe_tp_size of each expert's width and
///   1/moe_ep_size of the experts. variant: kernel/distribution.
/// - collectives: `message_size` counts elements of the whole message, also NCCL's: read as bytes,
///   eight H100 would reduce at 222 GB/s where their links carry 450 GB/s each way, and NCCL's int8
///   rows, half as long as its half rows, would not be. variant: NCCL's version or the backend.
KernelTable read_aiconfigurator(CsvTable& csv);

}  // namespace headway
