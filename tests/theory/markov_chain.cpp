#include "markov_chain.hpp"

#include <Eigen/Dense>
#include <functional>

namespace headway {
namespace {

using Reward = std::function<double(const MarkovChain::Jump&)>;

Eigen::MatrixXd generator(const MarkovChain& chain) {
  const auto states = static_cast<Eigen::Index>(chain.number.size());
  Eigen::MatrixXd rates = Eigen::MatrixXd::Zero(states, states);
  for (const auto& jump : chain.jumps) {
    const auto from = static_cast<Eigen::Index>(jump.from);
    rates(from, static_cast<Eigen::Index>(jump.to)) += jump.rate;
    rates(from, from) -= jump.rate;
  }
  return rates;
}

/// Solutions for one chain: equilibrium, and any number of rewards.
class Solved {
 public:
  explicit Solved(const MarkovChain& chain) : chain_(chain) {
    Eigen::MatrixXd rates = generator(chain);
    const Eigen::Index states = rates.rows();
    Eigen::MatrixXd balance = rates.transpose();
    balance.row(states - 1).setOnes();
    pi_ = balance.partialPivLu().solve(Eigen::VectorXd::Unit(states, states - 1));
    // h of state 0 is 0, instead of that state's equation, which follows from the others: a state
    // of some probability, or their errors would be divided by next to nothing.
    rates.row(0) = Eigen::RowVectorXd::Unit(states, 0);
    poisson_ = rates.partialPivLu();
  }

  /// Of `rate[state]` per time and `at_jump` at each jump.
  TimeAverage average(const std::vector<double>& rate, const Reward& at_jump) const {
    Eigen::VectorXd all = Eigen::VectorXd::Zero(pi_.size());
    for (Eigen::Index i = 0; i < all.size(); ++i) all[i] = rate[static_cast<std::size_t>(i)];
    for (const auto& jump : chain_.jumps) {
      all[static_cast<Eigen::Index>(jump.from)] += jump.rate * at_jump(jump);
    }
    TimeAverage average;
    average.limit = pi_.dot(all);
    Eigen::VectorXd right = Eigen::VectorXd::Constant(all.size(), average.limit) - all;
    right[0] = 0;
    const Eigen::VectorXd h = poisson_.solve(right);
    for (const auto& jump : chain_.jumps) {
      const auto from = static_cast<Eigen::Index>(jump.from);
      const double step = at_jump(jump) + h[static_cast<Eigen::Index>(jump.to)] - h[from];
      average.variance += pi_[from] * jump.rate * step * step;
    }
    average.bias = -pi_.dot(h);
    return average;
  }

 private:
  const MarkovChain& chain_;
  Eigen::VectorXd pi_;
  Eigen::PartialPivLU<Eigen::MatrixXd> poisson_;
};

}  // namespace

ChainAverages averages(const MarkovChain& chain) {
  using Jump = MarkovChain::Jump;
  const Solved solved(chain);
  const std::vector<double> none(chain.number.size(), 0.0);
  ChainAverages result;
  result.number = solved.average(chain.number, [](const Jump&) { return 0.0; });
  result.throughput = solved.average(none, [](const Jump& jump) { return jump.served; });
  const double offered = solved.average(none, [](const Jump& jump) { return jump.arrived; }).limit;
  const double lost = solved.average(none, [](const Jump& jump) { return jump.lost; }).limit;
  const double share = lost / offered;
  result.loss =
      solved.average(none, [&](const Jump& jump) { return jump.lost - share * jump.arrived; });
  result.loss = {share, result.loss.variance / (offered * offered), result.loss.bias / offered};
  return result;
}

}  // namespace headway
