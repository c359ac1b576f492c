#include "models/precision.hpp"

namespace headway {
namespace {

constexpr NumberFormat kFormats[] = {NumberFormat::bf16, NumberFormat::fp16, NumberFormat::fp8,
                                     NumberFormat::int8, NumberFormat::int4, NumberFormat::fp4,
                                     NumberFormat::mxfp4};

}  // namespace

const char* number_format_name(NumberFormat format) {
  switch (format) {
    case NumberFormat::bf16:
      return "bf16";
    case NumberFormat::fp16:
      return "fp16";
    case NumberFormat::fp8:
      return "fp8";
    case NumberFormat::int8:
      return "int8";
    case NumberFormat::int4:
      return "int4";
    case NumberFormat::fp4:
      return "fp4";
    case NumberFormat::mxfp4:
      return "mxfp4";
  }
  return "?";
}

std::vector<std::string> number_format_names() {
  std::vector<std::string> names;
  for (NumberFormat format : kFormats) names.emplace_back(number_format_name(format));
  return names;
}

std::optional<NumberFormat> parse_number_format(std::string_view name) {
  for (NumberFormat format : kFormats) {
    if (name == number_format_name(format)) return format;
  }
  return std::nullopt;
}

double bytes(NumberFormat format) {
  switch (format) {
    case NumberFormat::bf16:
    case NumberFormat::fp16:
      return 2;
    case NumberFormat::fp8:
    case NumberFormat::int8:
      return 1;
    case NumberFormat::int4:
    case NumberFormat::fp4:
    case NumberFormat::mxfp4:
      return 0.5;
  }
  return 2;
}

double weight_bytes(NumberFormat format) {
  switch (format) {
    case NumberFormat::int4:
      return 0.5 + 2.0 / 128;
    case NumberFormat::fp4:
      return 0.5 + 1.0 / 16;
    case NumberFormat::mxfp4:
      return 0.5 + 1.0 / 32;
    default:
      return bytes(format);
  }
}

double weight_bytes(const Precision& precision) {
  const double dense = weight_bytes(precision.weights);
  constexpr double kPlace = 2.0 / 8;  // bytes
  return precision.sparsity == Sparsity::two_of_four ? (dense + kPlace) / 2 : dense;
}

NumberFormat default_activations(NumberFormat weights) {
  const bool weight_only = weights == NumberFormat::int4 || weights == NumberFormat::mxfp4;
  return weight_only ? NumberFormat::bf16 : weights;
}

}  // namespace headway
