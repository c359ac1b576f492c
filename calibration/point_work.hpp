// What a point leaves open, settled the same way for every backend: the contexts of unequal
// sequences, and the experts that tokens go to.
#pragma once

#include <cstdint>
#include <vector>

#include "calibration/sample.hpp"

namespace headway {

/// Keys that each of the `batch` decoding sequences of a point reads: `context` each; or, where
/// `longest` is given, one of that length and the others alike, so that the mean is `context`
/// (rounded). Throws PointError unsupported where no such lengths exist.
std::vector<std::int64_t> decode_contexts(const OperatorPoint& point);

/// A routed pair: token and expert.
struct ExpertVisit {
  std::int32_t token = 0, expert = 0;
};

/// Visits of a MoE point to the experts of this GPU, the first experts / expert_parallel ones, in
/// order of expert, then token. `touched` 0: each token draws `topk` experts at random without
/// repetition, the same in every run; else the tokens take the first `touched` experts in turn.
/// Throws PointError unsupported for more experts a token than there are to choose from, or experts
/// that expert_parallel does not divide.
std::vector<ExpertVisit> expert_visits(const OperatorPoint& point);

}  // namespace headway
