// Placements of catalogue entries, for tests.
#pragma once

#include <memory>
#include <string>

#include "models/catalog.hpp"
#include "models/placement.hpp"
#include "models/profile_cost.hpp"

namespace headway {

inline Placement place(const std::string& model, const std::string& gpu, std::int32_t tensor = 1,
                       const std::string& engine = "vllm-0.19") {
  Placement placement;
  placement.architecture = load_model(model);
  placement.gpu = load_gpu(gpu);
  placement.engine = load_engine(engine);
  placement.parallel.tensor = tensor;
  return placement;
}

/// Why check_placement refuses it; empty: it does not.
inline std::string refusal(const Placement& placement) {
  try {
    check_placement(placement);
  } catch (const PlacementError& error) {
    return error.what();
  }
  return "";
}

/// Steps by the data sheet alone.
inline std::unique_ptr<StepCost> make_roofline_cost(const Placement& placement) {
  return make_cost_of_profiles(placement, KernelProfiles());
}

inline StepShape decode_shape(std::int32_t sequences, std::int64_t context) {
  StepShape shape;
  shape.decode_sequences = sequences;
  shape.decode_context = sequences * context;
  shape.decode_context_longest = context;
  shape.sampled = sequences;
  return shape;
}

/// A step of one prompt chunk with nothing before it, whose last token is sampled.
inline StepShape prefill_shape(std::int64_t tokens) {
  StepShape shape;
  shape.prefill_tokens = tokens;
  shape.prefill_pairs = tokens * (tokens + 1) / 2;
  shape.prefill_sequences = 1;
  shape.sampled = 1;
  return shape;
}

}  // namespace headway
