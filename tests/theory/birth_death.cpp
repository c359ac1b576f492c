#include "birth_death.hpp"

#include <algorithm>
#include <cmath>

namespace headway {
namespace {

/// A reward: f(n) per time in state n, and so much at each birth, death and blocked arrival.
struct Reward {
  std::vector<double> rate;
  double birth = 0, death = 0, blocked = 0;
};

TimeAverage time_average(const BirthDeath& queue, const std::vector<double>& pi,
                         const Reward& reward) {
  const std::size_t last = queue.births.size();
  std::vector<double> all(last + 1);
  TimeAverage average;
  for (std::size_t n = 0; n <= last; ++n) {
    all[n] = reward.rate[n];
    if (n < last) all[n] += queue.births[n] * reward.birth;
    if (n == last) all[n] += queue.blocked_in_last * reward.blocked;
    if (n > 0) all[n] += queue.deaths[n - 1] * reward.death;
    average.limit += pi[n] * all[n];
  }
  // Σ_{i ≤ n} π (limit − ĝ) = Σ_{i > n} π (ĝ − limit): each from its own side, where nothing
  // cancels.
  std::vector<double> flow(last);
  const auto mode = static_cast<std::size_t>(std::max_element(pi.begin(), pi.end()) - pi.begin());
  double sum = 0;
  for (std::size_t n = 0; n < std::min(mode + 1, last); ++n) {
    flow[n] = sum += pi[n] * (average.limit - all[n]);
  }
  sum = 0;
  for (std::size_t n = last; n-- > mode + 1;)
    flow[n] = sum += pi[n + 1] * (all[n + 1] - average.limit);
  double h = 0, mean_h = 0;
  for (std::size_t n = 0; n < last; ++n) {
    const double up_rate = queue.births[n] * pi[n];  // = that of deaths from n + 1
    const double step = flow[n] / up_rate;
    average.variance +=
        up_rate * (std::pow(reward.birth + step, 2) + std::pow(reward.death - step, 2));
    h += step;
    mean_h += pi[n + 1] * h;
  }
  average.variance += queue.blocked_in_last * pi[last] * reward.blocked * reward.blocked;
  average.bias = -mean_h;  // h(0) − Σ π h, with h(0) = 0
  return average;
}

/// The average of a / b: (a − limit · b) / b to first order.
TimeAverage scaled(TimeAverage deviation, double limit, double divisor) {
  return {limit, deviation.variance / (divisor * divisor), deviation.bias / divisor};
}

}  // namespace

BirthDeath mmc(double arrival_rate, double service_rate, int servers) {
  // Cut where a geometric tail of this load has 1e-25 left.
  const double load = arrival_rate / (service_rate * servers);
  const int states = servers + static_cast<int>(std::ceil(-58 / std::log(load)));
  BirthDeath queue;
  queue.servers = servers;
  for (int n = 0; n < states; ++n) {
    queue.births.push_back(arrival_rate);
    queue.deaths.push_back(service_rate * std::min(n + 1, servers));
  }
  return queue;
}

BirthDeath mm1k(double arrival_rate, double service_rate, int capacity) {
  BirthDeath queue;
  queue.births.assign(static_cast<std::size_t>(capacity), arrival_rate);
  queue.deaths.assign(static_cast<std::size_t>(capacity), service_rate);
  queue.blocked_in_last = arrival_rate;
  return queue;
}

BirthDeath machine_repair(int users, double think_rate, double service_rate) {
  BirthDeath queue;
  for (int n = 0; n < users; ++n) {
    queue.births.push_back(think_rate * (users - n));
    queue.deaths.push_back(service_rate);
  }
  return queue;
}

std::vector<double> equilibrium(const BirthDeath& queue) {
  std::vector<double> pi = {1};
  double total = 1;
  for (std::size_t n = 0; n < queue.births.size(); ++n) {
    pi.push_back(pi.back() * queue.births[n] / queue.deaths[n]);
    total += pi.back();
  }
  for (double& p : pi) p /= total;
  return pi;
}

double TimeAverage::error(double seconds) const {
  return std::sqrt(variance / seconds);
}

QueueAverages averages(const BirthDeath& queue) {
  const std::vector<double> pi = equilibrium(queue);
  Reward number, waiting, arrivals, losses, services;
  for (std::size_t n = 0; n < pi.size(); ++n) {
    number.rate.push_back(static_cast<double>(n));
    waiting.rate.push_back(std::max(0.0, static_cast<double>(n) - queue.servers));
  }
  const std::vector<double> none(pi.size(), 0.0);
  services.rate = arrivals.rate = losses.rate = none;
  services.death = 1;
  arrivals.birth = arrivals.blocked = 1;
  losses.blocked = 1;

  QueueAverages result;
  result.number = time_average(queue, pi, number);
  result.waiting = time_average(queue, pi, waiting);
  result.throughput = time_average(queue, pi, services);
  const double offered = time_average(queue, pi, arrivals).limit;
  const double entered = result.throughput.limit;
  const auto per_entry = [&](Reward reward, double total) {
    reward.birth = -total / entered;
    return scaled(time_average(queue, pi, reward), total / entered, entered);
  };
  result.sojourn = per_entry(number, result.number.limit);
  result.wait = per_entry(waiting, result.waiting.limit);
  const double lost = time_average(queue, pi, losses).limit / offered;
  losses.birth = -lost;
  losses.blocked = 1 - lost;
  result.loss = scaled(time_average(queue, pi, losses), lost, offered);
  return result;
}

}  // namespace headway
