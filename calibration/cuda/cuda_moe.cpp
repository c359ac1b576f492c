// The routed experts of one layer on the card: gate and up, SwiGLU, down, and the sum over a
// token's experts, by grouped products of our own.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calibration/cpu/cpu_operator.hpp"
#include "calibration/cuda/cuda_operator.hpp"
#include "calibration/cuda/device_matrix.hpp"
#include "calibration/cuda/expert_layout.hpp"
#include "calibration/cuda/row_kernels.hpp"

namespace headway {

namespace {

class CudaMoe : public CudaOperator {
 public:
  CudaMoe(CudaGpu& gpu, const OperatorPoint& point, ExpertLayout layout)
      : CudaOperator(gpu),
        hidden_(point.hidden),
        inner_(point.inner),
        fp8_(point.format == "fp8"),
        weight_(1 / static_cast<float>(point.topk)),
        layout_(std::move(layout)) {
    const StorageFormat in = fp8_ ? StorageFormat::fp8_e4m3 : StorageFormat::bf16;
    const auto visits = static_cast<std::int64_t>(layout_.token_of.size());
    const float narrow = 1 / std::sqrt(static_cast<float>(hidden_)),
                wide = 1 / std::sqrt(static_cast<float>(inner_));
    // fp8 has too few bits for small weights; real ones are scaled.
    const float up_scale = fp8_ ? 1 : 4 * narrow, down_scale = fp8_ ? 1 : 4 * wide;
    x_ = {stream(), in, point.tokens, hidden_, fp8_ ? 8 * narrow : 1.0f, 40};
    up_ = {stream(), in, layout_.experts * 2 * inner_, hidden_, up_scale, 41};
    down_ = {stream(), in, layout_.experts * hidden_, inner_, down_scale, 42};
    gate_up_ = {StorageFormat::bf16, visits, 2 * inner_};
    product_ = {in, visits, inner_};
    out_ = {StorageFormat::bf16, visits, hidden_};
    y_ = {StorageFormat::bf16, point.tokens, hidden_};
    tiles_ = device_copy(layout_.tiles);
    token_of_ = device_copy(layout_.token_of);
    visits_ = device_copy(layout_.visits);
    first_ = device_copy(layout_.first);
  }

  double flops() const override {
    return 6.0 * static_cast<double>(out_.rows()) * static_cast<double>(hidden_ * inner_);
  }
  double memory_bytes() const override { return up_.bytes() + down_.bytes(); }

 protected:
  void launch() override {
    launch_grouped(stream(), product(x_, token_of_.as<std::int32_t>(), up_, gate_up_));
    if (fp8_)
      launch_activation_fp8(stream(), gate_up_.data(), product_.data(), product_.rows(), inner_);
    else
      launch_activation(stream(), gate_up_.data(), product_.data(), product_.rows(), inner_);
    launch_grouped(stream(), product(product_, nullptr, down_, out_));
    launch_sum_visits(stream(), out_.data(), visits_.as<std::int32_t>(), first_.as<std::int32_t>(),
                      weight_, y_.data(), y_.rows(), hidden_);
  }

  // Each step is compared with what the one before it left, by its own format's tolerance; the
  // error is told on the scale of the products'.
  Verification compare() override {
    Comparison up, activation, down, sum;
    const std::int64_t visits = out_.rows();
    for (std::int64_t i = 0; i < kCompared && visits > 0; ++i) {
      const std::int64_t visit = i * 2654435761 % visits;
      const std::int64_t token = layout_.token_of[static_cast<std::size_t>(visit)];
      const std::int64_t expert = expert_of(visit), a = i * 40503 % (2 * inner_),
                         b = i * 40503 % inner_, c = i * 40503 % hidden_;
      up.add(value(gate_up_, visit, a), dot(x_.row(token), up_.row(expert * 2 * inner_ + a)));
      const double gate = value(gate_up_, visit, b);
      activation.add(value(product_, visit, b),
                     gate / (1 + std::exp(-gate)) * value(gate_up_, visit, inner_ + b));
      down.add(value(out_, visit, c), dot(product_.row(visit), down_.row(expert * hidden_ + c)));
      sum.add(value(y_, token, c), plain_sum(token, c));
    }
    // Tokens whose experts are all on other GPUs have nothing but zeros.
    for (std::int64_t i = 0; i < 4; ++i) {
      const std::int64_t token = i * 2654435761 % y_.rows();
      sum.add(value(y_, token, 0), plain_sum(token, 0));
    }
    Verification verification = sum.result(kTolerance);
    const auto add = [&](const Comparison& step, double tolerance) {
      const Verification other = step.result(tolerance);
      verification.error = std::max(verification.error, other.error * kTolerance / tolerance);
      verification.compared += other.compared;
    };
    add(up, kTolerance);
    add(activation, fp8_ ? 2 * storage_epsilon(StorageFormat::fp8_e4m3) : kTolerance);
    add(down, kTolerance);
    return verification;
  }

 private:
  static constexpr std::int64_t kCompared = 16;
  static constexpr double kTolerance = 2e-2;

  static double value(const DeviceMatrix& matrix, std::int64_t row, std::int64_t column) {
    return static_cast<double>(matrix.value(row, column));
  }
  std::int64_t expert_of(std::int64_t visit) const {
    for (const ExpertTile& tile : layout_.tiles)
      if (visit < tile.end) return tile.expert;
    return 0;
  }
  double plain_sum(std::int64_t token, std::int64_t column) const {
    double total = 0;
    for (auto i = static_cast<std::size_t>(layout_.first[static_cast<std::size_t>(token)]);
         i < static_cast<std::size_t>(layout_.first[static_cast<std::size_t>(token) + 1]); ++i)
      total += value(out_, layout_.visits[i], column);
    return static_cast<double>(weight_) * total;
  }
  GroupedArguments product(const DeviceMatrix& x, const std::int32_t* rows, const DeviceMatrix& w,
                           const DeviceMatrix& y) const {
    GroupedArguments in;
    in.x = x.data(), in.rows = rows, in.w = w.data(), in.y = y.data();
    in.tiles = tiles_.as<ExpertTile>();
    in.tile_count = static_cast<std::int32_t>(layout_.tiles.size());
    in.tile_rows = layout_.tile_rows;
    in.n = y.columns(), in.k = x.columns();
    in.fp8 = fp8_;
    return in;
  }

  std::int64_t hidden_, inner_;
  bool fp8_;
  float weight_;
  ExpertLayout layout_;
  DeviceMatrix x_, up_, down_, gate_up_, product_, out_, y_;
  DeviceBuffer tiles_, token_of_, visits_, first_;
};

}  // namespace

std::unique_ptr<CudaOperator> make_cuda_moe(CudaGpu& gpu, const OperatorPoint& point,
                                            double limit) {
  const bool fp8 = point.format == "fp8";
  if (point.format != "bf16" && !(fp8 && gpu.capability() >= 89))
    throw PointError(PointFault::unsupported,
                     fmt::format("experts in {} on sm_{}; it has bf16, and fp8 from sm_89 on",
                                 point.format, gpu.capability()));
  if (point.hidden % 16 != 0 || point.inner % 16 != 0)
    throw PointError(PointFault::unsupported,
                     "experts whose hidden or inner size 16 does not divide");
  const auto real = [](std::int64_t value) { return static_cast<double>(value); };
  if (real(point.tokens) * real(point.topk) > 1 << 26)
    throw PointError(PointFault::unsupported, "over 2^26 visits to experts");
  if (point.experts > 1 << 16) throw PointError(PointFault::unsupported, "over 65,536 experts");
  ExpertLayout layout = lay_experts(expert_visits(point), point.tokens);
  const double bytes = fp8 ? 1 : 2,
               visits = real(static_cast<std::int64_t>(layout.token_of.size()));
  check_device_memory(3 * bytes * layout.experts * real(point.hidden) * real(point.inner) +
                          visits * (6 * real(point.inner) + 2 * real(point.hidden)) +
                          4 * real(point.tokens) * real(point.hidden),
                      limit);
  return std::make_unique<CudaMoe>(gpu, point, std::move(layout));
}

}  // namespace headway
