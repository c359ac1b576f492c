// Step cost over the roofline: tables over token counts, and attention from integer aggregates.
#include <algorithm>
#include <memory>
#include <vector>

#include "models/fixed_point.hpp"
#include "models/operators.hpp"
#include "models/placement.hpp"
#include "models/roofline.hpp"

namespace headway {
namespace {

/// Entries that are kept; a step of more tokens is priced operator by operator.
constexpr std::int64_t kLargestTable = 65536;

struct Priced {
  Picoseconds total = 0;
  StepLimits limits;
};

Picoseconds floor_picoseconds(double seconds) {
  return static_cast<Picoseconds>(
      std::min(seconds * kPicosecondsPerSecond, static_cast<double>(kLongestStep)));
}

/// Sums operators. The total is summed on its own, so that it grows with every operator's time
/// whatever limits it; the parts are rounded down and launches take the rest.
Priced price(const std::vector<Operator>& operators, const Gpu& gpu, const Engine& engine) {
  double total = 0, compute = 0, memory = 0, network = 0;
  for (const Operator& op : operators) {
    const OperatorTime time = roofline_time(op, gpu, engine);
    total += op.repeats * time.total();
    if (time.network_seconds > 0) {
      network += op.repeats * (time.network_seconds + time.fixed_seconds);
    } else if (time.compute_bound()) {
      compute += op.repeats * time.compute_seconds;
    } else {
      memory += op.repeats * time.memory_seconds;
    }
  }
  Priced priced;
  priced.total = floor_picoseconds(total + 0.5 / kPicosecondsPerSecond);
  Picoseconds left = priced.total;
  const auto take = [&left](double seconds) {
    const Picoseconds part = std::min(left, floor_picoseconds(seconds));
    left -= part;
    return part;
  };
  priced.limits.network = take(network);
  priced.limits.compute = take(compute);
  priced.limits.memory_bandwidth = take(memory);
  priced.limits.host = left;
  return priced;
}

/// Prices by a number of tokens or sequences: the totals apart, since every step reads them.
class Table {
 public:
  void append(const Priced& priced) {
    totals_.push_back(priced.total);
    limits_.push_back(priced.limits);
  }
  bool holds(std::int64_t index) const {
    return static_cast<std::uint64_t>(index) < totals_.size();
  }
  Picoseconds total(std::int64_t index) const { return totals_[static_cast<std::size_t>(index)]; }
  const StepLimits& limits(std::int64_t index) const {
    return limits_[static_cast<std::size_t>(index)];
  }

 private:
  std::vector<Picoseconds> totals_;
  std::vector<StepLimits> limits_;
};

void add(StepLimits& sum, const StepLimits& parts) {
  sum.compute += parts.compute;
  sum.memory_bandwidth += parts.memory_bandwidth;
  sum.network += parts.network;
  sum.host += parts.host;
}

class RooflineCost final : public StepCost {
 public:
  explicit RooflineCost(const Placement& placement) : placement_(placement) {
    check_placement(placement);
    if (placement.parallel.data > 1) {
      throw PlacementError("data-parallel attention has no roofline of its own; expected data: 1");
    }
    const Engine& engine = placement.engine;
    asynchronous_ = engine.asynchronous;
    host_step_ = fixed_point(engine.step_overhead_seconds);
    host_sequence_ = fixed_point(engine.sequence_overhead_seconds);
    host_prefill_token_ = fixed_point(engine.prefill_token_overhead_seconds);
    price_attention();
    const std::int64_t tokens =
        std::int64_t{placement.max_num_batched_tokens} + placement.max_num_seqs;
    std::vector<Operator> operators;
    for (std::int64_t i = 0; i <= std::min(tokens, kLargestTable); ++i) {
      tokens_.append(price_tokens(i, operators));
    }
    for (std::int64_t i = 0; i <= std::min<std::int64_t>(placement.max_num_seqs, kLargestTable);
         ++i) {
      head_.append(price_head(i, operators));
    }
  }

  Picoseconds step(const StepShape& shape) const override {
    const Picoseconds gpu = token_total(shape.tokens()) + head_total(shape.sampled) +
                            launches(shape) + to_whole(prefill(shape) + decode(shape));
    return with_host(gpu, host(shape));
  }

  void decode_steps(std::int32_t sequences, std::int64_t context, std::int64_t longest, int count,
                    Picoseconds* durations) const override {
    if (context < 0 || context > kLargestAggregate - std::int64_t{count} * sequences) {
      StepCost::decode_steps(sequences, context, longest, count, durations);
      return;
    }
    StepShape shape;
    shape.decode_sequences = sequences;
    shape.sampled = sequences;
    const Picoseconds constant = token_total(sequences) + head_total(sequences) + launches(shape);
    const Picoseconds on_host = host(shape);
    if (window_ > 0) {
      shape.decode_context = context;
      for (int i = 0; i < count; ++i, shape.decode_context += sequences) {
        durations[i] = with_host(constant + to_whole(decode(shape)), on_host);
      }
      return;
    }
    const Fixed growth = Fixed{context_} * sequences;
    Fixed attention = Fixed{context_} * context;
    for (int i = 0; i < count; ++i, attention += growth) {
      durations[i] = with_host(constant + to_whole(attention), on_host);
    }
  }

  StepLimits limits(const StepShape& shape) const override {
    StepLimits parts = token_limits(shape.tokens());
    add(parts, head_limits(shape.sampled));
    const Fixed of_prefill = prefill(shape);
    const Picoseconds attention = to_whole(of_prefill + decode(shape));
    const Picoseconds first = std::min(attention, to_floor(of_prefill));
    (pair_bound(shape) ? parts.compute : parts.memory_bandwidth) += first;
    (context_computes_ ? parts.compute : parts.memory_bandwidth) += attention - first;
    // Launches, what the host adds, and the picosecond that an empty step lasts.
    parts.host += step(shape) - parts.compute - parts.memory_bandwidth - parts.network - parts.host;
    return parts;
  }

  const char* source() const override { return "roofline"; }

 private:
  /// Coefficients over the layers, of one pair, one prompt token, one context token; of pairs and
  /// context apart for the layers with full and with local attention.
  void price_attention() {
    const auto time = [this](const Operator& op) {
      return roofline_time(op, placement_.gpu, placement_.engine);
    };
    const int layers = placement_.architecture.layers;
    const int local = placement_.architecture.window_layers, full = layers - local;
    window_ = placement_.architecture.window;
    const double pair = time(prefill_attention(placement_, 0, 1)).compute_seconds;
    pair_ = fixed_point(full * pair);
    window_pair_ = fixed_point(local * pair);
    prefill_token_ = fixed_point(layers * time(prefill_attention(placement_, 1, 0)).memory_seconds);
    const OperatorTime context = time(decode_attention(placement_, 1));
    context_computes_ = context.compute_bound();
    const double read = std::max(context.compute_seconds, context.memory_seconds);
    context_ = fixed_point(full * read);
    window_context_ = fixed_point(local * read);
    attention_launches_ = floor_picoseconds(layers * context.fixed_seconds);
  }

  Priced price_tokens(std::int64_t tokens, std::vector<Operator>& operators) const {
    list_token_operators(placement_, tokens, operators);
    return price(operators, placement_.gpu, placement_.engine);
  }

  Priced price_head(std::int64_t sampled, std::vector<Operator>& operators) const {
    list_head_operators(placement_, sampled, operators);
    return price(operators, placement_.gpu, placement_.engine);
  }

  Picoseconds token_total(std::int64_t tokens) const {
    if (tokens_.holds(tokens)) [[likely]]
      return tokens_.total(tokens);
    std::vector<Operator> operators;
    return price_tokens(bounded(tokens), operators).total;
  }

  Picoseconds head_total(std::int64_t sampled) const {
    if (head_.holds(sampled)) [[likely]]
      return head_.total(sampled);
    std::vector<Operator> operators;
    return price_head(bounded(sampled), operators).total;
  }

  StepLimits token_limits(std::int64_t tokens) const {
    if (tokens_.holds(tokens)) return tokens_.limits(tokens);
    std::vector<Operator> operators;
    return price_tokens(bounded(tokens), operators).limits;
  }

  StepLimits head_limits(std::int64_t sampled) const {
    if (head_.holds(sampled)) return head_.limits(sampled);
    std::vector<Operator> operators;
    return price_head(bounded(sampled), operators).limits;
  }

  Picoseconds launches(const StepShape& s) const {
    return ((s.prefill_tokens > 0) + (s.decode_sequences > 0)) * attention_launches_;
  }

  /// What `queries` queries reach in a layer with local attention, of the keys before them in all:
  /// exact where every query has a window's worth of keys before it, or none has; else too much.
  Fixed within_window(std::int64_t keys, std::int64_t queries) const {
    return std::min<Fixed>(bounded(keys), Fixed{bounded(queries)} * window_);
  }
  Fixed of_pairs(const StepShape& s) const {
    const Fixed full = Fixed{pair_} * bounded(s.prefill_pairs);
    if (window_ == 0) [[likely]]
      return full;
    return full + window_pair_ * within_window(s.prefill_pairs, s.prefill_tokens);
  }
  Fixed of_prompt(const StepShape& s) const {
    return Fixed{prefill_token_} * bounded(s.prefill_tokens);
  }
  bool pair_bound(const StepShape& s) const { return of_pairs(s) > of_prompt(s); }
  Fixed prefill(const StepShape& s) const { return std::max(of_pairs(s), of_prompt(s)); }
  Fixed decode(const StepShape& s) const {
    const Fixed full = Fixed{context_} * bounded(s.decode_context);
    if (window_ == 0) [[likely]]
      return full;
    return full + window_context_ * within_window(s.decode_context, s.decode_sequences);
  }

  Picoseconds host(const StepShape& s) const {
    const std::int64_t sequences = std::int64_t{s.prefill_sequences} + s.decode_sequences;
    return to_whole(host_step_ + Fixed{host_sequence_} * bounded(sequences) +
                    Fixed{host_prefill_token_} * bounded(s.prefill_tokens));
  }

  /// Hidden behind the GPU by an asynchronous engine, added by a synchronous one.
  Picoseconds with_host(Picoseconds gpu, Picoseconds on_host) const {
    const Picoseconds step = asynchronous_ ? std::max(gpu, on_host) : gpu + on_host;
    return std::clamp<Picoseconds>(step, 1, kLongestStep);
  }

  Placement placement_;
  bool asynchronous_ = false;
  bool context_computes_ = false;
  std::int64_t host_step_ = 0, host_sequence_ = 0, host_prefill_token_ = 0;
  std::int64_t pair_ = 0, prefill_token_ = 0, context_ = 0;
  std::int64_t window_pair_ = 0, window_context_ = 0, window_ = 0;
  Picoseconds attention_launches_ = 0;
  Table tokens_, head_;  // by number of tokens, by sequences that sample
};

}  // namespace

std::unique_ptr<StepCost> make_roofline_cost(const Placement& placement) {
  return std::make_unique<RooflineCost>(placement);
}

}  // namespace headway
