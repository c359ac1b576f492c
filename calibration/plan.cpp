#include "calibration/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "calibration/calibration_error.hpp"
#include "calibration/operator_form.hpp"
#include "calibration/plan_axis.hpp"
#include "models/operators.hpp"
#include "models/placement.hpp"
#include "models/units.hpp"

namespace headway {

namespace {

using Points = std::vector<OperatorPoint>;
using Values = std::vector<std::int64_t>;

std::int64_t bit_floor(std::int64_t value) {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(value)));
}

// Points of one operator family and their rank in the whole: (place + ½) / count, so that all
// families advance together.
struct Ranked {
  double rank = 0;
  OperatorPoint point;
};

// A product's shape on one GPU.
struct ProductShape {
  std::int64_t n = 0, k = 0;
  bool quantised = false;
  auto operator<=>(const ProductShape&) const = default;
};

// The plan of one model, tensor size, precision and KV format.
class OnePlan {
 public:
  OnePlan(const PlanRequest& request, std::int32_t tensor, std::string precision, std::string kv,
          std::vector<Ranked>& plan)
      : model_(request.architecture),
        limits_(request.limits),
        tensor_(tensor),
        precision_(std::move(precision)),
        kv_(std::move(kv)),
        plan_(plan) {
    limits_.max_model_len = std::min(limits_.max_model_len, model_.max_positions);
    heads_ = model_.heads / tensor;
    kv_heads_ = std::max(1, model_.kv_heads / tensor);
    batches_ = geometric_axis(1, limits_.max_num_seqs, 4);
    // Powers of two: a profile keeps contexts and chunks of mixed batches at those.
    longest_ = bit_floor(limits_.max_model_len);
    largest_chunk_ = bit_floor(std::min(limits_.max_num_batched_tokens, limits_.max_model_len));
    contexts_ = geometric_axis(std::min<std::int64_t>(128, longest_), longest_, 4);
  }

  void add() {
    add_products();
    add_head();
    if (model_.latent()) {
      add_latent();
    } else {
      if (model_.window_layers < model_.layers) add_attention(0);
      if (model_.window_layers > 0) add_attention(model_.window);
    }
    add_elementwise();
    if (model_.experts > 0) add_experts();
    if (tensor_ > 1 && tensor_ <= limits_.gpus) add_collectives();
  }

 private:
  OperatorPoint point(const char* op, bool quantised = false) const {
    OperatorPoint made;
    made.op = op;
    made.format = quantised ? precision_ : "bf16";
    return made;
  }
  OperatorPoint attention(const char* op, std::int64_t window) const {
    OperatorPoint made = point(op);
    made.kv = kv_;
    made.heads = heads_, made.kv_heads = kv_heads_, made.head_dim = model_.head_dim;
    made.window = window;
    return made;
  }
  void rank(Points points);
  Points grid(const OperatorPoint& base, std::int64_t OperatorPoint::*x, const Values& xs,
              std::int64_t OperatorPoint::*y, const Values& ys) const;

  void add_products();
  void add_head();
  void add_attention(std::int64_t window);
  void add_skew(std::int64_t window);
  void add_latent();
  void add_elementwise();
  void add_experts();
  void add_collectives();
  bool fits(const OperatorPoint& point) const;

  const Architecture& model_;
  PlanLimits limits_;
  std::int64_t tensor_, heads_ = 0, kv_heads_ = 0, longest_ = 0, largest_chunk_ = 0;
  std::string precision_, kv_;
  Values batches_, contexts_;
  std::vector<Ranked>& plan_;
};

// Bytes of the largest buffers of a point, roughly: weights, keys and values, activations.
bool OnePlan::fits(const OperatorPoint& p) const {
  const auto real = [](std::int64_t value) { return static_cast<double>(value); };
  const double rows = p.op == "attention_prefill" ? real(p.prefix + p.chunk) : real(p.context);
  const double bytes =
      2 * (real(p.n) * real(p.k) + real(p.m) * real(p.n + p.k)) +
      4 * real(std::max<std::int64_t>(1, p.batch)) * rows * real(p.kv_heads) * real(p.head_dim) +
      6 * real(p.experts) * real(p.hidden) * real(p.inner) /
          std::max(1.0, real(p.expert_parallel)) +
      8 * real(p.tokens + p.batch) * real(p.width) + 2 * real(p.bytes);
  return bytes <= limits_.memory_bytes;
}

void OnePlan::rank(Points points) {
  std::erase_if(points, [&](const OperatorPoint& each) { return !fits(each); });
  const auto count = static_cast<double>(points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    plan_.push_back({(static_cast<double>(i) + 0.5) / count, std::move(points[i])});
}

// All pairs of two axes, coarse ones first: by the sum of the places in the order of refinement.
Points OnePlan::grid(const OperatorPoint& base, std::int64_t OperatorPoint::*x, const Values& xs,
                     std::int64_t OperatorPoint::*y, const Values& ys) const {
  const std::vector<std::size_t> in_x = refinement_order(xs.size()),
                                 in_y = refinement_order(ys.size());
  Points points;
  for (std::size_t sum = 0; sum + 1 < xs.size() + ys.size(); ++sum)
    for (std::size_t i = 0; i < xs.size() && i <= sum; ++i) {
      if (sum - i >= ys.size()) continue;
      points.push_back(base);
      points.back().*x = xs[in_x[i]];
      points.back().*y = ys[in_y[sum - i]];
    }
  return points;
}

void OnePlan::add_products() {
  constexpr std::size_t kProducts = 180, kFewest = 12;
  // The shapes are those that the cost of a step asks for. fp8 stands for any quantised format: it
  // marks the products whose weights are quantised.
  Placement placement;
  placement.architecture = model_;
  placement.parallel.tensor = static_cast<std::int32_t>(tensor_);
  placement.precision.weights = NumberFormat::fp8;
  placement.gpu.half_flops = placement.gpu.fp8_flops = 1;
  std::vector<Operator> operators;
  list_token_operators(placement, 1, operators);
  std::set<ProductShape> shapes;
  for (const Operator& each : operators)
    if (each.kind == OperatorKind::gemm)
      shapes.insert({each.n, each.k, each.format == NumberFormat::fp8});
  const Values tokens = thinned(token_axis(limits_.max_num_batched_tokens),
                                std::max(kFewest, kProducts / shapes.size()));
  Points points;
  for (const std::size_t index : refinement_order(tokens.size()))
    for (const ProductShape& shape : shapes) {
      OperatorPoint product = point("gemm", shape.quantised);
      product.m = tokens[index], product.n = shape.n, product.k = shape.k;
      points.push_back(product);
    }
  rank(std::move(points));
}

void OnePlan::add_head() {
  constexpr std::size_t kSizes = 9;
  const Values batches = thinned(geometric_axis(1, limits_.max_num_seqs, 2), kSizes);
  Points points;
  for (const std::size_t index : refinement_order(batches.size())) {
    OperatorPoint head = point("gemm");
    head.m = batches[index];
    head.n = (model_.vocab + tensor_ - 1) / tensor_;
    head.k = model_.hidden;
    points.push_back(head);
    OperatorPoint sampler = point("sampler");
    sampler.batch = batches[index];
    sampler.width = model_.vocab;
    points.push_back(sampler);
  }
  rank(std::move(points));
}

void OnePlan::add_attention(std::int64_t window) {
  constexpr std::size_t kSide = 5, kChunks = 4;
  // Decodes alone.
  const Values batches = thinned(batches_, kSide), contexts = thinned(contexts_, kSide);
  rank(grid(attention("attention_decode", window), &OperatorPoint::batch, batches,
            &OperatorPoint::context, contexts));
  // Prompts by chunk, after prefixes that are powers of two.
  const Values chunks = thinned(
      geometric_axis(std::min<std::int64_t>(128, largest_chunk_), largest_chunk_, 4), kChunks);
  Values prefixes = {0};
  for (std::int64_t prefix = 1; prefix + chunks.front() <= limits_.max_model_len; prefix *= 2)
    if (prefix >= 512 && prefixes.size() < 6) prefixes.push_back(prefix);
  OperatorPoint prompt = attention("attention_prefill", window);
  prompt.batch = 1;
  Points prompts = grid(prompt, &OperatorPoint::chunk, chunks, &OperatorPoint::prefix,
                        thinned(prefixes, kChunks));
  std::erase_if(prompts, [&](const OperatorPoint& each) {
    return each.chunk + each.prefix > limits_.max_model_len;
  });
  rank(std::move(prompts));
  // Decodes beside a chunk of a prompt.
  OperatorPoint mixed = attention("attention_mixed", window);
  Points both;
  for (const std::int64_t chunk : Values{chunks[chunks.size() / 2], chunks.back()}) {
    mixed.chunk = chunk;
    const Points some = grid(mixed, &OperatorPoint::batch, thinned(batches, 4),
                             &OperatorPoint::context, thinned(contexts, 3));
    both.insert(both.end(), some.begin(), some.end());
    if (chunks.size() < 3) break;
  }
  rank(std::move(both));
  add_skew(window);
}

void OnePlan::add_skew(std::int64_t window) {
  constexpr std::size_t kPoints = 10;
  Points points;
  for (const std::int64_t ratio : {4, 2, 8})
    for (const std::int64_t context : contexts_)
      for (const std::int64_t batch : batches_) {
        OperatorPoint skewed = attention("attention_decode", window);
        skewed.batch = batch;
        skewed.context = context;
        skewed.longest = ratio * context;
        if (batch > ratio && skewed.longest <= limits_.max_model_len && points.size() < kPoints)
          points.push_back(skewed);
      }
  rank(std::move(points));
}

void OnePlan::add_latent() {
  OperatorPoint prefill = point("mla_prefill", true), decode = point("mla_decode", true);
  prefill.kv = decode.kv = kv_;
  prefill.heads = decode.heads = heads_;
  rank(grid(
      prefill, &OperatorPoint::batch, {1, 4}, &OperatorPoint::chunk,
      thinned(geometric_axis(std::min<std::int64_t>(16, largest_chunk_), largest_chunk_, 4), 8)));
  rank(grid(decode, &OperatorPoint::batch, batches_, &OperatorPoint::context, contexts_));
}

void OnePlan::add_elementwise() {
  const std::int64_t inner = model_.experts > 0 && model_.dense_layers == 0
                                 ? model_.moe_intermediate
                                 : model_.intermediate;
  const struct {
    const char* op;
    std::int64_t width;
    std::size_t count;
  } kinds[] = {{"norm", model_.hidden, 10},
               {"activation", inner / tensor_, 10},
               {"rotary", (heads_ + kv_heads_) * model_.head_dim, 5},
               {"embedding", model_.hidden, 5}};
  for (const auto& kind : kinds) {
    const Values tokens = thinned(geometric_axis(1, limits_.max_num_batched_tokens, 2), kind.count);
    Points points;
    for (const std::size_t index : refinement_order(tokens.size())) {
      OperatorPoint each = point(kind.op);
      each.tokens = tokens[index];
      each.width = kind.width;
      if (kind.width > 0) points.push_back(each);
    }
    rank(std::move(points));
  }
  Points copies;
  for (const std::int64_t bytes : {1 << 28, 1 << 20, 1 << 24}) {
    OperatorPoint copy = point("copy");
    copy.bytes = bytes;
    copies.push_back(copy);
  }
  rank(std::move(copies));
}

void OnePlan::add_experts() {
  constexpr std::size_t kDrawn = 20;
  OperatorPoint moe = point("moe", true);
  moe.hidden = model_.hidden;
  moe.inner = model_.moe_intermediate / tensor_;
  moe.experts = model_.experts;
  moe.topk = model_.experts_per_token;
  moe.expert_parallel = 1;
  moe.variant = "uniform";
  const Values tokens = thinned(token_axis(limits_.max_num_batched_tokens), kDrawn);
  Points points;
  for (const std::size_t index : refinement_order(tokens.size())) {
    moe.tokens = tokens[index];
    points.push_back(moe);
  }
  // An uneven router touches fewer experts.
  moe.variant = "touched";
  for (const std::int64_t count : {64, 512})
    for (std::int64_t touched = moe.topk; touched <= moe.experts; touched *= 2) {
      moe.tokens = std::min(count, limits_.max_num_batched_tokens);
      moe.touched = touched;
      if (points.size() < kDrawn + 8) points.push_back(moe);
    }
  rank(std::move(points));
}

void OnePlan::add_collectives() {
  constexpr std::size_t kSizes = 14;
  const Values tokens = thinned(geometric_axis(1, limits_.max_num_batched_tokens, 2), kSizes);
  for (const char* op : {"all_reduce", "all_gather", "all_to_all"}) {
    if (std::string_view(op) == "all_to_all" && model_.experts == 0) continue;
    Points points;
    for (const std::size_t index : refinement_order(tokens.size())) {
      OperatorPoint message = point(op);
      message.gpus = tensor_;
      message.bytes = std::int64_t{2} * model_.hidden * tokens[index];
      points.push_back(message);
    }
    rank(std::move(points));
  }
}

void check(const PlanRequest& request) {
  const PlanLimits& limits = request.limits;
  if (limits.max_num_seqs < 1 || limits.max_num_batched_tokens < 16 || limits.max_model_len < 16)
    throw SampleError(
        "limits below the least: expected max_num_seqs of 1 or more, max_num_batched_tokens and "
        "max_model_len of 16 or more");
  for (const std::int32_t tensor : request.tensor)
    if (tensor < 1 || request.architecture.heads % tensor != 0)
      throw SampleError(fmt::format("a tensor size ({}) that does not divide the {} heads of {}",
                                    tensor, request.architecture.heads, request.architecture.name));
  const std::vector<std::string> names = number_format_names();
  std::vector<std::string> asked = request.precisions;
  asked.insert(asked.end(), request.kv.begin(), request.kv.end());
  for (const std::string& name : asked) {
    if (parse_number_format(name)) continue;
    const std::string nearest = nearest_word(name, names);
    throw SampleError(fmt::format("unknown precision '{}'; expected {}{}", name,
                                  fmt::join(names, ", "),
                                  nearest.empty() ? "" : "; did you mean " + nearest + "?"));
  }
}

}  // namespace

std::vector<OperatorPoint> make_plan(const PlanRequest& request) {
  check(request);
  std::vector<Ranked> plan;
  for (const std::string& precision : request.precisions) {
    std::vector<std::string> kv_formats = request.kv;
    if (kv_formats.empty()) kv_formats.push_back("bf16");
    if (request.kv.empty() && precision == "fp8") kv_formats.push_back("fp8");
    for (const std::int32_t tensor : request.tensor)
      for (const std::string& kv : kv_formats) {
        std::vector<Ranked> one;
        OnePlan(request, tensor, precision, kv, one).add();
        plan.insert(plan.end(), one.begin(), one.end());
      }
  }
  std::stable_sort(plan.begin(), plan.end(),
                   [](const Ranked& a, const Ranked& b) { return a.rank < b.rank; });
  std::vector<OperatorPoint> points;
  std::set<std::string> seen;
  for (Ranked& each : plan)
    if (seen.insert(point_text(each.point)).second) points.push_back(std::move(each.point));
  return points;
}

}  // namespace headway
