// Makes a profile from samples, and tells how well it predicts shapes that were held out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/sample.hpp"
#include "models/profile.hpp"

namespace headway {

struct ProfileRequest {
  std::string gpu;     // "h100-sxm": the start of the catalogue names that the profile is for
  std::string engine;  // "vllm-0.19.0"
  std::string format;  // of the products, and of the KV cache: "bf16", "fp8", …
  std::string date;
  std::optional<double> skew;  // α, see Profile::skew; absent: from the samples, else 0
  std::int64_t unsplit = 0;    // Profile::unsplit
  /// The products of the samples quantise their activations first, which the engine does in the
  /// norm before: what the smallest product takes beyond the same in bf16 is taken off all.
  bool fused_quantisation = false;
  /// Kernel, as a part of a variant's name, that the engine runs routed experts with once every
  /// expert is touched, where a shape was measured with another only: the larger of its own time
  /// and the kernel's in proportion from other shapes counts then. "": as measured.
  std::string expert_kernel;
};

/// A profile of the samples in the asked format. Where a shape was measured in several variants the
/// fastest counts (an engine picks its kernels so); of router distributions the most uneven one,
/// which real routers resemble most. Decodes of mixed batches that were
/// measured beside the shortest chunk alone count, in proportion, for longer chunks. Throws
/// CalibrationInputError when no sample has the format, and when the result would be larger than a
/// profile may be.
Profile make_profile(const std::vector<SampleFile>& files, const ProfileRequest& request);

/// One family from samples of one operator: times by shape over axes; rows without any time are
/// left out. A collective that took more than twice as long as one of more bytes was held up and
/// does not count; gaps on the one axis of a family are filled in a straight line. Empty when there
/// are no samples.
ProfileFamily make_family(const std::vector<Sample>& samples, const std::string& op,
                          const std::string& format);

/// Predicts each row of a family from the others (operators with one row: each inner point from its
/// neighbours), and compares with what was measured; shapes beyond the others are left out.
HeldOutError held_out_error(const ProfileFamily& family, const std::string& format);

}  // namespace headway
