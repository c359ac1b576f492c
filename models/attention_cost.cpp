#include "models/attention_cost.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "models/operators.hpp"
#include "models/roofline.hpp"

namespace headway {
namespace {

constexpr std::int32_t kMostRows = 2048;

std::string kv_format(NumberFormat kv) {
  return bytes(kv) == 2 ? "bf16" : number_format_name(kv);
}

std::optional<ShapeTimes> heads_of(const FoundFamily& found, const HeadShape& shape) {
  return found ? attention_times(*found.family, shape) : std::nullopt;
}

std::optional<ShapeTimes> sized(const FoundFamily& found, std::int64_t heads) {
  return found ? sized_times(*found.family, "heads", heads) : std::nullopt;
}

EstimateSource of(const ShapeTimes& times, bool inside) {
  return {times.source, times.outside || !inside};
}

}  // namespace

AttentionCost::AttentionCost(const Placement& placement, const KernelProfiles& profiles,
                             std::int32_t layers, std::int32_t window)
    : layers_(layers), clip_(window) {
  if (placement.architecture.latent()) {
    find_latent(placement, profiles);
  } else {
    find_grouped(placement, profiles, window);
  }
  if (clip_ > 0 && !windowed_) reach_ = clip_;
  price_by_roofline(placement);
  if (decode_) fill_rows(placement.max_num_seqs);
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
  alpha_ = profiles.skew(format);
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
}

void AttentionCost::fill_rows(std::int32_t sequences) {
  knots_ = decode_->grid.axis(1);
  for (std::size_t width = 0; width < first_above_.size(); ++width) {
    const double least = width == 0 ? 0 : std::ldexp(1.0, static_cast<int>(width) - 1);
    const auto above = std::upper_bound(knots_.begin(), knots_.end(), least) - knots_.begin();
    const auto last = std::max<std::ptrdiff_t>(1, std::ssize(knots_) - 1);
    first_above_[width] = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(above, 1, last));
  }
  const std::int32_t rows = std::min(sequences, kMostRows);
  rows_.reserve((static_cast<std::size_t>(rows) + 1) * knots_.size());
  for (std::int32_t batch = 0; batch <= rows; ++batch) {
    for (const double context : knots_) {
      rows_.push_back(layers_ * decode_->grid.at(batch, context).seconds);
    }
  }
}

AttentionCost::Run::Run(const AttentionCost& cost, std::int64_t sequences)
    : cost_(cost), sequences_(sequences), skew_(cost.skew(sequences)) {}

double AttentionCost::Run::find(double context, Piece* piece) const {
  const std::vector<double>& knots = cost_.knots_;
  const std::size_t width = knots.size();
  const std::size_t first = static_cast<std::size_t>(sequences_) * width;
  if (first + width > cost_.rows_.size()) {
    return cost_.layers_ * cost_.decode_->grid.at(static_cast<double>(sequences_), context).seconds;
  }
  const double* row = cost_.rows_.data() + first;
  if (!(context > knots.front()) || width == 1) return row[0];
  std::size_t above = cost_.first_above_[static_cast<std::size_t>(
      std::bit_width(static_cast<std::uint64_t>(context)))];
  while (above + 1 < width && context >= knots[above]) ++above;
  const double slope = (row[above] - row[above - 1]) / (knots[above] - knots[above - 1]);
  // Beyond the last knot along the last piece, never below its end.
  if (context > knots[above]) {
    return row[above] + std::max(0.0, slope) * (context - knots[above]);
  }
  *piece = {knots[above - 1], knots[above], row[above - 1], slope};
  return piece->seconds + piece->slope * (context - piece->from);
}

PrefillWork AttentionCost::clipped(PrefillWork work) const {
  if (clip_ > 0 && !windowed_) work.pairs = std::min(work.pairs, work.tokens * clip_);
  return work;
}

double AttentionCost::prefill_of_grid(const PrefillWork& work) const {
  const double mean = work.tokens / std::max(1.0, work.sequences);
  if (chunk_) {
    const TimeGrid& grid = chunk_->grid;
    const double prefix = std::max(0.0, work.pairs / work.tokens - (mean + 1) / 2);
    const double one = grid.at(mean, prefix).seconds;
    const double floor = grid.at(grid.axis(0).front(), 0).seconds;
    return floor + std::max(1.0, work.sequences) * std::max(0.0, one - floor);
  }
  // The uniform batch of prompts without prefix that has these tokens and pairs.
  const TimeGrid& grid = prefill_->grid;
  const double length =
      windowed_ ? mean : std::max(1.0, 2 * work.pairs / std::max(1.0, work.tokens) - 1);
  const double batch = work.tokens / length;
  if (batch >= 1) return grid.at(batch, length).seconds;
  const double floor = grid.at(1, grid.axis(1).front()).seconds;
  return floor + batch * std::max(0.0, grid.at(1, length).seconds - floor);
}

double AttentionCost::prefill(const PrefillWork& asked) const {
  if (!(asked.tokens > 0)) return 0;
  const PrefillWork work = clipped(asked);
  if (prefill_ || chunk_) return layers_ * prefill_of_grid(work);
  return launch_ + std::max(pair_ * work.pairs, token_ * work.tokens);
}

/// The longest sequence's heads end last, while fewer and fewer others still run. Past one wave of
/// work that tail does not grow with the batch any more.
double AttentionCost::skew(std::int64_t sequences) const {
  constexpr double kWave = 128;  // KV heads of sequences that fill a card
  const double heads = kv_heads_ * static_cast<double>(std::max<std::int64_t>(1, sequences));
  return alpha_ * std::min(1.0, kWave / heads);
}

double AttentionCost::by_roofline(std::int64_t sequences, double context) const {
  const double reached = clip_ > 0 ? std::min(context, clip_) : context;
  return launch_ + context_ * reached * static_cast<double>(sequences);
}

double AttentionCost::decode(const DecodeWork& work) const {
  if (work.sequences <= 0) return 0;
  return Run(*this, work.sequences).at(work.context, work.longest);
}

double AttentionCost::decode_beside(const DecodeWork& work, double chunk) const {
  if (work.sequences <= 0) return 0;
  if (!decode_ || has_projections_) return decode(work);
  const double batch = static_cast<double>(work.sequences);
  const double context = clip_ > 0 && !windowed_ ? std::min(work.context, clip_) : work.context;
  if (mixed_) {
    const double mean = layers_ * mixed_->grid.at(chunk, batch, context).seconds;
    if (alpha_ == 0 || work.longest <= work.context) return mean;
    const double longest = layers_ * mixed_->grid.at(chunk, batch, work.longest).seconds;
    return mean + skew(work.sequences) * std::max(0.0, longest - mean);
  }
  return decode(work);
}

EstimateSource AttentionCost::prefill_source(const PrefillWork& asked) const {
  const PrefillWork work = clipped(asked);
  const double mean = work.tokens / std::max(1.0, work.sequences);
  if (chunk_) {
    const double prefix = std::max(0.0, work.pairs / work.tokens - (mean + 1) / 2);
    const double least = chunk_->grid.axis(0).front();
    return of(*chunk_, chunk_->grid.inside(std::max(least, mean), prefix));
  }
  if (!prefill_) return {};
  const double length = std::max(1.0, 2 * work.pairs / std::max(1.0, work.tokens) - 1);
  const std::vector<double>& lengths = prefill_->grid.axis(1);
  const double batch = std::max(1.0, work.tokens / length);
  return of(*prefill_, prefill_->grid.inside(batch, std::max(lengths.front(), length)));
}

EstimateSource AttentionCost::decode_source(const DecodeWork& work) const {
  if (!decode_) return {};
  const double batch = static_cast<double>(work.sequences);
  const double context = std::max(work.context, knots_.front());
  EstimateSource source = of(*decode_, decode_->grid.inside(batch, context));
  return source;
}

}  // namespace headway
