// Norm, activation, rotary embedding, embedding, sampler and copy of the CPU backend.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "calibration/cpu/cpu_operator.hpp"

namespace headway {

namespace {

using Array = Eigen::Map<Eigen::ArrayXf>;
using InArray = Eigen::Map<const Eigen::ArrayXf>;

constexpr double kTolerance = 1e-5;
constexpr std::int64_t kCompared = 64;
constexpr float kEpsilon = 1e-6f;  // of the norm, as models have it

// Rows of `width` numbers; `run_row` and `plain` say what becomes of them.
class RowOperator : public CpuOperator {
 public:
  RowOperator(std::int64_t rows, std::int64_t in, std::int64_t out)
      : rows_(rows), in_(in), out_(out), x_(filled(rows * in, 1, 6)) {
    y_.resize(static_cast<std::size_t>(rows * out));
  }
  double memory_bytes() const override { return 4.0 * static_cast<double>(x_.size() + y_.size()); }

 protected:
  virtual void run_row(const float* x, std::int64_t row, float* y) = 0;
  virtual double plain(const float* x, std::int64_t row, std::int64_t column) const = 0;

  void run(const Deadline& deadline) override {
    for (std::int64_t row = 0; row < rows_; ++row) {
      if (row % 64 == 0) deadline.check();
      run_row(x_.data() + row * in_, row, y_.data() + row * out_);
    }
  }
  Verification compare() const override {
    Comparison comparison;
    for (std::int64_t i = 0; i < kCompared; ++i) {
      const std::int64_t row = i * 2654435761 % rows_, column = i * 40503 % out_;
      comparison.add(y_[static_cast<std::size_t>(row * out_ + column)],
                     plain(x_.data() + row * in_, row, column));
    }
    return comparison.result(kTolerance);
  }
  std::int64_t in() const { return in_; }
  std::int64_t out() const { return out_; }

 private:
  std::int64_t rows_, in_, out_;
  std::vector<float> x_, y_;
};

// Root mean square norm (arXiv 1910.07467) of the sum with the residual stream.
class CpuNorm : public RowOperator {
 public:
  CpuNorm(std::int64_t tokens, std::int64_t width)
      : RowOperator(tokens, width, width),
        residual_(filled(tokens * width, 1, 7)),
        weight_(filled(width, 1, 8)),
        sum_(static_cast<std::size_t>(width)) {}

 protected:
  void run_row(const float* x, std::int64_t row, float* y) override {
    Array sum(sum_.data(), in());
    sum = InArray(x, in()) + InArray(residual_.data() + row * in(), in());
    const float scale = 1 / std::sqrt(sum.square().mean() + kEpsilon);
    Array(y, in()) = sum * scale * InArray(weight_.data(), in());
  }
  double plain(const float* x, std::int64_t row, std::int64_t column) const override {
    const auto sum = [&](std::int64_t i) {
      return static_cast<double>(x[i]) +
             static_cast<double>(residual_[static_cast<std::size_t>(row * in() + i)]);
    };
    double squares = 0;
    for (std::int64_t i = 0; i < in(); ++i) squares += sum(i) * sum(i);
    return sum(column) * static_cast<double>(weight_[static_cast<std::size_t>(column)]) /
           std::sqrt(squares / static_cast<double>(in()) + static_cast<double>(kEpsilon));
  }

 private:
  std::vector<float> residual_, weight_, sum_;
};

// SwiGLU (arXiv 2002.05202): silu(gate) · up.
class CpuActivation : public RowOperator {
 public:
  CpuActivation(std::int64_t tokens, std::int64_t width) : RowOperator(tokens, 2 * width, width) {}

 protected:
  void run_row(const float* x, std::int64_t, float* y) override {
    const InArray gate(x, out()), up(x + out(), out());
    Array(y, out()) = gate / (1 + (-gate).exp()) * up;
  }
  double plain(const float* x, std::int64_t, std::int64_t column) const override {
    const auto gate = static_cast<double>(x[column]);
    return gate / (1 + std::exp(-gate)) * static_cast<double>(x[out() + column]);
  }
};

// Rotary embedding (arXiv 2104.09864) of pairs that stand half a row apart, position = row.
class CpuRotary : public RowOperator {
 public:
  CpuRotary(std::int64_t tokens, std::int64_t width) : RowOperator(tokens, width, width) {
    for (std::int64_t token = 0; token < tokens; ++token)
      for (std::int64_t i = 0; i < width / 2; ++i) {
        cosines_.push_back(static_cast<float>(std::cos(angle(token, i))));
        sines_.push_back(static_cast<float>(std::sin(angle(token, i))));
      }
  }

 protected:
  void run_row(const float* x, std::int64_t row, float* y) override {
    const std::int64_t half = in() / 2;
    const InArray low(x, half), high(x + half, half);
    const InArray cosine(cosines_.data() + row * half, half),
        sine(sines_.data() + row * half, half);
    Array(y, half) = low * cosine - high * sine;
    Array(y + half, half) = high * cosine + low * sine;
  }
  double plain(const float* x, std::int64_t row, std::int64_t column) const override {
    const std::int64_t half = in() / 2, i = column % half;
    const auto low = static_cast<double>(x[i]), high = static_cast<double>(x[half + i]);
    const double turn = angle(row, i);
    return column < half ? low * std::cos(turn) - high * std::sin(turn)
                         : high * std::cos(turn) + low * std::sin(turn);
  }

 private:
  double angle(std::int64_t row, std::int64_t i) const {
    return static_cast<double>(row) *
           std::pow(10'000.0, -2 * static_cast<double>(i) / static_cast<double>(in()));
  }
  std::vector<float> cosines_, sines_;
};

// Rows of a table in bf16, by token.
class CpuEmbedding : public RowOperator {
 public:
  static constexpr std::int64_t kTableRows = 4096;
  CpuEmbedding(std::int64_t tokens, std::int64_t width)
      : RowOperator(tokens, 1, width), table_(filled_bf16(kTableRows * width, 1, 9)) {}

 protected:
  void run_row(const float*, std::int64_t row, float* y) override {
    widen(table_.data() + token(row) * out(), out(), y);
  }
  double plain(const float*, std::int64_t row, std::int64_t column) const override {
    return to_float(table_[static_cast<std::size_t>(token(row) * out() + column)]);
  }

 private:
  static std::int64_t token(std::int64_t row) { return row * 2654435761 % kTableRows; }
  std::vector<Bf16> table_;
};

// Draws a token from the softmax of a row of logits: the first whose cumulative weight passes the
// row's share.
class CpuSampler : public RowOperator {
 public:
  CpuSampler(std::int64_t batch, std::int64_t width)
      : RowOperator(batch, width, 1), weights_(static_cast<std::size_t>(width)) {}

 protected:
  void run_row(const float* x, std::int64_t row, float* y) override {
    const InArray logits(x, in());
    Array weights(weights_.data(), in());
    weights = (logits - logits.maxCoeff()).exp();
    const double target = share(row) * static_cast<double>(weights.sum());
    double sum = 0;
    std::int64_t token = 0;
    while (token < in() - 1 &&
           (sum += static_cast<double>(weights_[static_cast<std::size_t>(token)])) < target)
      ++token;
    y[0] = static_cast<float>(token);
  }
  double plain(const float* x, std::int64_t row, std::int64_t) const override {
    double total = 0, sum = 0;
    for (std::int64_t i = 0; i < in(); ++i) total += std::exp(static_cast<double>(x[i]));
    std::int64_t token = 0;
    while (token < in() - 1 &&
           (sum += std::exp(static_cast<double>(x[token]))) < share(row) * total)
      ++token;
    return static_cast<double>(token);
  }
  Verification compare() const override {
    // Sums in float may end a few tokens off where the weights are small.
    Verification verification = RowOperator::compare();
    verification.tolerance = 1e-3;
    return verification;
  }

 private:
  static double share(std::int64_t row) { return (static_cast<double>(row % 97) + 0.5) / 97; }
  std::vector<float> weights_;
};

class CpuCopy : public CpuOperator {
 public:
  explicit CpuCopy(std::int64_t bytes)
      : from_(static_cast<std::size_t>(bytes)), to_(static_cast<std::size_t>(bytes)) {
    for (std::size_t i = 0; i < from_.size(); ++i) from_[i] = static_cast<char>(i * 131 % 251);
  }
  double memory_bytes() const override { return 2.0 * static_cast<double>(from_.size()); }

 protected:
  void run(const Deadline& deadline) override {
    deadline.check();
    std::memcpy(to_.data(), from_.data(), from_.size());
  }
  Verification compare() const override {
    Comparison comparison;
    for (std::size_t i = 0; i < to_.size(); i += 1 + to_.size() / 1024)
      comparison.add(to_[i], from_[i]);
    comparison.add(to_.back(), from_.back());
    return comparison.result(0);
  }

 private:
  std::vector<char> from_, to_;
};

}  // namespace

std::unique_ptr<CpuOperator> make_cpu_elementwise(const OperatorPoint& point, double limit) {
  const auto tokens = static_cast<double>(std::max(point.tokens, point.batch)),
             width = static_cast<double>(point.width);
  check_memory(12 * tokens * width + 2 * CpuEmbedding::kTableRows * width +
                   2 * static_cast<double>(point.bytes),
               limit);
  if (point.op == "norm") return std::make_unique<CpuNorm>(point.tokens, point.width);
  if (point.op == "activation") return std::make_unique<CpuActivation>(point.tokens, point.width);
  if (point.op == "embedding") return std::make_unique<CpuEmbedding>(point.tokens, point.width);
  if (point.op == "sampler") return std::make_unique<CpuSampler>(point.batch, point.width);
  if (point.op == "copy") return std::make_unique<CpuCopy>(point.bytes);
  if (point.width % 2 != 0)
    throw PointError(PointFault::unsupported, "rotary embedding of an odd width");
  return std::make_unique<CpuRotary>(point.tokens, point.width);
}

}  // namespace headway
