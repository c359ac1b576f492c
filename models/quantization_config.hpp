// What a published checkpoint says of its number formats: quantization_config of a Hugging Face
// config.json.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/precision.hpp"

namespace headway {

/// The formats of a quantised checkpoint, or why they are not known.
struct CheckpointFormat {
  std::string method;   // quant_method, as it stands: "compressed-tensors"
  std::string unknown;  // why the formats are not known; empty: they are
  NumberFormat weights = NumberFormat::bf16;
  std::optional<NumberFormat> activations;  // absent: what goes with the weights on the GPU
  std::optional<NumberFormat> kv;           // of the cache; absent: not quantised
  Sparsity sparsity = Sparsity::none;       // compressed-tensors' sparsity_config
};

/// Methods that are read: "fp8", "fbgemm_fp8", "awq", "gptq", "compressed-tensors", "mxfp4",
/// "modelopt".
const std::vector<std::string>& quantization_methods();

/// Reads the object under quantization_config. One of another method, or of bits that no
/// NumberFormat has, gives `unknown` in words, which name what was found and what was expected:
/// such a model can be served with formats that a scenario states.
/// Forms: docs of transformers (FP8, AWQ, GPTQ), compressed-tensors' QuantizationConfig, NVIDIA
/// ModelOpt's hf_quant_config.
CheckpointFormat read_quantization_config(const nlohmann::json& config);

}  // namespace headway
