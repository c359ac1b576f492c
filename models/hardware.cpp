#include "models/hardware.hpp"

namespace headway {

double Gpu::flops(NumberFormat format) const {
  switch (format) {
    case NumberFormat::bf16:
    case NumberFormat::fp16:
      return half_flops;
    case NumberFormat::fp8:
      return fp8_flops;
    case NumberFormat::int8:
      return int8_flops;
    case NumberFormat::int4:
      return int4_flops;
    case NumberFormat::fp4:
    case NumberFormat::mxfp4:
      return fp4_flops;
  }
  return 0;
}

}  // namespace headway
