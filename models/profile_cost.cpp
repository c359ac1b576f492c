// Step cost from measured operator times, and from the roofline where nothing was measured.
#include "models/profile_cost.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "models/attention_cost.hpp"
#include "models/fixed_point.hpp"
#include "models/fullest_rank.hpp"
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
    stages_ = std::max(1, placement_.parallel.pipeline);
    asynchronous_ = engine.asynchronous;
    device_step_ = engine.device_step_overhead_seconds;
    host_step_ = engine.step_overhead_seconds;
    host_sequence_ = engine.sequence_overhead_seconds;
    host_prefill_token_ = engine.prefill_token_overhead_seconds;
    host_mixed_ = engine.mixed_step_overhead_seconds;
    source_ = profiles_.used().empty() ? "roofline" : "profile " + joined(profiles_.used());
  }

  Picoseconds step(const StepShape& shape) const override {
    return ranks_ > 1 ? step(rank_of(shape), shape.tokens()) : step(shape, shape.tokens());
  }

  void decode_steps(std::int32_t sequences, std::int64_t context, std::int64_t longest, int count,
                    Picoseconds* durations) const override;

  StepLimits limits(const StepShape& shape) const override {
    return ranks_ > 1 ? limits(rank_of(shape), shape.tokens()) : limits(shape, shape.tokens());
  }

  const char* source() const override { return source_.c_str(); }

 private:
  /// What does not change with the contexts.
  struct Constant {
    double gpu = 0, host = 0;
    std::int64_t micro = 1;  // micro-batches
  };

  StepShape rank_of(const StepShape& shape) const {
    return fullest_rank(shape, ranks_, placement_.max_num_batched_tokens);
  }
  StepLimits limits(const StepShape& s, std::int64_t all_tokens) const;

  /// The step of one rank, of which all have `all_tokens`; the same for other functions below.
  Picoseconds step(const StepShape& s, std::int64_t all_tokens) const {
    const Constant constant = of_counts(s, all_tokens);
    double seconds = attention(full_, s, constant.micro).seconds();
    if (local_) seconds += attention(*local_, s, constant.micro).seconds();
    return with_host(constant.gpu + seconds, constant.host);
  }

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
  static std::int64_t share(std::int64_t whole_count, std::int64_t parts) {
    return parts == 1 ? bounded(whole_count) : (bounded(whole_count) + parts - 1) / parts;
  }

  static double one_of(std::int32_t sequences) { return 1.0 / std::max(1, sequences); }

  std::int64_t micro_batches(const StepShape& s) const {
    const std::int64_t sequences = std::int64_t{s.prefill_sequences} + s.decode_sequences;
    return std::clamp<std::int64_t>(sequences, 1, stages_);
  }

  Constant of_counts(const StepShape& s, std::int64_t all_tokens) const {
    Constant constant;
    constant.micro = micro_batches(s);
    constant.gpu =
        device_step_ + tokens_.total(share(s.tokens(), constant.micro)) +
        static_cast<double>(constant.micro) * head_.total(share(s.sampled, constant.micro));
    if (experts_) constant.gpu += experts_->total(share(all_tokens, constant.micro));
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

  struct Attention {
    GridTime prompts, decodes;
    double seconds() const { return prompts.seconds + decodes.seconds; }
  };
  Attention attention(const AttentionCost& layers, const StepShape& s, std::int64_t micro) const {
    const DecodeWork decode = decode_work(s, micro);
    if (s.prefill_tokens == 0) return {{}, layers.decode(decode)};
    const PrefillWork prefill = prefill_work(s, micro);
    return {layers.prefill(prefill), layers.decode_beside(decode, prefill.tokens)};
  }
  void add_attention(const AttentionCost& layers, const Attention& attention,
                     PricedSeconds* sum) const {
    sum->compute += attention.prompts.seconds;
    sum->add_source(attention.prompts.seconds, layers.prefill_source(), attention.prompts.inside);
    (layers.decodes_compute() ? sum->compute : sum->memory) += attention.decodes.seconds;
    sum->add_source(attention.decodes.seconds, layers.decode_source(), attention.decodes.inside);
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
    const double seconds = asynchronous_ ? std::max(gpu, on_host) : gpu + on_host;
    return std::max<Picoseconds>(1, whole(seconds));
  }

  Placement placement_;
  KernelProfiles profiles_;
  AttentionCost full_;
  std::optional<AttentionCost> local_;  // of the layers with a window
  std::int32_t ranks_;                  // of data-parallel attention
  OperatorTable tokens_, head_;
  std::optional<OperatorTable> experts_;  // of several ranks; else experts are among tokens_
  std::int64_t stages_ = 1;
  bool asynchronous_ = false;
  double device_step_ = 0;
  double host_step_ = 0, host_sequence_ = 0, host_prefill_token_ = 0, host_mixed_ = 0;
  std::string source_;
};

void ProfileCost::decode_steps(std::int32_t sequences, std::int64_t context, std::int64_t longest,
                               int count, Picoseconds* durations) const {
  if (ranks_ > 1 || sequences <= 0 || context < 0 || longest < 0 ||
      longest > kLargestAggregate - count ||
      context > kLargestAggregate - std::int64_t{count} * sequences) {
    StepCost::decode_steps(sequences, context, longest, count, durations);
    return;
  }
  StepShape shape;
  shape.decode_sequences = shape.sampled = sequences;
  const Constant constant = of_counts(shape, sequences);
  const std::int64_t batch = share(sequences, constant.micro);
  const double each = one_of(sequences);
  AttentionCost::Run full(full_, batch);
  const auto each_step = [&](auto attention) {
    for (int i = 0; i < count; ++i) {
      const double mean = static_cast<double>(context + std::int64_t{i} * sequences) * each;
      const double most = static_cast<double>(longest + i);
      durations[i] = with_host(constant.gpu + attention(mean, most), constant.host);
    }
  };
  if (!local_) return each_step([&](double mean, double most) { return full.at(mean, most); });
  AttentionCost::Run local(*local_, batch);
  each_step([&](double mean, double most) { return full.at(mean, most) + local.at(mean, most); });
}

StepLimits ProfileCost::limits(const StepShape& s, std::int64_t all_tokens) const {
  const Constant constant = of_counts(s, all_tokens);
  PricedSeconds sum = tokens_.seconds(share(s.tokens(), constant.micro));
  sum.add(head_.seconds(share(s.sampled, constant.micro)), static_cast<double>(constant.micro));
  if (experts_) sum.add(experts_->seconds(share(all_tokens, constant.micro)), 1);
  const Attention full = attention(full_, s, constant.micro);
  double seconds = full.seconds();
  add_attention(full_, full, &sum);
  if (local_) {
    const Attention local = attention(*local_, s, constant.micro);
    seconds += local.seconds();
    add_attention(*local_, local, &sum);
  }

  StepLimits parts;
  Picoseconds left = with_host(constant.gpu + seconds, constant.host);
  const auto take = [&left](double part_seconds) {
    const Picoseconds part = std::min(left, whole(part_seconds));
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
  return make_cost_of_profiles(placement, KernelProfiles(placement.gpu, placement.engine, files));
}

std::unique_ptr<StepCost> make_cost_of_profiles(const Placement& placement,
                                                KernelProfiles profiles) {
  check_placement(placement);
  return std::make_unique<ProfileCost>(placement, std::move(profiles));
}

}  // namespace headway
