// The names that public result tables use, as entries of the catalogue.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/precision.hpp"

namespace headway {

/// The catalogue's model for "LLaMA v3.1 8B", "Llama-2-7b-hf" and the like; a catalogue name or a
/// path to a config.json stands for itself. Empty: none.
std::string catalogue_model(const std::string& name);

/// The catalogue's GPU for "RTXPRO6000", "H200-SXM" and the like, also by its aliases. Empty: none.
std::string catalogue_gpu(const std::string& name);

/// The entry of the engine whose version is nearest: of `entries` "vllm-0.11", "vllm-0.15", … the
/// one for "vllm" and "0.15.1"; of two as near the newer. The oldest where the version is empty or
/// no number: it is then of unknown age. Empty: no entry of that engine.
std::string nearest_engine(const std::string& engine, const std::string& version,
                           const std::vector<std::string>& entries);

/// The weights' number format: "bf16", "fp16", "fp8", …; "fp4" of gpt-oss models, which are
/// published in it, is mxfp4. Nothing for any other text.
std::optional<NumberFormat> weight_format(const std::string& precision, const std::string& model);

}  // namespace headway
