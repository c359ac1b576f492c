// Step cost from measured operator times, and from the roofline where nothing was measured.
#include "models/profile_cost.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>
#include <vector>

#include "models/attention_cost.hpp"
#include "models/fixed_point.hpp"
#include "models/kernel_profiles.hpp"
#include "models/operator_times.hpp"
#include "models/operators.hpp"
#include "models/placement.hpp"
#include "models/roofline.hpp"

namespace headway {
namespace {

/// Entries that are kept; a step of more tokens is priced operator by operator.
constexpr std::int64_t kLargestTable = 65536;

/// Seconds by what limited them and by where they come from.
struct Seconds {
  double compute = 0, memory = 0, network = 0, launch = 0;
  double by_source[3] = {};
  double outside = 0;
  double total() const { return compute + memory + network + launch; }
};

Picoseconds whole(double seconds) {
  const double picoseconds = seconds * kPicosecondsPerSecond;
  return picoseconds < static_cast<double>(kLongestStep) ? std::llround(picoseconds) : kLongestStep;
}

void add_source(Seconds* sum, double seconds, TimeSource source, bool outside) {
  sum->by_source[static_cast<int>(source)] += seconds;
  if (outside) sum->outside += seconds;
}

/// Prices by a number of tokens or of sequences.
class Table {
 public:
  Table(const Placement& placement, const KernelProfiles& profiles, bool head, bool projections)
      : placement_(placement), head_(head), projections_(projections) {
    const OperatorTimes times(placement_, profiles);
    std::vector<Operator> operators;
    list(1, operators);
    for (const Operator& op : operators) times_.push_back(times.find(op));
    experts_measured_ = false;
    for (std::size_t i = 0; i < operators.size(); ++i) {
      if (operators[i].kind == OperatorKind::expert_gemm && times_[i]) experts_measured_ = true;
    }
  }

  void fill(std::int64_t count) {
    for (std::int64_t i = 0; i <= std::min(count, kLargestTable); ++i) {
      rows_.push_back(priced(i));
      totals_.push_back(rows_.back().total());
    }
  }
  double total(std::int64_t count) const {
    const auto index = static_cast<std::size_t>(count);
    return index < totals_.size() ? totals_[index] : priced(bounded(count)).total();
  }

  Seconds seconds(std::int64_t count) const {
    const auto index = static_cast<std::size_t>(count);
    return index < rows_.size() ? rows_[index] : priced(bounded(count));
  }

 private:
  Seconds priced(std::int64_t count) const {
    Seconds sum;
    std::vector<Operator> operators;
    list(count, operators);
    for (std::size_t i = 0; i < operators.size(); ++i) {
      if (!left_out(operators[i])) add(operators[i], times_[i], count, &sum);
    }
    return sum;
  }

  void list(std::int64_t count, std::vector<Operator>& operators) const {
    if (head_) {
      list_head_operators(placement_, count, operators);
    } else {
      list_token_operators(placement_, count, operators);
    }
  }

  /// What a measured kernel has in it: the experts' second product and activation in the first's
  /// time, the projections of a latent attention in the attention's.
  bool left_out(const Operator& op) const {
    const std::string_view name = op.name;
    if (experts_measured_ && (name == "experts_down" || name == "experts_activation")) return true;
    return projections_ && (name == "qkv_down" || name == "q" || name == "kv_up" || name == "o" ||
                            name == "rotary_and_kv_write");
  }

  void add(const Operator& op, const std::optional<ShapeTimes>& times, std::int64_t count,
           Seconds* sum) const {
    const OperatorTime roofline = roofline_time(op, placement_.gpu, placement_.engine);
    double seconds = op.repeats * roofline.total();
    if (times) {
      const GridTime at = times->grid.at(OperatorTimes::coordinate(placement_, op, count));
      seconds = op.repeats * at.seconds;
      add_source(sum, seconds, times->source, times->outside || !at.inside);
    } else {
      add_source(sum, seconds, TimeSource::roofline, false);
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

  const Placement& placement_;
  bool head_, projections_;
  bool experts_measured_ = false;
  std::vector<std::optional<ShapeTimes>> times_;
  std::vector<Seconds> rows_;   // by count
  std::vector<double> totals_;  // their sums apart, since every step reads them
};

class ProfileCost final : public StepCost {
 public:
  ProfileCost(const Placement& placement, KernelProfiles profiles)
      : placement_(placement),
        profiles_(std::move(profiles)),
        full_(placement_, profiles_, full_layers(placement_), 0),
        local_(placement_, profiles_, placement_.architecture.window_layers,
               placement_.architecture.window),
        has_local_(placement_.architecture.window_layers > 0),
        tokens_(placement_, profiles_, false, full_.has_projections()),
        head_(placement_, profiles_, true, false) {
    const Engine& engine = placement_.engine;
    host_step_ = engine.step_overhead_seconds;
    host_sequence_ = engine.sequence_overhead_seconds;
    host_prefill_token_ = engine.prefill_token_overhead_seconds;
    host_mixed_ = engine.mixed_step_overhead_seconds;
    tokens_.fill(std::int64_t{placement_.max_num_batched_tokens} + placement_.max_num_seqs);
    head_.fill(placement_.max_num_seqs);
    source_ = profiles_.used().empty() ? "roofline" : "profile " + joined(profiles_.used());
  }

  Picoseconds step(const StepShape& shape) const override { return priced(shape); }

  void decode_steps(std::int32_t sequences, std::int64_t context, std::int64_t longest, int count,
                    Picoseconds* durations) const override {
    if (context < 0 || longest < 0 || longest > kLargestAggregate - count ||
        context > kLargestAggregate - std::int64_t{count} * sequences) {
      StepCost::decode_steps(sequences, context, longest, count, durations);
      return;
    }
    StepShape shape;
    shape.decode_sequences = shape.sampled = sequences;
    const Constant constant = of_counts(shape);
    const std::int64_t batch = share(sequences, constant.micro);
    const double each = one_of(sequences);
    AttentionCost::Run full(full_, batch), local(local_, batch);
    for (int i = 0; i < count; ++i) {
      const double mean = static_cast<double>(context + std::int64_t{i} * sequences) * each;
      const double most = static_cast<double>(longest + i);
      const double attention = batch == 0   ? 0
                               : has_local_ ? full.at(mean, most) + local.at(mean, most)
                                            : full.at(mean, most);
      durations[i] = with_host(constant.gpu + attention, constant.host);
    }
  }

  StepLimits limits(const StepShape& shape) const override;

  const char* source() const override { return source_.c_str(); }

 private:
  /// What does not change with the contexts.
  struct Constant {
    double gpu = 0, host = 0;
    std::int64_t micro = 1;  // micro-batches
  };

  static std::int32_t full_layers(const Placement& p) {
    return p.architecture.layers - p.architecture.window_layers;
  }
  static std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
  }
  static std::int64_t share(std::int64_t whole_count, std::int64_t parts) {
    return (bounded(whole_count) + parts - 1) / parts;
  }

  static double one_of(std::int32_t sequences) { return 1.0 / std::max(1, sequences); }

  std::int64_t micro_batches(const StepShape& s) const {
    const std::int64_t sequences = std::int64_t{s.prefill_sequences} + s.decode_sequences;
    return std::clamp<std::int64_t>(sequences, 1, std::max(1, placement_.parallel.pipeline));
  }

  Constant of_counts(const StepShape& s) const {
    Constant constant;
    constant.micro = micro_batches(s);
    constant.gpu =
        placement_.engine.device_step_overhead_seconds +
        tokens_.total(share(s.tokens(), constant.micro)) +
        static_cast<double>(constant.micro) * head_.total(share(s.sampled, constant.micro));
    constant.host = host(s);
    return constant;
  }

  PrefillWork prefill_work(const StepShape& s, std::int64_t micro) const {
    const double parts = static_cast<double>(micro);
    return {static_cast<double>(bounded(s.prefill_tokens)) / parts,
            static_cast<double>(bounded(s.prefill_pairs)) / parts,
            std::max(1.0, static_cast<double>(s.prefill_sequences) / parts)};
  }
  DecodeWork decode_work(const StepShape& s, std::int64_t micro) const {
    return {share(s.decode_sequences, micro),
            static_cast<double>(bounded(s.decode_context)) * one_of(s.decode_sequences),
            static_cast<double>(bounded(s.decode_context_longest))};
  }

  double attention(const StepShape& s, std::int64_t micro) const {
    const auto of = [&](const AttentionCost& layers) {
      const DecodeWork decode = decode_work(s, micro);
      if (s.prefill_tokens == 0) return layers.decode(decode);
      const PrefillWork prefill = prefill_work(s, micro);
      return layers.prefill(prefill) + layers.decode_beside(decode, prefill.tokens);
    };
    return has_local_ ? of(full_) + of(local_) : of(full_);
  }

  double host(const StepShape& s) const {
    const double sequences =
        static_cast<double>(s.prefill_sequences) + static_cast<double>(s.decode_sequences);
    return host_step_ + host_sequence_ * sequences +
           host_prefill_token_ * static_cast<double>(bounded(s.prefill_tokens)) +
           (s.prefill_tokens > 0 ? host_mixed_ : 0);
  }

  /// Hidden behind the GPU by an asynchronous engine, added by a synchronous one.
  Picoseconds with_host(double gpu, double on_host) const {
    const double seconds = placement_.engine.asynchronous ? std::max(gpu, on_host) : gpu + on_host;
    return std::max<Picoseconds>(1, whole(seconds));
  }

  Picoseconds priced(const StepShape& s) const {
    const Constant constant = of_counts(s);
    return with_host(constant.gpu + attention(s, constant.micro), constant.host);
  }

  void add_attention(const AttentionCost& layers, const StepShape& s, std::int64_t micro,
                     Seconds* sum) const;

  Placement placement_;
  KernelProfiles profiles_;
  AttentionCost full_, local_;
  bool has_local_;
  Table tokens_, head_;
  double host_step_ = 0, host_sequence_ = 0, host_prefill_token_ = 0, host_mixed_ = 0;
  std::string source_;
};

void ProfileCost::add_attention(const AttentionCost& layers, const StepShape& s, std::int64_t micro,
                                Seconds* sum) const {
  const DecodeWork decode = decode_work(s, micro);
  const bool mixed = s.prefill_tokens > 0;
  if (mixed) {
    const PrefillWork work = prefill_work(s, micro);
    const double seconds = layers.prefill(work);
    const EstimateSource from = layers.prefill_source(work);
    add_source(sum, seconds, from.source, from.outside);
    sum->compute += seconds;
  }
  if (decode.sequences > 0) {
    const double seconds =
        mixed ? layers.decode_beside(decode, prefill_work(s, micro).tokens) : layers.decode(decode);
    const EstimateSource from = layers.decode_source(decode);
    add_source(sum, seconds, from.source, from.outside);
    sum->memory += seconds;
  }
}

StepLimits ProfileCost::limits(const StepShape& s) const {
  const std::int64_t micro = micro_batches(s);
  Seconds sum = tokens_.seconds(share(s.tokens(), micro));
  const Seconds head = head_.seconds(share(s.sampled, micro));
  const double heads = static_cast<double>(micro);
  sum.compute += heads * head.compute;
  sum.memory += heads * head.memory;
  sum.network += heads * head.network;
  sum.launch += heads * head.launch;
  for (int i = 0; i < 3; ++i) sum.by_source[i] += heads * head.by_source[i];
  sum.outside += heads * head.outside;
  add_attention(full_, s, micro, &sum);
  if (has_local_) add_attention(local_, s, micro, &sum);

  StepLimits parts;
  Picoseconds left = step(s);
  const auto take = [&left](double seconds) {
    const Picoseconds part = std::min(left, whole(seconds));
    left -= part;
    return part;
  };
  parts.network = take(sum.network);
  parts.compute = take(sum.compute);
  parts.memory_bandwidth = take(sum.memory);
  parts.host = left;  // launches, and what the engine's host adds
  parts.sources.profile = whole(sum.by_source[static_cast<int>(TimeSource::profile)]);
  parts.sources.interpolation = whole(sum.by_source[static_cast<int>(TimeSource::interpolation)]);
  parts.sources.roofline = whole(sum.by_source[static_cast<int>(TimeSource::roofline)]);
  parts.sources.outside = whole(sum.outside);
  return parts;
}

}  // namespace

std::unique_ptr<StepCost> make_profile_cost(const Placement& placement,
                                            const std::vector<std::string>& files) {
  check_placement(placement);
  return std::make_unique<ProfileCost>(placement,
                                       KernelProfiles(placement.gpu, placement.engine, files));
}

}  // namespace headway
