#include "sim/model/pool_metrics.hpp"

#include <algorithm>
#include <cmath>

namespace headway {

using Metric = Autoscaler::Metric;

PoolMetrics::PoolMetrics(const Autoscaler& settings, const Fleet& fleet, std::size_t pool)
    : settings_(settings),
      fleet_(fleet),
      pool_(pool),
      look_back_(to_picoseconds(settings.look_back_seconds)),
      memories_(settings.targets.size()) {
  for (Memory& memory : memories_) memory.counts.push_back({0, 0});
}

void PoolMetrics::on_answer(const RequestRecord& record, Time now) {
  output_tokens_ += record.output_tokens;
  for (std::size_t i = 0; i < memories_.size(); ++i) {
    const Metric metric = settings_.targets[i].metric;
    if (metric == Metric::ttft) {
      memories_[i].samples.push_back({now, to_seconds(record.first_token - record.scheduled)});
    } else if (metric == Metric::tpot && record.output_tokens > 1) {
      memories_[i].samples.push_back(
          {now, to_seconds(record.finished - record.first_token) / (record.output_tokens - 1)});
    }
  }
}

std::vector<std::optional<double>> PoolMetrics::poll(Time now, std::int64_t held) {
  std::vector<std::optional<double>> values;
  for (std::size_t i = 0; i < memories_.size(); ++i) values.push_back(measure(i, now, held));
  return values;
}

std::optional<double> PoolMetrics::measure(std::size_t target, Time now, std::int64_t held) {
  Memory& memory = memories_[target];
  switch (settings_.targets[target].metric) {
    case Metric::concurrency: {
      const auto requests = over_ready([this](std::uint32_t r) { return fleet_.outstanding(r); });
      return settings_.kind == Autoscaler::Kind::ray ? mean_of_polls(memory, now, requests)
                                                     : requests;
    }
    case Metric::queue:
      return over_ready([this](std::uint32_t r) { return fleet_.waiting(r); });
    case Metric::kv_use:
      return over_ready([this](std::uint32_t r) { return fleet_.kv_share(r); });
    case Metric::requests_per_second:
      return rate(memory.counts, now, fleet_.arrivals(pool_) + held);
    case Metric::tokens_per_second:
      return rate(memory.counts, now, output_tokens_);
    case Metric::ttft:
    case Metric::tpot:
      return percentile(memory, now, settings_.targets[target].percentile);
  }
  return std::nullopt;
}

/// The sum over the replicas that take requests, in order of their numbers.
template <class Quantity>
std::optional<double> PoolMetrics::over_ready(Quantity quantity) const {
  if (fleet_.ready(pool_) == 0) return std::nullopt;
  double sum = 0;
  for (std::uint32_t place = 0; place < fleet_.places(pool_); ++place) {
    const std::uint32_t replica = fleet_.first_place(pool_) + place;
    const ReplicaPhase phase = fleet_.phase(replica);
    if (phase == ReplicaPhase::ready || phase == ReplicaPhase::warming) {
      sum += static_cast<double>(quantity(replica));
    }
  }
  return sum;
}

/// Per second since the last poll that lies the look-back or more behind, or since the start.
double PoolMetrics::rate(std::deque<Count>& counts, Time now, std::int64_t number) const {
  while (counts.size() > 1 && counts[1].at <= now - look_back_) counts.pop_front();
  const Count since = counts.front();
  counts.push_back({now, number});
  return now > since.at ? static_cast<double>(number - since.number) / to_seconds(now - since.at)
                        : 0;
}

void PoolMetrics::forget(std::deque<Sample>& samples, Time now) const {
  while (!samples.empty() && samples.front().at <= now - look_back_) samples.pop_front();
}

/// The nearest rank: the least sample that is not below `percent` per cent of them.
std::optional<double> PoolMetrics::percentile(Memory& memory, Time now, double percent) const {
  forget(memory.samples, now);
  if (memory.samples.empty()) return std::nullopt;
  std::vector<double> values;
  values.reserve(memory.samples.size());
  for (const Sample& sample : memory.samples) values.push_back(sample.value);
  const double rank = std::ceil(percent / 100 * static_cast<double>(values.size()) - 1e-9);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::max(1.0, rank)) - 1;
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

std::optional<double> PoolMetrics::mean_of_polls(Memory& memory, Time now,
                                                 std::optional<double> value) const {
  if (!value) return std::nullopt;
  memory.samples.push_back({now, *value});
  forget(memory.samples, now);
  double sum = 0;
  for (const Sample& sample : memory.samples) sum += sample.value;
  return sum / static_cast<double>(memory.samples.size());
}

}  // namespace headway
