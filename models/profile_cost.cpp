// Step cost from measured operator times, and from the roofline where nothing was measured.
#include "models/profile_cost.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>
#include <vector>

#include "models/attention_cost.hpp"
#include "models/catalog.hpp"
#include "models/fixed_point.hpp"
#include "models/kernel_profiles.hpp"
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

/// The profile's name of a product's format; empty where it has none: a weight-only product of a
/// format whose products the GPU does not make.
std::string product_format(const Placement& placement, const Operator& op) {
  if (bytes(op.format) == 2 && op.kind == OperatorKind::gemm && op.format != NumberFormat::fp16) {
    // A 16-bit product: of 16-bit weights, or of weights that are expanded on the way.
    const double elements = static_cast<double>(op.n) * static_cast<double>(op.k);
    const double rows = static_cast<double>(op.m) * static_cast<double>(op.n + op.k) * 2;
    if (op.memory_bytes - rows > 1.9 * elements) return "bf16";
  }
  const NumberFormat weights = placement.precision.weights;
  if (bytes(weights) == 2) return "bf16";
  if (op.format != compute_format(placement)) return "bf16";
  if (op.format != default_activations(weights)) return {};
  if (weights == NumberFormat::fp8 && placement.architecture.latent()) return "fp8_block";
  return number_format_name(weights);
}

/// Finds the measured times of the operators of one placement.
class OperatorTimes {
 public:
  OperatorTimes(const Placement& placement, const KernelProfiles& profiles)
      : placement_(placement), profiles_(profiles) {}

  /// The times of `op`, whose shape but for the tokens stays; nothing where the roofline has to do.
  std::optional<ShapeTimes> find(const Operator& op) const {
    switch (op.kind) {
      case OperatorKind::gemm: {
        const std::string format = product_format(placement_, op);
        if (format.empty()) return std::nullopt;
        const FoundFamily found = profiles_.find("gemm", format);
        // Kernels that expand weights are each engine's own.
        if (!found || (op.weight_only && !found.of_engine(placement_.engine.kernels_of()))) {
          return std::nullopt;
        }
        return gemm_times(*found.family, format, op.n, op.k);
      }
      case OperatorKind::expert_gemm:
        return experts();
      case OperatorKind::elementwise:
        return elementwise(op.name);
      case OperatorKind::all_reduce:
        return collective("all_reduce");
      default:
        return std::nullopt;
    }
  }

  /// The axis of those times: tokens, or bytes.
  static double coordinate(const Placement& placement, const Operator& op, std::int64_t tokens) {
    switch (op.kind) {
      case OperatorKind::elementwise:
        return std::string_view(op.name) == "sampler" ? static_cast<double>(tokens)
                                                      : op.memory_bytes;
      case OperatorKind::all_reduce:
        return static_cast<double>(tokens) * placement.architecture.hidden * 2;
      default:
        return static_cast<double>(tokens);
    }
  }

 private:
  ExpertShape expert_shape() const {
    const Architecture& a = placement_.architecture;
    const std::int64_t tensor = placement_.parallel.tensor;
    const std::int64_t spread = std::max(1, placement_.parallel.expert);
    return {a.hidden, std::max<std::int64_t>(1, a.moe_intermediate * spread / tensor), a.experts,
            a.experts_per_token, spread};
  }

  std::optional<ShapeTimes> experts() const {
    const NumberFormat weights = placement_.precision.weights;
    const std::string format = bytes(weights) == 2 ? "bf16" : number_format_name(weights);
    std::vector<std::string> names = {format};
    if (weights == NumberFormat::fp8 && placement_.architecture.latent()) {
      names.insert(names.begin(), "fp8_block");
    }
    for (const std::string& name : names) {
      const FoundFamily found = profiles_.find("moe", name);
      if (found) return expert_times(*found.family, format, expert_shape());
    }
    for (const std::string& name : names) {
      std::string gpu;
      FoundFamily found = profiles_.find_elsewhere("moe_as_measured", name, &gpu);
      if (!found) found = profiles_.find_elsewhere("moe", name, &gpu);
      if (!found) continue;
      auto times = expert_times(*found.family, format, expert_shape());
      if (times) return scaled_from(load_gpu(gpu), *found.family, *times);
    }
    return std::nullopt;
  }

  /// What another card's experts tell of this one's. While the step reads weights, the roofline of
  /// this card; from the tokens on that touch every expert four times, what the other card's times
  /// add to that moment, in proportion to the two cards' rooflines: padding and uneven experts cost
  /// on both.
  ShapeTimes scaled_from(const Gpu& other, const ProfileFamily& family,
                         const ShapeTimes& times) const {
    Engine engine = placement_.engine;
    engine.weight_only_flops = 0;  // the other card's kernel is in its times
    const auto roofline = [this, &engine](const Gpu& gpu, std::int64_t tokens) {
      Placement placed = placement_;
      placed.gpu = gpu;
      if (!(gpu.flops(compute_format(placed)) > 0)) {
        placed.precision.activations = NumberFormat::bf16;
      }
      std::vector<Operator> operators;
      list_token_operators(placed, tokens, operators);
      double seconds = 0;
      for (const Operator& op : operators) {
        if (op.kind != OperatorKind::expert_gemm) continue;
        const OperatorTime time = roofline_time(op, gpu, engine);
        seconds += time.total() - time.fixed_seconds;
      }
      return seconds;
    };
    const Architecture& a = placement_.architecture;
    const double all_touched = 4.0 * a.experts / a.experts_per_token;
    const double there = times.grid.at(all_touched).seconds;
    const double launches = 2 * placement_.engine.kernel_seconds;
    std::vector<double> seconds;
    for (const double tokens : family.axes[0]) {
      const auto count = static_cast<std::int64_t>(tokens);
      const double here = roofline(placement_.gpu, count);
      const double reading = roofline(placement_.gpu, static_cast<std::int64_t>(all_touched));
      const double added =
          std::max(0.0, times.grid.at(tokens).seconds - there) * here / roofline(other, count);
      seconds.push_back(launches + (tokens > all_touched ? std::max(here, reading + added) : here));
    }
    return {family.grid(seconds), TimeSource::roofline, false};
  }

  std::optional<ShapeTimes> elementwise(std::string_view name) const {
    if (name == "sampler") {
      const FoundFamily found = profiles_.find("sampler", "bf16");
      const std::int64_t vocab = placement_.architecture.vocab;
      return found ? sized_times(*found.family, "width", vocab) : std::nullopt;
    }
    const char* op = name == "norm"        ? "norm"
                     : name == "embedding" ? "embedding"
                     : name == "rotary_and_kv_write" && !placement_.architecture.latent()
                         ? "rotary"
                         : "activation";
    const FoundFamily found = profiles_.find(op, "bf16");
    if (!found) return std::nullopt;
    return ShapeTimes{found.family->grid(found.family->rows.front().seconds),
                      TimeSource::interpolation, false};
  }

  /// Cards on PCIe without a table of their own take another such card's, in proportion to the
  /// bandwidth.
  std::optional<ShapeTimes> collective(const char* op) const {
    const std::int64_t group = placement_.parallel.tensor;
    const Gpu& gpu = placement_.gpu;
    if (const FoundFamily found = profiles_.find(op, "bf16")) {
      return sized_times(*found.family, "gpus", group);
    }
    if (gpu.nvlink_bytes_per_second > 0 || gpu.collective_efficiency > 0) return std::nullopt;
    const Gpu other = load_gpu("l40s-48gb");
    const FoundFamily found = profiles_.find_in("l40s", op, "bf16");
    if (!found) return std::nullopt;
    auto times = sized_times(*found.family, "gpus", group);
    if (!times) return std::nullopt;
    const double factor = other.pcie_bytes_per_second / gpu.pcie_bytes_per_second;
    return ShapeTimes{times->grid.scaled(factor), TimeSource::roofline, times->outside};
  }

  const Placement& placement_;
  const KernelProfiles& profiles_;
};

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
