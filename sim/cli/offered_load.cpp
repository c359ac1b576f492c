#include "sim/cli/offered_load.hpp"

#include <algorithm>
#include <unordered_set>

#include "sim/cli/pool_life.hpp"
#include "sim/scenario/pool_cost.hpp"
#include "sim/workload/conversations.hpp"
#include "sim/workload/source.hpp"

namespace headway {

namespace {

constexpr std::int64_t kSampled = 500'000;

// The mean rate of arrivals that follow a law.
std::optional<double> law_rate(const Arrivals& arrivals) {
  double requests = 0, seconds = 0;
  switch (arrivals.kind) {
    case Arrivals::Kind::constant:
    case Arrivals::Kind::poisson:
    case Arrivals::Kind::gamma:
    case Arrivals::Kind::diurnal:
      return arrivals.rate;
    case Arrivals::Kind::mmpp:
      for (const Arrivals::State& state : arrivals.states) {
        requests += state.rate * state.mean_seconds;
        seconds += state.mean_seconds;
      }
      return seconds > 0 ? requests / seconds : 0;
    case Arrivals::Kind::stages:
      for (const Arrivals::Stage& stage : arrivals.stages) {
        requests += stage.rate * stage.seconds;
        seconds += stage.seconds;
      }
      return seconds > 0 ? requests / seconds : 0;
    case Arrivals::Kind::trace:
    case Arrivals::Kind::closed:
      break;
  }
  return {};
}

// Means of the token counts seen so far.
struct Tokens {
  std::int64_t requests = 0;
  double input = 0, output = 0, fresh = 0;

  // Of its input tokens, the first `known` are in the cache at best; the last never is.
  void add(const RequestBody& body, std::int64_t known) {
    ++requests;
    input += body.input_tokens;
    output += body.output_tokens;
    fresh += static_cast<double>(std::max<std::int64_t>(1, body.input_tokens - known));
  }
  // A request of a class, and the later turns of its conversation if it begins one.
  void add_all(RequestBody& body, std::uint64_t number, Conversations* conversations) {
    if (!conversations) return add(body, body.content.shared_tokens());
    const std::uint32_t handle = conversations->begin(number, body);
    add(body, body.content.shared_tokens());
    while (conversations->continues(handle)) {
      const std::int64_t said = std::int64_t{body.input_tokens} + body.output_tokens - 1;
      body = conversations->next_turn(handle);
      add(body, said);
    }
    conversations->end(handle);
  }
  void store(OfferedLoad& load) const {
    if (requests == 0) return;
    load.input_tokens = std::max(1.0, input / static_cast<double>(requests));
    load.output_tokens = std::max(1.0, output / static_cast<double>(requests));
    load.new_tokens = std::max(1.0, fresh / static_cast<double>(requests));
  }
};

// Tokens of a trace's prompt that stood in an earlier one.
class SeenBlocks {
 public:
  std::int64_t known_tokens(const Content& content) {
    std::int64_t known = 0;
    bool all = true;
    for (const Content::Part& part : content.shared) {
      all = !seen_.insert(part.identity).second && all;
      if (all) known = part.end;
    }
    return known;
  }

 private:
  std::unordered_set<std::uint64_t> seen_;
};

PoolBound station_bound(const Pool& pool) {
  // Whole batches at the curve's best size that the batcher allows.
  std::int32_t largest = 1;
  if (pool.batching.kind == Batching::Kind::fixed) largest = pool.batching.size;
  if (pool.batching.kind == Batching::Kind::dynamic) largest = pool.batching.max_size;
  const auto factor = [&](double size) {
    const auto& points = pool.service.batch_factor;
    if (points.empty()) return 1.0;
    if (size <= points.front().size) return points.front().factor;
    for (std::size_t i = 1; i < points.size(); ++i) {
      const auto& [low, low_factor] = points[i - 1];
      const auto& [high, high_factor] = points[i];
      if (size <= high)
        return low_factor + (high_factor - low_factor) * (size - low) / (high - low);
    }
    return points.back().factor;
  };
  const double one = distribution_mean(pool.service.time);
  double best = 0;
  for (std::int32_t size = 1; size <= largest; ++size) {
    const double seconds = one * factor(size);
    if (seconds > 0) best = std::max(best, size / seconds);
  }
  return {best * pool.service.servers * most_replicas(pool), "servers"};
}

}  // namespace

OfferedLoad offered_load(const Scenario& scenario, std::uint32_t index) {
  const WorkloadClass& workload_class = scenario.workload[index];
  const Arrivals& arrivals = workload_class.arrivals;
  OfferedLoad load;
  load.per_second = law_rate(arrivals);
  Tokens tokens;
  std::unique_ptr<Conversations> conversations;
  if (workload_class.session)
    conversations = std::make_unique<Conversations>(workload_class, scenario.run.seed, index);
  std::uint64_t begun = 0;
  RequestBody body;
  if (arrivals.kind == Arrivals::Kind::closed) {
    const ClosedLoad closed(workload_class, scenario.run.seed, index);
    for (; tokens.requests < kSampled; ++begun) {
      body = closed.body(begun);
      tokens.add_all(body, begun, conversations.get());
    }
    tokens.store(load);
    return load;
  }
  const std::unique_ptr<Source> source = make_source(workload_class, scenario.run.seed, index);
  Time at = 0;
  if (arrivals.kind != Arrivals::Kind::trace) {
    for (; tokens.requests < kSampled && source->next(at, body); ++begun)
      tokens.add_all(body, begun, conversations.get());
    tokens.store(load);
    if (load.per_second && begun > 0)
      *load.per_second *= static_cast<double>(tokens.requests) / static_cast<double>(begun);
    return load;
  }
  SeenBlocks seen;
  while (source->next(at, body))
    tokens.add(body, workload_class.prefix ? body.content.shared_tokens()
                                           : seen.known_tokens(body.content));
  tokens.store(load);
  load.trace_requests = tokens.requests;
  load.trace_seconds = to_seconds(at);
  load.note = source->note();
  if (at > 0) load.per_second = static_cast<double>(tokens.requests) / to_seconds(at);
  return load;
}

PoolBound pool_bound(const Pool& pool, const OfferedLoad& load) {
  if (pool.kind == Pool::Kind::service) return station_bound(pool);
  MemoryPlan plan = pool.memory;
  plan.kv_blocks = pool.kv.blocks;
  const bool caching = pool.kv.prefix_caching && pool.batching.kind == Batching::Kind::continuous;
  const ThroughputBound bound =
      throughput_bound(pool.placement, plan, *make_pool_cost(pool),
                       caching ? load.new_tokens : load.input_tokens, load.output_tokens);
  return {bound.requests_per_second * most_replicas(pool), bound.limited_by};
}

}  // namespace headway
