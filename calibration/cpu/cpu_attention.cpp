// Attention of the CPU backend: the online softmax of FlashAttention (arXiv 2205.14135) over blocks
// of keys that are widened from bf16, for prompts, decodes and both together.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "calibration/cpu/cpu_operator.hpp"
#include "calibration/point_work.hpp"

namespace headway {

namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using InMatrix = Eigen::Map<const Matrix>;

constexpr std::int64_t kKeyBlock = 64;   // keys widened at a time
constexpr std::int64_t kQueryTile = 32;  // queries of a prompt that share a block of keys
constexpr double kTolerance = 1e-3;

// The new tokens of one sequence against its cache.
struct Sequence {
  std::int64_t tokens = 0;                  // the last `tokens` positions are the queries
  std::int64_t keys = 0;                    // cached, the new ones included
  std::int64_t query_row = 0, key_row = 0;  // where they start in the buffers
};

class CpuAttention : public CpuOperator {
 public:
  CpuAttention(const OperatorPoint& point, std::vector<Sequence> sequences);

  double flops() const override { return flops_; }
  double memory_bytes() const override { return 2.0 * static_cast<double>(k_.size() + v_.size()); }

 protected:
  void run(const Deadline& deadline) override;
  Verification compare() const override;

 private:
  // Keys before the first one that the query at `position` sees.
  std::int64_t first_key(std::int64_t position) const {
    return window_ > 0 ? std::max<std::int64_t>(0, position + 1 - window_) : 0;
  }
  void attend(const Sequence& sequence, std::int64_t kv_head, std::int64_t token,
              std::int64_t count);
  double plain(const Sequence& sequence, std::int64_t token, std::int64_t head,
               std::int64_t column) const;

  std::int64_t heads_, kv_heads_, dim_, window_, group_;
  std::vector<Sequence> sequences_;
  std::vector<float> q_, out_;  // [query row][head][dim]
  std::vector<Bf16> k_, v_;     // [kv head][key row][dim]
  std::int64_t key_rows_ = 0;
  double flops_ = 0;
  Matrix queries_, scores_, sums_, keys_, values_;  // of one tile
  Eigen::VectorXf peak_, total_;
};

CpuAttention::CpuAttention(const OperatorPoint& point, std::vector<Sequence> sequences)
    : heads_(point.heads),
      kv_heads_(point.kv_heads),
      dim_(point.head_dim),
      window_(point.window),
      group_(point.heads / point.kv_heads),
      sequences_(std::move(sequences)) {
  std::int64_t queries = 0;
  double pairs = 0;
  for (const Sequence& one : sequences_) {
    queries += one.tokens;
    key_rows_ += one.keys;
    for (std::int64_t token = 0; token < one.tokens; ++token) {
      const std::int64_t position = one.keys - one.tokens + token;
      pairs += static_cast<double>(position + 1 - first_key(position));
    }
  }
  flops_ = 4 * pairs * static_cast<double>(heads_ * dim_);
  q_ = filled(queries * heads_ * dim_, 1, 3);
  out_.resize(q_.size());
  k_ = filled_bf16(key_rows_ * kv_heads_ * dim_, 1, 4);
  v_ = filled_bf16(key_rows_ * kv_heads_ * dim_, 1, 5);
  keys_.resize(kKeyBlock, dim_);
  values_.resize(kKeyBlock, dim_);
}

void CpuAttention::attend(const Sequence& sequence, std::int64_t kv_head, std::int64_t token,
                          std::int64_t count) {
  const std::int64_t rows = count * group_, first = sequence.keys - sequence.tokens + token;
  queries_.resize(rows, dim_);
  const float scale = 1 / std::sqrt(static_cast<float>(dim_));
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t row = sequence.query_row + token + i / group_;
    const float* from = q_.data() + (row * heads_ + kv_head * group_ + i % group_) * dim_;
    queries_.row(i) = scale * Eigen::Map<const Eigen::RowVectorXf>(from, dim_);
  }
  sums_.setZero(rows, dim_);
  peak_.setConstant(rows, -std::numeric_limits<float>::infinity());
  total_.setZero(rows);
  const std::int64_t end = first + count;  // keys that the last query sees
  for (std::int64_t key = first_key(first); key < end; key += kKeyBlock) {
    const std::int64_t width = std::min(kKeyBlock, end - key);
    const std::int64_t at = (kv_head * key_rows_ + sequence.key_row + key) * dim_;
    widen(k_.data() + at, width * dim_, keys_.data());
    widen(v_.data() + at, width * dim_, values_.data());
    scores_.noalias() = queries_ * keys_.topRows(width).transpose();
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::int64_t position = first + i / group_, from = first_key(position);
      auto row = scores_.row(i);
      for (std::int64_t j = std::max<std::int64_t>(0, position + 1 - key); j < width; ++j)
        row(j) = -1e30f;
      for (std::int64_t j = 0; j < std::min(width, from - key); ++j) row(j) = -1e30f;
      const float peak = std::max(peak_(i), row.maxCoeff());
      const float faded = std::exp(peak_(i) - peak);
      row = (row.array() - peak).exp();
      if (position < key || from >= key + width) row.setZero();  // nothing of the block is seen
      total_(i) = total_(i) * faded + row.sum();
      sums_.row(i) *= faded;
      peak_(i) = peak;
    }
    sums_.noalias() += scores_ * values_.topRows(width);
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t row = sequence.query_row + token + i / group_;
    float* to = out_.data() + (row * heads_ + kv_head * group_ + i % group_) * dim_;
    Eigen::Map<Eigen::RowVectorXf>(to, dim_) = sums_.row(i) / total_(i);
  }
}

void CpuAttention::run(const Deadline& deadline) {
  for (const Sequence& sequence : sequences_)
    for (std::int64_t kv_head = 0; kv_head < kv_heads_; ++kv_head)
      for (std::int64_t token = 0; token < sequence.tokens; token += kQueryTile) {
        deadline.check();
        attend(sequence, kv_head, token, std::min(kQueryTile, sequence.tokens - token));
      }
}

double CpuAttention::plain(const Sequence& sequence, std::int64_t token, std::int64_t head,
                           std::int64_t column) const {
  const std::int64_t position = sequence.keys - sequence.tokens + token;
  const float* query = q_.data() + ((sequence.query_row + token) * heads_ + head) * dim_;
  std::vector<double> weights;
  double peak = -1e300, total = 0, sum = 0;
  const auto at = [&](std::int64_t key) {
    return (head / group_ * key_rows_ + sequence.key_row + key) * dim_;
  };
  for (std::int64_t key = first_key(position); key <= position; ++key) {
    double score = 0;
    for (std::int64_t i = 0; i < dim_; ++i)
      score += static_cast<double>(query[i]) *
               static_cast<double>(to_float(k_[static_cast<std::size_t>(at(key) + i)]));
    weights.push_back(score / std::sqrt(static_cast<double>(dim_)));
    peak = std::max(peak, weights.back());
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double weight = std::exp(weights[i] - peak);
    const std::int64_t key = first_key(position) + static_cast<std::int64_t>(i);
    total += weight;
    sum += weight * static_cast<double>(to_float(v_[static_cast<std::size_t>(at(key) + column)]));
  }
  return sum / total;
}

Verification CpuAttention::compare() const {
  constexpr std::int64_t kCompared = 24;
  Comparison comparison;
  for (std::int64_t i = 0; i < kCompared; ++i) {
    const auto count = static_cast<std::int64_t>(sequences_.size());
    const Sequence& sequence =
        sequences_[static_cast<std::size_t>(i % 2 == 0 ? 0 : i * 40503 % count)];
    const std::int64_t token = i * 2654435761 % sequence.tokens, head = i * 7 % heads_,
                       column = i * 11 % dim_;
    const std::int64_t row = (sequence.query_row + token) * heads_ + head;
    comparison.add(out_[static_cast<std::size_t>(row * dim_ + column)],
                   plain(sequence, token, head, column));
  }
  return comparison.result(kTolerance);
}

// The sequences of a point: chunks of prompts first, then decodes.
std::vector<Sequence> sequences_of(const OperatorPoint& point) {
  std::vector<Sequence> sequences;
  if (point.op != "attention_decode")
    for (std::int64_t i = 0; i < (point.op == "attention_mixed" ? 1 : point.batch); ++i)
      sequences.push_back({point.chunk, point.prefix + point.chunk});
  if (point.op != "attention_prefill")
    for (const std::int64_t context : decode_contexts(point)) sequences.push_back({1, context});
  std::int64_t queries = 0, keys = 0;
  for (Sequence& sequence : sequences) {
    sequence.query_row = queries;
    sequence.key_row = keys;
    queries += sequence.tokens;
    keys += sequence.keys;
  }
  return sequences;
}

}  // namespace

std::unique_ptr<CpuOperator> make_cpu_attention(const OperatorPoint& point, double limit) {
  if (point.heads % point.kv_heads != 0)
    throw PointError(PointFault::unsupported, "query heads that the KV heads do not divide");
  const double rows =
      static_cast<double>(point.batch) * static_cast<double>(point.op == "attention_prefill"
                                                                 ? point.prefix + point.chunk
                                                                 : point.context) +
      static_cast<double>(point.prefix + point.chunk);
  const double queries = static_cast<double>(point.batch) *
                             static_cast<double>(std::max<std::int64_t>(1, point.chunk)) +
                         static_cast<double>(point.chunk);
  const auto dim = static_cast<double>(point.head_dim);
  check_memory(4 * rows * static_cast<double>(point.kv_heads) * dim +
                   8 * queries * static_cast<double>(point.heads) * dim,
               limit);
  return std::make_unique<CpuAttention>(point, sequences_of(point));
}

}  // namespace headway
