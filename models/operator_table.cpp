#include "models/operator_table.hpp"

#include <algorithm>
#include <string_view>

#include "models/fixed_point.hpp"
#include "models/operator_times.hpp"
#include "models/roofline.hpp"

namespace headway {
namespace {

/// Entries that are kept; a step of more tokens is priced operator by operator.
constexpr std::int64_t kLargestTable = 65536;

}  // namespace

void PricedSeconds::add(const PricedSeconds& other, double count) {
  compute += count * other.compute;
  memory += count * other.memory;
  network += count * other.network;
  launch += count * other.launch;
  for (int i = 0; i < 3; ++i) by_source[i] += count * other.by_source[i];
  outside += count * other.outside;
}

OperatorTable::OperatorTable(const Placement& placement, const KernelProfiles& profiles, Of of,
                             std::int64_t most)
    : placement_(placement), of_(of), most_in_graphs_(most_in_graphs(placement)) {
  const OperatorTimes times(placement_, profiles);
  std::vector<Operator> operators;
  list(1, operators);
  for (const Operator& op : operators) {
    times_.push_back(times.find(op));
    eager_.push_back(times.find_eager(op));
    if (op.kind == OperatorKind::expert_gemm && times_.back()) experts_measured_ = true;
  }
  const std::int64_t last = std::min(most, kLargestTable);
  rows_.reserve(static_cast<std::size_t>(last) + 1);
  totals_.reserve(rows_.capacity());
  for (std::int64_t count = 0; count <= last; ++count) {
    rows_.push_back(priced(count, operators));
    totals_.push_back(rows_.back().total());
  }
}

void OperatorTable::list(std::int64_t count, std::vector<Operator>& operators) const {
  if (of_ == Of::head) {
    list_head_operators(placement_, count, operators);
  } else if (of_ == Of::experts) {
    list_expert_operators(placement_, count, operators);
  } else {
    list_token_operators(placement_, count, operators);
  }
}

PricedSeconds OperatorTable::beyond(std::int64_t count) const {
  std::vector<Operator> operators;
  return priced(bounded(count), operators);
}

PricedSeconds OperatorTable::priced(std::int64_t count, std::vector<Operator>& operators) const {
  PricedSeconds sum;
  list(count, operators);
  for (std::size_t i = 0; i < operators.size(); ++i) {
    if (!left_out(operators[i])) add(operators[i], times_of(i, count), count, &sum);
  }
  return sum;
}

/// What a measured kernel has in it: the experts' second product and activation in the first's
/// time, the projections of a latent attention in the attention's.
bool OperatorTable::left_out(const Operator& op) const {
  const std::string_view name = op.name;
  if (experts_measured_ && (name == "experts_down" || name == "experts_activation")) return true;
  return of_ == Of::tokens_but_projections &&
         (name == "qkv_down" || name == "q" || name == "kv_up" || name == "o" ||
          name == "rotary_and_kv_write");
}

void OperatorTable::add(const Operator& op, const std::optional<ShapeTimes>& times,
                        std::int64_t count, PricedSeconds* sum) const {
  const OperatorTime roofline = roofline_time(op, placement_.gpu, placement_.engine);
  double seconds = op.repeats * roofline.total();
  if (times) {
    const GridTime at = times->grid.at(OperatorTimes::coordinate(placement_, op, count));
    seconds = op.repeats * at.seconds;
    sum->add_source(seconds, times->source, at.inside && !times->outside);
  } else {
    sum->add_source(seconds, TimeSource::roofline, true);
  }
  if (roofline.network_seconds > 0) {
    sum->network += seconds;
  } else {
    // The fixed part is nobody's limit but the launch's.
    const double launch = std::min(seconds, op.repeats * roofline.fixed_seconds);
    sum->launch += launch;
    (roofline.compute_bound() ? sum->compute : sum->memory) += seconds - launch;
  }
}

}  // namespace headway
