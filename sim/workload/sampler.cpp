#include "sim/workload/sampler.hpp"

#include <algorithm>
#include <cmath>

namespace headway {
namespace {

// The part of a gamma sample's boost, out of reach of the parts that count its rejections.
constexpr std::uint64_t kBoostPart = ~std::uint64_t{0};

// Below this the spread of a gamma law is lost in the rounding of the acceptance test.
constexpr double kLeastCv = 1e-6;

}  // namespace

Sampler::Sampler(const Distribution& law) : law_(law) {
  if (law.kind == Distribution::Kind::gamma) {
    const double cv = std::max(law.b, kLeastCv);
    const double shape = 1 / (cv * cv);
    d_ = (shape < 1 ? shape + 1 : shape) - 1.0 / 3.0;
    c_ = 1 / std::sqrt(9 * d_);
    scale_ = law.a / shape;
    boost_exponent_ = shape < 1 ? 1 / shape : 0;
  } else if (law.kind == Distribution::Kind::histogram) {
    double sum = 0;
    for (const Distribution::Bin& bin : law.bins) cumulative_.push_back(sum += bin.weight);
    for (double& weight : cumulative_) weight /= sum;
    if (cumulative_.empty()) return;
    cumulative_.back() = 1;
    guide_.resize(4 * cumulative_.size());
    std::uint32_t bin = 0;
    for (std::size_t i = 0; i < guide_.size(); ++i) {
      while (cumulative_[bin] < static_cast<double>(i) / static_cast<double>(guide_.size())) ++bin;
      guide_[i] = bin;
    }
  }
}

double Sampler::operator()(const Draw& draw, std::uint64_t index) const {
  return std::min(std::max(raw(draw, index), law_.min), law_.max);
}

double Sampler::raw(const Draw& draw, std::uint64_t index) const {
  switch (law_.kind) {
    case Distribution::Kind::fixed:
      return law_.a;
    case Distribution::Kind::uniform:
      return law_.a + (law_.b - law_.a) * draw.uniform(index);
    case Distribution::Kind::normal:
      return law_.a + law_.b * normal_quantile(draw.uniform(index));
    case Distribution::Kind::lognormal:
      return std::exp(law_.a + law_.b * normal_quantile(draw.uniform(index)));
    case Distribution::Kind::exponential:
      return -law_.a * std::log(draw.uniform(index));
    case Distribution::Kind::gamma:
      return gamma(draw, index);
    case Distribution::Kind::histogram:
      return histogram(draw.uniform(index));
  }
  return law_.a;
}

// G. Marsaglia, W. W. Tsang, "A simple method for generating gamma variables", ACM TOMS 26 (2000).
// Attempt j takes the parts 2j and 2j + 1. A shape below 1 samples shape + 1 and multiplies by
// U^(1/shape), by the same paper. Over 95 % of the attempts are accepted, whatever the shape.
double Sampler::gamma(const Draw& draw, std::uint64_t index) const {
  for (std::uint64_t part = 0;; part += 2) {
    const double x = normal_quantile(draw.uniform(index, part));
    const double root = 1 + c_ * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    const double u = draw.uniform(index, part + 1);
    const double x2 = x * x;
    if (u >= 1 - 0.0331 * x2 * x2 && std::log(u) >= 0.5 * x2 + d_ * (1 - v + std::log(v))) continue;
    const double sample = scale_ * d_ * v;
    if (boost_exponent_ == 0) return sample;
    return sample * std::pow(draw.uniform(index, kBoostPart), boost_exponent_);
  }
}

// One draw chooses the bin and, by what it is above the bin's lower bound, the place within it. The
// guide table starts the search at most a few bins before the one sought (H. C. Chen, Y. Asau,
// 1974).
double Sampler::histogram(double u) const {
  if (guide_.empty()) return 0;
  std::size_t place = guide_[static_cast<std::size_t>(u * static_cast<double>(guide_.size()))];
  while (cumulative_[place] < u) ++place;
  const double below = place == 0 ? 0 : cumulative_[place - 1];
  const double width = cumulative_[place] - below;
  const Distribution::Bin& bin = law_.bins[place];
  return bin.low + (bin.high - bin.low) * (width > 0 ? (u - below) / width : 0.5);
}

}  // namespace headway
