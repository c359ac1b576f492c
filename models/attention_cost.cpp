#include "models/attention_cost.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "models/operators.hpp"
#include "models/roofline.hpp"

namespace headway {
namespace {

std::string kv_format(NumberFormat kv) {
  return bytes(kv) == 2 ? "bf16" : number_format_name(kv);
}

std::optional<ShapeTimes> heads_of(const FoundFamily& found, const HeadShape& shape) {
  return found ? attention_times(*found.family, shape) : std::nullopt;
}

std::optional<ShapeTimes> sized(const FoundFamily& found, std::int64_t heads) {
  return found ? sized_times(*found.family, "heads", heads) : std::nullopt;
}

/// Over batch and context, of decodes beside the shortest chunk.
TimeGrid beside_least(const TimeGrid& mixed) {
  const double chunk = mixed.axis(0).front();
  std::vector<double> seconds;
  for (const double batch : mixed.axis(1)) {
    for (const double context : mixed.axis(2)) {
      seconds.push_back(mixed.at(chunk, batch, context).seconds);
    }
  }
  return TimeGrid({mixed.axis(1), mixed.axis(2)}, std::move(seconds),
                  {Joining::linear, Joining::linear});
}

}  // namespace

AttentionCost::AttentionCost(const Placement& placement, const KernelProfiles& profiles,
                             std::int32_t layers, std::int32_t window)
    : layers_(layers),
      clip_(window),
      graph_sequences_multiple_(placement.engine.graph_sequences_multiple) {
  if (placement.architecture.latent()) {
    find_latent(placement, profiles);
  } else {
    find_grouped(placement, profiles, window);
  }
  if (clip_ > 0 && !windowed_) reach_ = clip_;
  price_by_roofline(placement);
  fill(placement);
}

void AttentionCost::find_latent(const Placement& placement, const KernelProfiles& profiles) {
  // The profile's projections are in its own format, like its cache.
  const std::string format = placement.precision.weights == NumberFormat::fp8 ? "fp8_block"
                             : bytes(placement.precision.weights) == 2        ? "bf16"
                                                                              : std::string();
  if (format.empty()) return;
  const std::int64_t heads = placement.architecture.heads / placement.parallel.tensor;
  prefill_ = sized(profiles.find("mla_prefill", format), heads);
  decode_ = sized(profiles.find("mla_decode", format), heads);
  if (!prefill_ || !decode_) {
    prefill_.reset();
    decode_.reset();
  }
  has_projections_ = decode_.has_value();
}

void AttentionCost::find_grouped(const Placement& placement, const KernelProfiles& profiles,
                                 std::int32_t window) {
  const Architecture& a = placement.architecture;
  const std::int32_t tensor = placement.parallel.tensor;
  kv_heads_ = std::max(1, a.kv_heads / tensor);
  HeadShape shape{a.heads / tensor, std::max(1, a.kv_heads / tensor), a.head_dim, window};
  const std::string format = kv_format(placement.precision.kv);
  const FoundFamily prefill = profiles.find("attention_prefill", format);
  const FoundFamily chunk = profiles.find("attention_chunk", format);
  const FoundFamily decode = profiles.find("attention_decode", format);
  decode_ = heads_of(decode, shape);
  prefill_ = heads_of(prefill, shape);
  chunk_ = heads_of(chunk, shape);
  windowed_ = window > 0 && decode_ && (prefill_ || chunk_);
  if (window > 0 && !windowed_) {  // full attention over as many keys
    shape.window = 0;
    decode_ = heads_of(decode, shape);
    prefill_ = heads_of(prefill, shape);
    chunk_ = heads_of(chunk, shape);
  }
  if (chunk_ && prefill_ && chunk.profile != prefill.profile) chunk_.reset();
  const ProfileFamily* mixed = decode ? decode.profile->find("attention_mixed") : nullptr;
  if (mixed != nullptr) mixed_ = attention_times(*mixed, shape);
  const KernelProfiles::Skew skew = profiles.skew(format);
  alpha_ = skew.alpha;
  if (mixed_ && decode_) unsplit_ = static_cast<double>(skew.unsplit);
}

void AttentionCost::price_by_roofline(const Placement& placement) {
  const auto time = [&placement](const Operator& op) {
    return roofline_time(op, placement.gpu, placement.engine);
  };
  pair_ = layers_ * time(prefill_attention(placement, 0, 1)).compute_seconds;
  token_ = layers_ * time(prefill_attention(placement, 1, 0)).memory_seconds;
  const OperatorTime context = time(decode_attention(placement, 1));
  context_ = layers_ * std::max(context.compute_seconds, context.memory_seconds);
  launch_ = layers_ * context.fixed_seconds;
  decodes_compute_ = context.compute_bound();
}

void AttentionCost::fill(const Placement& placement) {
  if (decode_) {
    table_ = DecodeTable(decode_->grid, layers_, placement.max_num_seqs);
    decode_source_ = decode_->source;
  }
  if (unsplit_ > 0) alone_ = DecodeTable(beside_least(mixed_->grid), layers_, 1);
  if (!prefill_ && !chunk_) return;
  const TimeGrid& grid = chunk_ ? chunk_->grid : prefill_->grid;
  floor_ =
      chunk_ ? grid.at(grid.axis(0).front(), 0).seconds : grid.at(1, grid.axis(1).front()).seconds;
  prefill_source_ = (chunk_ ? chunk_ : prefill_)->source;
}

/// As many chunks as there are sequences, with the mean of their lengths and prefixes.
GridTime AttentionCost::prefill_of_chunks(const PrefillWork& work) const {
  const double chunks = std::max(1.0, work.sequences);
  const double mean = work.tokens / chunks;
  const double prefix = std::max(0.0, work.pairs / work.tokens - (mean + 1) / 2);
  const TimeGrid& grid = chunk_->grid;
  const GridTime one = grid.at(std::max(mean, grid.axis(0).front()), prefix);
  return {floor_ + chunks * std::max(0.0, one.seconds - floor_), one.inside && !chunk_->outside};
}

/// The uniform batch of prompts without prefix that has these tokens and pairs.
GridTime AttentionCost::prefill_of_batch(const PrefillWork& work) const {
  const TimeGrid& grid = prefill_->grid;
  const double length = windowed_ ? work.tokens / std::max(1.0, work.sequences)
                                  : 2 * work.pairs / std::max(1.0, work.tokens) - 1;
  const double reached = std::max({1.0, grid.axis(1).front(), length});
  const double batch = work.tokens / std::max(1.0, length);
  const GridTime time = grid.at(std::max(1.0, batch), reached);
  return {batch >= 1 ? time.seconds : floor_ + batch * std::max(0.0, time.seconds - floor_),
          time.inside && !prefill_->outside};
}

GridTime AttentionCost::prefill(const PrefillWork& asked) const {
  if (!(asked.tokens > 0)) return {0, true};
  PrefillWork work = asked;
  if (clip_ > 0 && !windowed_) work.pairs = std::min(work.pairs, work.tokens * clip_);
  if (!chunk_ && !prefill_) {
    return {launch_ + std::max(pair_ * work.pairs, token_ * work.tokens), true};
  }
  GridTime time = chunk_ ? prefill_of_chunks(work) : prefill_of_batch(work);
  time.seconds *= layers_;
  return time;
}

GridTime AttentionCost::decode(const DecodeWork& work) const {
  if (work.sequences <= 0) return {0, true};
  if (!decode_) return {by_roofline(static_cast<double>(work.sequences), work.context), true};
  const DecodeTable::Line line(table_, work.sequences);
  const double context = std::min(work.context, reach_);
  const std::size_t index = line.at(context);
  const double mean = line.piece(index).seconds(context);
  const bool inside = !decode_->outside && line.measured(index);
  if (alpha_ == 0 || work.longest <= work.context) return {mean, inside};
  const double reached = std::min(work.longest, reach_);
  const double uneven = alpha_ * std::max(0.0, line.seconds(reached) - mean);
  const double waves = waves_of(static_cast<double>(work.sequences));
  if (waves == 0) return {mean + uneven, inside};
  return {mean + std::max(uneven, rest_of_longest(waves, context, reached)), inside};
}

GridTime AttentionCost::decode_beside(const DecodeWork& work, const PrefillWork& prompts) const {
  GridTime alone = decode(work);
  if (!mixed_ || !decode_ || has_projections_ || work.sequences <= 0) return alone;
  const double batch = static_cast<double>(work.sequences);
  const double chunk = prompts.tokens / std::max(1.0, prompts.sequences);
  const double context = std::min(work.context, reach_);
  const double mean = layers_ * mixed_->grid.at(chunk, batch, context).seconds;
  alone.seconds = mean;
  if (alpha_ == 0 || work.longest <= work.context) return alone;
  const double reached = std::min(work.longest, reach_);
  if (unsplit_ > 0) {
    alone.seconds = mean + rest_of_longest(waves(kv_heads_ * batch, unsplit_), context, reached);
  } else {
    const double longest = layers_ * mixed_->grid.at(chunk, batch, reached).seconds;
    alone.seconds = mean + alpha_ * std::max(0.0, longest - mean);
  }
  return alone;
}

/// What the longest sequence, read alone, takes beyond the `waves` mean contexts that its block of
/// threads has read when all others are done.
double AttentionCost::rest_of_longest(double waves, double context, double longest) const {
  const DecodeTable::Line alone(alone_, 1);
  return std::max(0.0, alone.seconds(longest) - alone.seconds(std::min(waves * context, longest)));
}

}  // namespace headway
