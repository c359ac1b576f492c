#include "models/expert_stand_in.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/operators.hpp"
#include "models/roofline.hpp"
#include "models/rounded_up.hpp"

namespace headway {
namespace {

/// Both products of the experts for so many tokens, without launches.
struct Products {
  double compute = 0, seconds = 0;
};

Products products(const Placement& placement, const Engine& engine, std::int64_t tokens) {
  std::vector<Operator> operators;
  list_expert_operators(placement, tokens, operators);
  Products sum;
  for (const Operator& op : operators) {
    if (op.kind != OperatorKind::expert_gemm) continue;
    const OperatorTime time = roofline_time(op, placement.gpu, engine);
    sum.compute += time.compute_seconds;
    sum.seconds += time.total() - time.fixed_seconds;
  }
  return sum;
}

/// With the sizes that the engine's kernel multiplies.
Placement as_multiplied(Placement placement) {
  const NumberFormat weights = placement.precision.weights;
  const bool fp4 = weights == NumberFormat::fp4 || weights == NumberFormat::mxfp4;
  if (!fp4 || placement.gpu.flops(NumberFormat::fp4) == 0) return placement;
  Architecture& a = placement.architecture;
  const Engine& engine = placement.engine;
  const std::int32_t slices =
      std::max(1, placement.parallel.stage_gpus() / std::max(1, placement.parallel.expert));
  const std::int64_t inner = std::max(1, a.moe_intermediate / slices);
  a.moe_intermediate =
      static_cast<std::int32_t>(rounded_up(inner, engine.fp4_inner_multiple) * slices);
  a.hidden = static_cast<std::int32_t>(rounded_up(a.hidden, engine.fp4_hidden_multiple));
  return placement;
}

}  // namespace

ShapeTimes expert_stand_in(const Placement& placement, const Gpu& measured_on,
                           const ProfileFamily& family, const ShapeTimes& times) {
  const Architecture& a = placement.architecture;
  const Engine& own = placement.engine;
  Engine engine = own;
  engine.weight_only_flops = 0;  // how weights are expanded is in the measured times
  const Placement here = as_multiplied(placement);
  Placement there = placement;
  const bool other_card = measured_on.name != placement.gpu.name;
  if (other_card) {
    there.gpu = measured_on;
    there.precision.activations.reset();  // as its kernel multiplies
  }
  const auto at = [&times](double tokens) { return times.grid.at(tokens).seconds; };

  const double all_touched = 4.0 * a.experts / a.experts_per_token;
  const double reading = products(here, engine, static_cast<std::int64_t>(all_touched)).seconds;
  // One token touches exactly its experts, and of whole experts the fullest GPU reads one at least;
  // what it takes beyond them does not read.
  const double of_one =
      std::max<double>(a.experts_per_token, placement.parallel.expert) / a.experts;
  // Inputs quantised, routing, two products, their sum.
  double launches = 5 * own.kernel_seconds;
  if (!other_card && of_one < 1)
    launches = std::max(launches, (at(1) - of_one * at(all_touched)) / (1 - of_one));

  std::vector<double> seconds;
  for (const double tokens : family.axes[0]) {
    const double touched = uneven_experts_touched(a.experts, a.experts_per_token, tokens);
    double products_take = reading * std::clamp(touched / a.experts, std::min(of_one, 1.0), 1.0);
    if (tokens > all_touched) {
      const auto count = static_cast<std::int64_t>(tokens);
      const Products all = products(here, engine, count);
      const double added = std::max(0.0, at(tokens) - at(all_touched));
      products_take =
          std::max(all.compute,
                   products_take + added * all.seconds / products(there, engine, count).seconds);
    }
    // A dip of the measured times, where a kernel changes, is not this one's.
    const double before = seconds.empty() ? 0 : seconds.back();
    seconds.push_back(std::max(before, launches + products_take));
  }
  return {family.grid(seconds), TimeSource::roofline, false};
}

}  // namespace headway
