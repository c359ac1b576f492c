#include "models/fit.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

namespace headway {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Columns = std::vector<std::vector<double>>;
using Choice = std::vector<std::size_t>;  // parameters by number, ascending

/// Share of the scale to either side that differences are taken over: far above what one engine
/// step more or less moves, and as large as it may be while central differences follow the bends.
constexpr double kDifference = 0.25;
/// Share of the scale that counts as the size of a parameter that is smaller.
constexpr double kLeastSize = 0.1;

Matrix matrix_of(const Columns& columns, const Choice& choice) {
  const std::size_t rows = choice.empty() ? 0 : columns[choice.front()].size();
  Matrix j(rows, choice.size());
  for (std::size_t c = 0; c < choice.size(); ++c)
    for (std::size_t r = 0; r < rows; ++r)
      j(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) = columns[choice[c]][r];
  return j;
}

Vector vector_of(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// What the columns of `j` tell of their parameters.
struct Knowledge {
  Vector errors;  // standard errors at the noise, in scales: √ of the diagonal of σ²(JᵀJ)⁻¹
  Vector inflation;  // of their squares by the other columns: 1 where those are at right angles
};

/// By the eigenvalues of JᵀJ of the columns at unit length. Infinite where columns are the same but
/// for their length.
Knowledge knowledge_of(const Matrix& j, double sigma) {
  const Vector lengths = j.colwise().norm();
  Matrix unit = j;
  for (Eigen::Index c = 0; c < j.cols(); ++c) unit.col(c) /= lengths(c);
  const Eigen::SelfAdjointEigenSolver<Matrix> parts(unit.transpose() * unit);
  Knowledge known{Vector::Zero(j.cols()), Vector::Zero(j.cols())};
  for (Eigen::Index k = 0; k < j.cols(); ++k) {
    const double value = parts.eigenvalues()(k);
    for (Eigen::Index c = 0; c < j.cols(); ++c) {
      const double share = parts.eigenvectors()(c, k) * parts.eigenvectors()(c, k);
      if (value > 1e-10)
        known.inflation(c) += share / value;
      else if (share > 1e-6)
        known.inflation(c) = std::numeric_limits<double>::infinity();
    }
  }
  for (Eigen::Index c = 0; c < j.cols(); ++c)
    known.errors(c) = sigma * std::sqrt(known.inflation(c)) / lengths(c);
  return known;
}

/// The parameter, of all with an effect, whose column is most like that of `one`.
std::size_t most_like(const Columns& effects, const std::vector<FittedParameter>& all,
                      std::size_t one) {
  std::size_t best = one;
  double likeness = -1;
  for (std::size_t p = 0; p < effects.size(); ++p) {
    if (p == one || all[p].told == Told::without_effect) continue;
    const Vector a = vector_of(effects[one]), b = vector_of(effects[p]);
    const double cosine = std::fabs(a.dot(b)) / (a.norm() * b.norm());
    if (cosine > likeness) {
      likeness = cosine;
      best = p;
    }
  }
  return best;
}

Choice chosen(const std::vector<FittedParameter>& parameters) {
  Choice choice;
  for (std::size_t p = 0; p < parameters.size(); ++p)
    if (parameters[p].told == Told::yes) choice.push_back(p);
  return choice;
}

double squares(const std::vector<double>& residuals) {
  return vector_of(residuals).squaredNorm();
}

}  // namespace

std::vector<FittedParameter> told_by(const Columns& effects, const FitLimits& limits) {
  std::vector<FittedParameter> all(effects.size());
  for (std::size_t p = 0; p < effects.size(); ++p) {
    for (const double change : effects[p])
      all[p].effect = std::max(all[p].effect, std::fabs(change));
    if (all[p].effect < limits.noise) all[p].told = Told::without_effect;
  }
  for (Choice choice = chosen(all); !choice.empty(); choice = chosen(all)) {
    const Knowledge known = knowledge_of(matrix_of(effects, choice), limits.noise);
    const double most = limits.most_inflation;
    bool enough = true;
    std::size_t worst = 0;
    for (std::size_t c = 0; c < choice.size(); ++c) {
      const auto at = static_cast<Eigen::Index>(c), then = static_cast<Eigen::Index>(worst);
      enough = enough && known.errors(at) <= limits.most_error && known.inflation(at) <= most;
      // Of errors that are infinite together, the parameter with the least effect goes.
      if (known.errors(at) > known.errors(then) ||
          (known.errors(at) == known.errors(then) &&
           all[choice[c]].effect < all[choice[worst]].effect))
        worst = c;
      all[choice[c]].standard_error = known.errors(at);
    }
    if (enough) break;
    FittedParameter& one = all[choice[worst]];
    one.standard_error = 0;
    one.told = choice.size() > 1 ? Told::mixed_up : Told::without_effect;
    if (choice.size() > 1) one.like = most_like(effects, all, choice[worst]);
  }
  return all;
}

namespace {

/// A fit in the making.
class Descent {
 public:
  Descent(const std::vector<FitParameter>& parameters, const FitResiduals& residuals,
          const FitLimits& limits)
      : parameters_(parameters), evaluate_(residuals), limits_(limits) {
    for (const FitParameter& one : parameters) point_.push_back(one.start);
    residuals_ = evaluate_({point_}).front();
    fit_.before = residuals_;
  }

  Fit run() {
    std::vector<FittedParameter> told = told_by(effects(everything()), limits_);
    constexpr int kFreeRounds = 2;  // afterwards a parameter that was set aside stays so
    for (int round = 0;; ++round) {
      const Choice choice = chosen(told);
      descend(choice);
      const Columns columns = effects(everything());
      std::vector<FittedParameter> now = told_by(columns, limits_);
      const bool last = fit_.iterations >= limits_.iterations;
      if (round >= kFreeRounds || last)
        for (std::size_t p = 0; p < now.size(); ++p)
          if (told[p].told != Told::yes) now[p] = told[p];
      told = std::move(now);
      restore(told);
      if (chosen(told) == choice || last) return finished(columns, told);
    }
  }

 private:
  Choice everything() const {
    Choice all;
    for (std::size_t p = 0; p < parameters_.size(); ++p) all.push_back(p);
    return all;
  }

  /// Columns of the scaled Jacobian at the point; those not chosen are empty.
  Columns effects(const Choice& choice) const {
    Columns points, columns(parameters_.size());
    for (const std::size_t p : choice) {
      const FitParameter& one = parameters_[p];
      for (const double side : {-1., 1.}) {
        points.push_back(point_);
        points.back()[p] =
            std::clamp(point_[p] + side * kDifference * one.scale, one.low, one.high);
      }
    }
    if (points.empty()) return columns;
    const Columns moved = evaluate_(points);
    for (std::size_t c = 0; c < choice.size(); ++c) {
      const std::size_t p = choice[c];
      const double factor = parameters_[p].scale / (points[2 * c + 1][p] - points[2 * c][p]);
      for (std::size_t r = 0; r < residuals_.size(); ++r)
        columns[p].push_back((moved[2 * c + 1][r] - moved[2 * c][r]) * factor);
    }
    return columns;
  }

  /// Parameters that are not told go back to their start.
  void restore(const std::vector<FittedParameter>& told) {
    bool moved = false;
    for (std::size_t p = 0; p < told.size(); ++p) {
      if (told[p].told == Told::yes || point_[p] == parameters_[p].start) continue;
      point_[p] = parameters_[p].start;
      moved = true;
    }
    if (moved) residuals_ = evaluate_({point_}).front();
  }

  /// The point a damped step away. A parameter at a bound that the step would leave it through
  /// stays there, and the others step without it.
  std::vector<double> step(const Columns& columns, Choice choice, double damping) const {
    while (!choice.empty()) {
      const Matrix j = matrix_of(columns, choice);
      Matrix normal = j.transpose() * j;
      normal.diagonal() *= 1 + damping;
      const Vector change = normal.ldlt().solve(-j.transpose() * vector_of(residuals_));
      if (!change.allFinite()) return point_;
      std::vector<double> to = point_;
      Choice free;
      for (std::size_t c = 0; c < choice.size(); ++c) {
        const FitParameter& one = parameters_[choice[c]];
        const double moved = point_[choice[c]] + change(static_cast<Eigen::Index>(c)) * one.scale;
        const bool held = (point_[choice[c]] <= one.low && moved < one.low) ||
                          (point_[choice[c]] >= one.high && moved > one.high);
        if (!held) free.push_back(choice[c]);
        to[choice[c]] = std::clamp(moved, one.low, one.high);
      }
      if (free.size() == choice.size()) return to;
      choice = std::move(free);
    }
    return point_;
  }

  bool small(const std::vector<double>& to) const {
    for (std::size_t p = 0; p < to.size(); ++p) {
      const double size = std::max(std::fabs(point_[p]), kLeastSize * parameters_[p].scale);
      if (std::fabs(to[p] - point_[p]) > limits_.least_step * size) return false;
    }
    return true;
  }

  /// A hundredth of what the noise makes of Σr²: a smaller gain tells nothing.
  double least_gain() const {
    return 0.01 * limits_.noise * limits_.noise * static_cast<double>(residuals_.size());
  }

  void descend(const Choice& choice) {
    fit_.converged = choice.empty();
    double damping = 1e-3;
    while (!fit_.converged && fit_.iterations < limits_.iterations) {
      ++fit_.iterations;
      const Columns columns = effects(choice);
      const std::vector<double> dampings = {damping, 30 * damping, 1000 * damping};
      Columns points;
      for (const double one : dampings) points.push_back(step(columns, choice, one));
      const bool settled = small(points.front());
      const Columns reached = evaluate_(points);
      std::size_t best = 0;
      for (std::size_t k = 1; k < points.size(); ++k)
        if (squares(reached[k]) < squares(reached[best])) best = k;
      const double gain = squares(residuals_) - squares(reached[best]);
      if (gain > 0) {
        fit_.converged = settled || small(points[best]) || gain < least_gain();
        point_ = points[best];
        residuals_ = reached[best];
        damping = std::max(1e-6, dampings[best] / 30);
      } else if (settled || damping > 1e4) {
        fit_.converged = true;  // no step is better than none
      } else {
        damping *= 1e4;
      }
    }
  }

  Fit finished(const Columns& columns, std::vector<FittedParameter> told) {
    const Choice choice = chosen(told);
    const auto freedom =
        static_cast<double>(residuals_.size()) - static_cast<double>(choice.size());
    const double left = freedom > 0 ? std::sqrt(squares(residuals_) / freedom) : 0;
    Vector errors;
    if (!choice.empty())
      errors = knowledge_of(matrix_of(columns, choice), std::max(limits_.noise, left)).errors;
    for (std::size_t p = 0; p < told.size(); ++p) {
      told[p].value = point_[p];
      told[p].standard_error = 0;
    }
    for (std::size_t c = 0; c < choice.size(); ++c)
      told[choice[c]].standard_error =
          errors(static_cast<Eigen::Index>(c)) * parameters_[choice[c]].scale;
    fit_.parameters = std::move(told);
    fit_.after = residuals_;
    return fit_;
  }

  const std::vector<FitParameter>& parameters_;
  const FitResiduals& evaluate_;
  const FitLimits limits_;
  std::vector<double> point_, residuals_;
  Fit fit_;
};

}  // namespace

Fit least_squares(const std::vector<FitParameter>& parameters, const FitResiduals& residuals,
                  const FitLimits& limits) {
  return Descent(parameters, residuals, limits).run();
}

}  // namespace headway
