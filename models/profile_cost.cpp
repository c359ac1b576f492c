// Step cost from measured operator times, and from the roofline where nothing was measured.
#include "models/profile_cost.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "models/attention_cost.hpp"
#include "models/fixed_point.hpp"
#include "models/fullest_rank.hpp"
#include "models/micro_batches.hpp"
#include "models/operator_table.hpp"

namespace headway {
namespace {

/// The nearest whole picosecond, at most kLongestStep.
Picoseconds whole(double seconds) {
  const double picoseconds = seconds * kPicosecondsPerSecond + 0.5;
  return picoseconds < static_cast<double>(kLongestStep) ? static_cast<Picoseconds>(picoseconds)
                                                         : kLongestStep;
}

class ProfileCost final : public StepCost {
 public:
  ProfileCost(const Placement& placement, KernelProfiles profiles)
      : placement_(placement),
        profiles_(std::move(profiles)),
        full_(placement_, profiles_, full_layers(placement_), 0),
        ranks_(placement_.parallel.data),
        stages_(placement_.parallel.pipeline),
        split_(ranks_ > 1 || stages_ > 1),
        tokens_(placement_, profiles_,
                full_.has_projections() ? OperatorTable::Of::tokens_but_projections
                                        : OperatorTable::Of::tokens,
                most_tokens(placement_)),
        head_(placement_, profiles_, OperatorTable::Of::head, placement_.max_num_seqs) {
    const Architecture& a = placement_.architecture;
    if (a.window_layers > 0) local_.emplace(placement_, profiles_, a.window_layers, a.window);
    if (ranks_ > 1) {
      experts_.emplace(placement_, profiles_, OperatorTable::Of::experts,
                       ranks_ * most_tokens(placement_));
    }
    const Engine& engine = placement_.engine;
    asynchronous_ = engine.asynchronous;
    device_step_ = engine.device_step_overhead_seconds;
    eager_step_ = engine.eager_step_overhead_seconds;
    most_in_graphs_ = most_in_graphs(placement_);
    host_step_ = engine.step_overhead_seconds;
    host_sequence_ = engine.sequence_overhead_seconds;
    host_prefill_token_ = engine.prefill_token_overhead_seconds;
    host_mixed_ = host_of_launches(placement_);
    source_ = profiles_.used().empty() ? "roofline" : "profile " + joined(profiles_.used());
  }

  Picoseconds step(const StepShape& shape) const override {
    if (split_) return timed(part_of(shape)).step;
    const Constant constant = of_counts(shape);
    return with_host(constant.gpu + attention_seconds(shape), constant.host, 1);
  }

  void decode_steps(std::int32_t sequences, std::int64_t context, std::int64_t longest, int count,
                    Picoseconds* durations) const override;

  StepLimits limits(const StepShape& shape) const override;

  const char* source() const override { return source_.c_str(); }

 private:
  /// What does not change with the contexts.
  struct Constant {
    double gpu = 0, host = 0;
  };
  /// What sets the pace of a step over several ranks or stages: the fullest rank's fullest
  /// micro-batch.
  struct Part {
    MicroBatches batches;
    std::int64_t all_tokens = 0;  // of all ranks in a micro-batch
  };
  struct Timed {
    Picoseconds step = 0;
    double times = 1;  // of the part's own GPU time: until the round of all micro-batches is over
  };

  Part part_of(const StepShape& shape) const {
    const std::int64_t budget = placement_.max_num_batched_tokens;
    Part part;
    part.batches = micro_batches(fullest_rank(shape, ranks_, budget * stages_), stages_, budget);
    part.all_tokens =
        std::max(part.batches.fullest.tokens(),
                 (bounded(shape.tokens()) + part.batches.count - 1) / part.batches.count);
    return part;
  }
  Timed timed(const Part& part) const;

  static std::int64_t most_tokens(const Placement& p) {
    return std::int64_t{p.max_num_batched_tokens} + p.max_num_seqs;
  }
  static std::int32_t full_layers(const Placement& p) {
    return p.architecture.layers - p.architecture.window_layers;
  }
  static std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
  }
  static double one_of(std::int32_t sequences) { return 1.0 / std::max(1, sequences); }

  Constant of_counts(const StepShape& s) const {
    return {on_device(s) + tokens_.total(bounded(s.tokens())) + head_.total(bounded(s.sampled)),
            host(s)};
  }

  static PrefillWork prefill_work(const StepShape& s) {
    return {static_cast<double>(bounded(s.prefill_tokens)),
            static_cast<double>(bounded(s.prefill_pairs)),
            std::max(1.0, static_cast<double>(s.prefill_sequences))};
  }
  static DecodeWork decode_work(const StepShape& s) {
    return {bounded(s.decode_sequences),
            static_cast<double>(bounded(s.decode_context)) * one_of(s.decode_sequences),
            static_cast<double>(bounded(s.decode_context_longest))};
  }

  struct Attention {
    GridTime prompts, decodes;
    double seconds() const { return prompts.seconds + decodes.seconds; }
  };
  Attention attention(const AttentionCost& layers, const StepShape& s) const {
    const DecodeWork decode = decode_work(s);
    if (s.prefill_tokens == 0) return {{}, layers.decode(decode)};
    const PrefillWork prefill = prefill_work(s);
    return {layers.prefill(prefill), layers.decode_beside(decode, prefill)};
  }
  double attention_seconds(const StepShape& s) const {
    double seconds = attention(full_, s).seconds();
    if (local_) seconds += attention(*local_, s).seconds();
    return seconds;
  }
  void add_attention(const AttentionCost& layers, const Attention& attention,
                     PricedSeconds* sum) const {
    sum->compute += attention.prompts.seconds;
    sum->add_source(attention.prompts.seconds, layers.prefill_source(), attention.prompts.inside);
    (layers.decodes_compute() ? sum->compute : sum->memory) += attention.decodes.seconds;
    sum->add_source(attention.decodes.seconds, layers.decode_source(), attention.decodes.inside);
  }

  /// Of the layers of a stage in a step with prompts.
  static double host_of_launches(const Placement& p) {
    const auto of_stage = [&p](std::int32_t layers) {
      return std::ceil(static_cast<double>(layers) / p.parallel.pipeline);
    };
    const bool expanded = bytes(compute_format(p)) == 2 && bytes(p.precision.weights) < 2;
    return of_stage(p.architecture.layers) * p.engine.mixed_layer_overhead_seconds +
           (expanded ? of_stage(p.architecture.moe_layers()) : 0) *
               p.engine.mixed_expert_overhead_seconds;
  }

  double host(const StepShape& s) const {
    const double sequences =
        static_cast<double>(s.prefill_sequences) + static_cast<double>(s.decode_sequences);
    return host_step_ + host_sequence_ * sequences +
           host_prefill_token_ * static_cast<double>(bounded(s.prefill_tokens)) +
           (s.prefill_tokens > 0 ? host_mixed_ : 0);
  }

  /// What the engine adds on the GPU.
  double on_device(const StepShape& s) const {
    return device_step_ + (s.tokens() > most_in_graphs_ ? eager_step_ : 0);
  }

  /// Hidden behind the GPU by an asynchronous engine, added by a synchronous one; of several
  /// micro-batches the host prepares one after the other.
  Picoseconds with_host(double gpu, double on_host, std::int64_t batches) const {
    const double all = static_cast<double>(batches) * on_host;
    const double seconds = std::max(asynchronous_ ? gpu : gpu + on_host, all);
    return std::max<Picoseconds>(1, whole(seconds));
  }

  Placement placement_;
  KernelProfiles profiles_;
  AttentionCost full_;
  std::optional<AttentionCost> local_;  // of the layers with a window
  std::int32_t ranks_, stages_;
  bool split_;  // over several of either
  OperatorTable tokens_, head_;
  std::optional<OperatorTable> experts_;  // of several ranks; else experts are among tokens_
  bool asynchronous_ = false;
  std::int64_t most_in_graphs_ = 0;
  double device_step_ = 0, eager_step_ = 0;
  double host_step_ = 0, host_sequence_ = 0, host_prefill_token_ = 0, host_mixed_ = 0;
  std::string source_;
};

void ProfileCost::decode_steps(std::int32_t sequences, std::int64_t context, std::int64_t longest,
                               int count, Picoseconds* durations) const {
  if (split_ || sequences <= 0 || context < 0 || longest < 0 ||
      longest > kLargestAggregate - count ||
      context > kLargestAggregate - std::int64_t{count} * sequences) {
    StepCost::decode_steps(sequences, context, longest, count, durations);
    return;
  }
  StepShape shape;
  shape.decode_sequences = shape.sampled = sequences;
  const Constant constant = of_counts(shape);
  const double each = one_of(sequences);
  AttentionCost::Run full(full_, sequences);
  const auto mean_of = [=](int i) {
    return static_cast<double>(context + std::int64_t{i} * sequences) * each;
  };
  const auto most_of = [=](int i) { return static_cast<double>(longest + i); };
  if (!local_ && full.straight()) {
    for (int i = 0; i < count;) {
      const AttentionCost::Stretch stretch = full.stretch(mean_of(i), most_of(i));
      for (; i < count; ++i) {
        const double mean = mean_of(i), most = most_of(i);
        if (!stretch.holds(mean, most)) break;
        durations[i] = with_host(constant.gpu + stretch.seconds(mean, most), constant.host, 1);
      }
    }
    return;
  }
  const auto each_step = [&](auto attention) {
    for (int i = 0; i < count; ++i) {
      durations[i] = with_host(constant.gpu + attention(mean_of(i), most_of(i)), constant.host, 1);
    }
  };
  if (!local_) return each_step([&](double mean, double most) { return full.at(mean, most); });
  AttentionCost::Run local(*local_, sequences);
  each_step([&](double mean, double most) { return full.at(mean, most) + local.at(mean, most); });
}

ProfileCost::Timed ProfileCost::timed(const Part& part) const {
  const StepShape& s = part.batches.fullest;
  const double head = head_.total(s.sampled);
  double layers = tokens_.total(s.tokens()) + attention_seconds(s);
  if (experts_) layers += experts_->total(part.all_tokens);
  const double round = round_seconds(part.batches, stages_, placement_.architecture.layers, layers,
                                     head, on_device(s));
  const double own = layers + head;
  return {with_host(round, host(s), part.batches.count),
          own > 0 ? std::max(0.0, round - on_device(s)) / own : 1};
}

StepLimits ProfileCost::limits(const StepShape& shape) const {
  const Part part = split_ ? part_of(shape) : Part{{1, shape, 0}, 0};
  const StepShape& s = part.batches.fullest;
  PricedSeconds sum = tokens_.seconds(bounded(s.tokens()));
  sum.add(head_.seconds(bounded(s.sampled)), 1);
  if (experts_) sum.add(experts_->seconds(part.all_tokens), 1);
  const Attention full = attention(full_, s);
  double seconds = full.seconds();
  add_attention(full_, full, &sum);
  if (local_) {
    const Attention local = attention(*local_, s);
    seconds += local.seconds();
    add_attention(*local_, local, &sum);
  }
  Picoseconds left = 0;
  if (split_) {
    const Timed round = timed(part);
    left = round.step;
    sum.add(PricedSeconds(sum), round.times - 1);
  } else {
    const Constant constant = of_counts(s);
    left = with_host(constant.gpu + seconds, constant.host, 1);
  }

  StepLimits parts;
  const auto take = [&left](double part_seconds) {
    const Picoseconds taken = std::min(left, whole(part_seconds));
    left -= taken;
    return taken;
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
  return make_cost_of_profiles(placement, KernelProfiles(placement.gpu, placement.engine, files));
}

std::unique_ptr<StepCost> make_cost_of_profiles(const Placement& placement,
                                                KernelProfiles profiles) {
  check_placement(placement);
  return std::make_unique<ProfileCost>(placement, std::move(profiles));
}

}  // namespace headway
