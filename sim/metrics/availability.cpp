#include "sim/metrics/availability.hpp"

#include <algorithm>
#include <cmath>

#include "sim/scenario/machine_layout.hpp"

namespace headway {
namespace {

/// The distribution of the sum of two numbers takes their product in steps: up to so many replicas
/// it is worked out.
constexpr std::int32_t kMostCounted = 4096;

/// Probability of each number, from 0.
using Count = std::vector<double>;

double up_share(double mtbf_seconds, double down_seconds) {
  return mtbf_seconds / (mtbf_seconds + down_seconds);
}

double up_share(const std::optional<Failures::Fault>& fault, double units, double restart) {
  if (!fault || units <= 0) return 1;
  return up_share(fault->mtbf_seconds / units, distribution_mean(fault->repair) + restart);
}

/// Shares of time that what a replica needs is up.
struct UpShares {
  double own;         // what it shares with none
  double node, rack;  // of one
};

UpShares up_shares(const Pool& pool, const StartUpMeans& start) {
  const Failures& failures = *pool.failures;
  UpShares up{1, up_share(failures.node, 1, start.restart),
              up_share(failures.rack, 1, start.restart)};
  up.own *= up_share(failures.gpu, pool.gpus_per_replica, start.restart);
  up.own *= up_share(failures.crash, 1, start.restart);
  if (failures.spot_mtbf_seconds > 0) {
    up.own *= up_share(failures.spot_mtbf_seconds, failures.spot_notice_seconds + start.from_order);
  }
  return up;
}

Count sum_of(const Count& a, const Count& b) {
  Count sum(a.size() + b.size() - 1, 0.0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) sum[i + j] += a[i] * b[j];
  }
  return sum;
}

/// The same while what all of them stand on is up, else none.
Count while_up(Count count, double share) {
  for (double& p : count) p *= share;
  count.front() += 1 - share;
  return count;
}

/// The sum over `places` replicas, by groups of `width` whose numbers `of` gives.
template <class Of>
Count over_groups(std::int32_t places, std::int32_t width, Of of) {
  Count total{1};
  const Count whole = of(std::min(places, width));
  while (places >= width) {
    total = sum_of(total, whole);
    places -= width;
  }
  return places > 0 ? sum_of(total, of(places)) : total;
}

double law_or_bytes(const std::optional<Distribution>& law, double bytes, const Store* store) {
  if (law) return distribution_mean(*law);
  return bytes > 0 && store ? store->latency_seconds + bytes / store->bandwidth : 0;
}

}  // namespace

StartUpMeans start_up_means(const Scenario& scenario, const Pool& pool) {
  StartUpMeans means;
  if (!pool.cold_start) return means;
  const ColdStart& cold = *pool.cold_start;
  const Store* const store =
      cold.store_index < scenario.stores.size() ? &scenario.stores[cold.store_index] : nullptr;
  const auto mean = [](const std::optional<Distribution>& law) {
    return law ? distribution_mean(*law) : 0.0;
  };
  means.restart = mean(cold.process) + law_or_bytes(cold.weights, cold.weight_bytes, store) +
                  mean(cold.compile) + mean(cold.capture) + mean(cold.warm_up);
  means.from_order = mean(cold.provision) + law_or_bytes(cold.image, cold.image_bytes, store) +
                     means.restart +
                     cold.stock_out / std::max(1e-9, 1 - cold.stock_out) * cold.stock_retry_seconds;
  return means;
}

std::vector<double> replicas_up(const Pool& pool, const StartUpMeans& start) {
  const MachineLayout layout = MachineLayout::of(pool);
  UpShares up = up_shares(pool, start);
  std::int32_t node_places = layout.places_of_node;
  std::int32_t rack_places = layout.places_of_node * layout.nodes_of_rack;
  if (layout.nodes_of_place > 1) {  // nodes of its own; racks, where it spans them, too
    up.own *= std::pow(up.node, layout.nodes_of_place);
    up.node = 1;
    rack_places = std::max(1, layout.nodes_of_rack / layout.nodes_of_place);
    if (layout.nodes_of_place > layout.nodes_of_rack) {
      up.rack = std::pow(up.rack,
                         (layout.nodes_of_place + layout.nodes_of_rack - 1) / layout.nodes_of_rack);
    }
  }
  const Count one{1 - up.own, up.own};
  return over_groups(pool.replicas, rack_places, [&](std::int32_t in_rack) {
    return while_up(over_groups(in_rack, node_places,
                                [&](std::int32_t in_node) {
                                  Count count{1};
                                  for (std::int32_t i = 0; i < in_node; ++i) {
                                    count = sum_of(count, one);
                                  }
                                  return while_up(std::move(count), up.node);
                                }),
                    up.rack);
  });
}

AvailabilityEstimate estimate_availability(const Pool& pool, const StartUpMeans& start) {
  AvailabilityEstimate estimate;
  estimate.replicas = estimate.up_99 = pool.replicas;
  if (!pool.failures || pool.replicas == 0) return estimate;
  Pool alone = pool;
  alone.replicas = 1;
  estimate.share = replicas_up(alone, start)[1];
  estimate.counted = pool.replicas <= kMostCounted;
  if (!estimate.counted) return estimate;
  const std::vector<double> count = replicas_up(pool, start);
  estimate.all_up = count.back();
  estimate.none_up = count.front();
  double at_least = 0;
  for (estimate.up_99 = pool.replicas; estimate.up_99 > 0; --estimate.up_99) {
    at_least += count[static_cast<std::size_t>(estimate.up_99)];
    if (at_least >= 0.99) break;
  }
  return estimate;
}

ExpectedAvailability expected_availability(const Scenario& scenario, const Pool& pool) {
  ExpectedAvailability expected;
  if (!pool.failures) return expected;
  const AvailabilityEstimate estimate = estimate_availability(pool, start_up_means(scenario, pool));
  expected.known = true;
  expected.share = estimate.share;
  // How many an autoscaler keeps is no matter of mean times.
  expected.counted = estimate.counted && !pool.autoscaler;
  if (!expected.counted) return expected;
  expected.all_up = estimate.all_up;
  expected.none_up = estimate.none_up;
  expected.up_99 = estimate.up_99;
  return expected;
}

UpTime::UpTime(const Scenario& scenario) {
  for (const Pool& pool : scenario.fleet) {
    const auto places = static_cast<std::size_t>(pool.places());
    const auto first = phases_.size();
    phases_.resize(first + places, ReplicaPhase::off);
    std::fill_n(phases_.begin() + static_cast<std::ptrdiff_t>(first), pool.replicas,
                ReplicaPhase::ready);
    pool_of_.resize(phases_.size(), static_cast<std::uint32_t>(pools_.size()));
    pools_.push_back({pool.replicas, pool.replicas, 0, 0, 0});
  }
}

void UpTime::advance(PoolTime& pool, Time now) {
  pool.up_time += static_cast<__int128>(pool.up) * (now - pool.since);
  pool.asked_time += static_cast<__int128>(pool.asked) * (now - pool.since);
  pool.since = now;
}

void UpTime::on_phase(Time now, std::uint32_t replica, ReplicaPhase phase) {
  const auto is_up = [](ReplicaPhase p) {
    return p == ReplicaPhase::ready || p == ReplicaPhase::warming;
  };
  const auto is_asked = [](ReplicaPhase p) {
    return p != ReplicaPhase::off && p != ReplicaPhase::draining;
  };
  PoolTime& pool = pools_[pool_of_[replica]];
  advance(pool, now);
  ReplicaPhase& present = phases_[replica];
  pool.up += static_cast<int>(is_up(phase)) - static_cast<int>(is_up(present));
  pool.asked += static_cast<int>(is_asked(phase)) - static_cast<int>(is_asked(present));
  present = phase;
}

void UpTime::finish(Time end) {
  for (PoolTime& pool : pools_) advance(pool, end);
}

std::optional<double> UpTime::share(std::size_t pool) const {
  const PoolTime& time = pools_[pool];
  if (time.asked_time == 0) return {};
  return static_cast<double>(time.up_time) / static_cast<double>(time.asked_time);
}

}  // namespace headway
