// The routed experts of one layer on the CPU: gather, gate and up, SwiGLU, down, scatter.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "calibration/cpu/cpu_gemm.hpp"
#include "calibration/cpu/cpu_operator.hpp"
#include "calibration/point_work.hpp"

namespace headway {

namespace {

using Array = Eigen::Map<Eigen::ArrayXf>;
using InArray = Eigen::Map<const Eigen::ArrayXf>;

constexpr double kTolerance = 1e-4;

// An expert with tokens: where its visits stand, and its weights.
struct Expert {
  std::size_t begin = 0, end = 0;
  std::vector<Bf16> gate_up, down;  // [2 · inner, hidden], [hidden, inner]
};

class CpuMoe : public CpuOperator {
 public:
  CpuMoe(const OperatorPoint& point, std::vector<ExpertVisit> visits)
      : tokens_(point.tokens),
        hidden_(point.hidden),
        inner_(point.inner),
        weight_(1 / static_cast<float>(point.topk)),
        visits_(std::move(visits)) {
    x_ = filled(tokens_ * hidden_, 1, 10);
    y_.resize(x_.size());
    const float in = 1 / std::sqrt(static_cast<float>(hidden_)),
                out = 1 / std::sqrt(static_cast<float>(inner_));
    for (std::size_t begin = 0; begin < visits_.size();) {
      std::size_t end = begin;
      while (end < visits_.size() && visits_[end].expert == visits_[begin].expert) ++end;
      const auto salt = static_cast<std::uint32_t>(visits_[begin].expert) * 2 + 11;
      experts_.push_back({begin, end, filled_bf16(2 * inner_ * hidden_, in, salt),
                          filled_bf16(inner_ * hidden_, out, salt + 1)});
      begin = end;
    }
  }
  double flops() const override {
    return 6.0 * static_cast<double>(visits_.size()) * static_cast<double>(hidden_ * inner_);
  }
  double memory_bytes() const override {
    return 6.0 * static_cast<double>(experts_.size()) * static_cast<double>(hidden_ * inner_);
  }

 protected:
  void run(const Deadline& deadline) override {
    std::fill(y_.begin(), y_.end(), 0.0f);
    for (const Expert& expert : experts_) {
      const auto count = static_cast<std::int64_t>(expert.end - expert.begin);
      gathered_.resize(static_cast<std::size_t>(count * hidden_));
      wide_.resize(static_cast<std::size_t>(count * 2 * inner_));
      narrow_.resize(static_cast<std::size_t>(count * inner_));
      result_.resize(static_cast<std::size_t>(count * hidden_));
      for (std::int64_t i = 0; i < count; ++i)
        std::copy_n(x_.data() + token(expert, i) * hidden_, hidden_,
                    gathered_.data() + i * hidden_);
      cpu_linear(gathered_.data(), expert.gate_up.data(), count, 2 * inner_, hidden_, wide_.data(),
                 deadline);
      for (std::int64_t i = 0; i < count; ++i) {
        const InArray gate(wide_.data() + i * 2 * inner_, inner_),
            up(wide_.data() + (i * 2 + 1) * inner_, inner_);
        Array(narrow_.data() + i * inner_, inner_) = gate / (1 + (-gate).exp()) * up;
      }
      cpu_linear(narrow_.data(), expert.down.data(), count, hidden_, inner_, result_.data(),
                 deadline);
      for (std::int64_t i = 0; i < count; ++i)
        Array(y_.data() + token(expert, i) * hidden_, hidden_) +=
            weight_ * InArray(result_.data() + i * hidden_, hidden_);
    }
  }

  Verification compare() const override {
    Comparison comparison;
    for (std::int64_t i = 0; i < 4; ++i) {
      const std::int64_t row = i * 2654435761 % tokens_, column = i * 40503 % hidden_;
      comparison.add(y_[static_cast<std::size_t>(row * hidden_ + column)], plain(row, column));
    }
    // Tokens whose experts are all on other GPUs have nothing but zeros.
    if (!visits_.empty()) {
      const std::int64_t row = visits_.front().token;
      comparison.add(y_[static_cast<std::size_t>(row * hidden_)], plain(row, 0));
    }
    return comparison.result(kTolerance);
  }

 private:
  std::int64_t token(const Expert& expert, std::int64_t i) const {
    return visits_[expert.begin + static_cast<std::size_t>(i)].token;
  }

  double plain(std::int64_t row, std::int64_t column) const {
    double sum = 0;
    for (const Expert& expert : experts_) {
      for (std::size_t visit = expert.begin; visit < expert.end; ++visit) {
        if (visits_[visit].token != row) continue;
        std::vector<float> narrow(static_cast<std::size_t>(inner_));
        for (std::int64_t i = 0; i < inner_; ++i) {
          const double gate = plain_linear(x_.data(), expert.gate_up.data(), hidden_, row, i);
          const double up =
              plain_linear(x_.data(), expert.gate_up.data(), hidden_, row, inner_ + i);
          narrow[static_cast<std::size_t>(i)] =
              static_cast<float>(gate / (1 + std::exp(-gate)) * up);
        }
        sum += static_cast<double>(weight_) *
               plain_linear(narrow.data(), expert.down.data(), inner_, 0, column);
      }
    }
    return sum;
  }

  std::int64_t tokens_, hidden_, inner_;
  float weight_;
  std::vector<ExpertVisit> visits_;
  std::vector<Expert> experts_;
  std::vector<float> x_, y_, gathered_, wide_, narrow_, result_;
};

}  // namespace

std::unique_ptr<CpuOperator> make_cpu_moe(const OperatorPoint& point, double limit) {
  std::vector<ExpertVisit> visits = expert_visits(point);
  double touched = 0;
  std::int32_t last = -1;
  for (const ExpertVisit& visit : visits) {
    touched += visit.expert != last ? 1 : 0;
    last = visit.expert;
  }
  const auto hidden = static_cast<double>(point.hidden), inner = static_cast<double>(point.inner);
  check_memory(
      6 * touched * hidden * inner + 16 * static_cast<double>(point.tokens) * (hidden + inner),
      limit);
  return std::make_unique<CpuMoe>(point, std::move(visits));
}

}  // namespace headway
