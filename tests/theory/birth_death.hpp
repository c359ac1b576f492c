// Birth-death queues by their equilibrium equations: exact means, and the exact asymptotic variance
// of what a simulation of them estimates.
#pragma once

#include <vector>

namespace headway {

/// A queue whose number in system is a birth-death process on 0 … births.size().
struct BirthDeath {
  std::vector<double> births;  // rate from n to n + 1
  std::vector<double> deaths;  // rate from n + 1 to n
  double blocked_in_last = 0;  // rate of arrivals that the last state turns away
  int servers = 1;
};

BirthDeath mmc(double arrival_rate, double service_rate, int servers);
BirthDeath mm1k(double arrival_rate, double service_rate, int capacity);
BirthDeath machine_repair(int users, double think_rate, double service_rate);

/// Stationary probabilities.
std::vector<double> equilibrium(const BirthDeath& queue);

/// A time average (1/T) ∫ f(N) dt + (1/T) Σ of rewards at jumps: what it converges to, the variance
/// that √T times its error converges to, and the bias T · (E − limit) of starting in state 0.
struct TimeAverage {
  double limit = 0, variance = 0, bias = 0;
  /// Standard error of a run of this length.
  double error(double seconds) const;
};

/// Estimators of a run.
struct QueueAverages {
  TimeAverage number, waiting;  // requests
  TimeAverage sojourn, wait;    // seconds: mean number / arrival rate, both measured
  TimeAverage loss;             // share of arrivals turned away
  TimeAverage throughput;       // per second
};

/// By the martingale of Poisson's equation: for a reward rate g(n) and rewards r at jumps,
/// λ_n π_n (h(n+1) − h(n)) = Σ_{i ≤ n} π_i (limit − ĝ(i)), ĝ the reward rate with those at jumps,
/// and the variance is Σ over jumps of rate · (r + change of h)² (W. Whitt, Asymptotic formulas for
/// Markov processes with applications to simulation, Operations Research 40(2), 1992). Ratios are
/// linearised about their limit (P. Glynn and W. Whitt, Indirect estimation via L = λW, Operations
/// Research 37(1), 1989).
QueueAverages averages(const BirthDeath& queue);

}  // namespace headway
