// Number formats of weights, activations and KV cache.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headway {

enum class NumberFormat { bf16, fp16, fp8, int8, int4, fp4, mxfp4 };

/// "bf16", "fp16", "fp8", "int8", "int4", "fp4", "mxfp4".
const char* number_format_name(NumberFormat format);
std::vector<std::string> number_format_names();

/// The format of that name; nothing for any other text.
std::optional<NumberFormat> parse_number_format(std::string_view name);

/// Bytes of one element, without scales: 2, 1 or 0.5.
double bytes(NumberFormat format);

/// Bytes that one quantised weight takes with its scales. int4 carries a 16-bit scale per group of
/// 128 (GPTQ, AWQ), fp4 an 8-bit scale per 16 (NVFP4), mxfp4 one per 32 (OCP MX); fp8 and int8 have
/// scales per channel or tensor, which are too few to count.
double weight_bytes(NumberFormat format);

/// Which weights are zero.
enum class Sparsity {
  none,        // none that anybody counts on
  two_of_four  // two of every four neighbours, which sparse matrix units skip (arXiv 2104.08378)
};

/// Formats of a deployment. Weights are those of the linear layers; embeddings, LM head, norms and
/// MoE router stay in 16 bits, as in published quantised checkpoints.
struct Precision {
  NumberFormat weights = NumberFormat::bf16;
  /// What the matrix units multiply. Absent: see compute_format(placement).
  std::optional<NumberFormat> activations;
  /// Keys and values in the cache: bf16, fp16, fp8 or int8.
  NumberFormat kv = NumberFormat::bf16;
  Sparsity sparsity = Sparsity::none;  // of the linear layers' weights
};

/// Bytes that one weight of the linear layers takes. Of 2:4 sparse ones half are stored, each with
/// 2 bits for its place among four: 9/16 of 16 bits, 5/8 of 8.
double weight_bytes(const Precision& precision);

/// The activation format that goes with a weight format where nothing else is said: fp8, int8 and
/// fp4 weights multiply activations of the same format; int4 and mxfp4 are weight-only and multiply
/// bf16.
NumberFormat default_activations(NumberFormat weights);

}  // namespace headway
