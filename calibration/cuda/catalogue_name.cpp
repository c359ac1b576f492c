#include "calibration/cuda/catalogue_name.hpp"

#include <string_view>

namespace headway {

namespace {

struct KnownCard {
  std::string_view driver;  // how the driver's name begins, without "NVIDIA "
  const char* catalogue;
};

// As `nvidia-smi -L` prints them; longer beginnings before shorter ones.
constexpr KnownCard kCards[] = {
    {"A100-SXM4-40GB", "a100-sxm-40gb"},
    {"A100-SXM4-80GB", "a100-sxm-80gb"},
    {"A100-SXM-80GB", "a100-sxm-80gb"},
    {"A100-PCIE-40GB", "a100-pcie-40gb"},
    {"A100 80GB PCIe", "a100-pcie-80gb"},
    {"A10G", "a10g-24gb"},
    {"H100 80GB HBM3", "h100-sxm-80gb"},
    {"H100 PCIe", "h100-pcie-80gb"},
    {"H100 NVL", "h100-nvl-94gb"},
    {"H200 NVL", ""},
    {"H200", "h200-sxm-141gb"},
    {"GB200", "gb200-186gb"},
    {"B200", "b200-sxm-180gb"},
    {"L40S", "l40s-48gb"},
    {"L40", ""},
    {"L4", "l4-24gb"},
    {"GeForce RTX 4090 ", ""},
    {"GeForce RTX 4090", "rtx-4090-24gb"},
    {"GeForce RTX 5090 ", ""},
    {"GeForce RTX 5090", "rtx-5090-32gb"},
    {"RTX PRO 6000 Blackwell Max-Q", ""},
    {"RTX PRO 6000 Blackwell", "rtx-pro-6000-96gb"},
};

}  // namespace

std::string catalogue_gpu_name(const std::string& driver_name) {
  std::string_view name = driver_name;
  if (name.starts_with("NVIDIA ")) name.remove_prefix(7);
  for (const KnownCard& card : kCards)
    if (name.starts_with(card.driver)) return card.catalogue;
  return "";
}

}  // namespace headway
