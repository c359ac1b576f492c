// What unequal contexts cost, from the samples that measured it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/sample.hpp"
#include "models/profile.hpp"

namespace headway {

struct SkewFit {
  double alpha = 0;       // Profile::skew, within 0 to 1
  HeldOutError held_out;  // "attention_decode_skew": each point by the α of the others; the error
                          // of its time
};

/// α from decodes whose contexts differ (OperatorPoint::longest above its context), by least
/// squares of the relative error of their times, given the profile's times of equal contexts:
/// T(mean), and T(longest) where that many keys were measured. Nothing where fewer than two points
/// tell it.
std::optional<SkewFit> fit_skew(const std::vector<Sample>& samples, const ProfileFamily& decode,
                                const std::string& format);

}  // namespace headway
