// The layer tables of LLMServingSim (github.com/casys-kaist/LLMServingSim): CSV, times in
// microseconds, one file a kind of layer, in the folder of a model, precision and tensor size.
#pragma once

#include "calibration/import/csv_table.hpp"
#include "calibration/import/kernel_table.hpp"

namespace headway {

/// Whether the header is one of these tables.
bool is_llmservingsim(const CsvTable& csv);

/// Reads the table. The tables name layers, not shapes: those follow from the model and the tensor
/// size. Where no tensor size was given, a folder named tpN tells it. Precision, engine version,
/// device and date come from meta.yaml beside the folder, where it is.
/// - dense.csv: projections are gemm; layernorm, final_layernorm and qk_norm are norm (qk_norm was
///   measured over all heads for every tensor size); act_fn is activation.
/// - attention.csv: a row without a chunk is attention_decode, without decodes attention_prefill,
///   else attention_mixed.
/// - per_sequence.csv: lm_head is gemm over this GPU's part of the vocabulary; sampler, measured
/// over
///   the whole vocabulary for every tensor size.
/// - moe.csv: `touched` experts are those activated.
KernelTable read_llmservingsim(CsvTable& csv, const LayerModel& model);

}  // namespace headway
