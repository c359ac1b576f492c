// What is conserved in every run, whatever is mixed in it: requests, tokens, KV blocks, bytes,
// replicas' time and money, as integers. (Requests and the time that they spend in the system are
// asserted by the engine at the end of each run, tokens of KV entries by every replica.)
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <set>

#include "random_scenario.hpp"
#include "sim/engine/event_heap.hpp"
#include "sim/engine/fair_network.hpp"
#include "sim/metrics/fanout.hpp"
#include "sim/metrics/recorder.hpp"
#include "sim/model/system.hpp"
#include "sim/workload/draw.hpp"
#include "tests/unit/metrics/billed_by_hand.hpp"

namespace headway {
namespace {

/// Counts the bytes of every transfer, which arrives once, is cancelled, or is still under way.
class CountedNetwork final : public Network {
 public:
  explicit CountedNetwork(Network& network) : network_(network) {}
  Link add_link(double bytes_per_second, double latency_seconds) override {
    return network_.add_link(bytes_per_second, latency_seconds);
  }
  Route add_route(const std::vector<Link>& links) override { return network_.add_route(links); }
  void send(Route route, std::int64_t bytes, std::uint64_t tag) override {
    EXPECT_GE(bytes, 0);
    EXPECT_TRUE(under_way.emplace(tag, bytes).second) << "two transfers in flight have one tag";
    sent += bytes;
    network_.send(route, bytes, tag);
  }
  void set_bandwidth(Link link, double bytes_per_second) override {
    network_.set_bandwidth(link, bytes_per_second);
  }
  void cancel(std::uint64_t tag) override {
    if (const auto found = under_way.find(tag); found != under_way.end()) {
      cancelled += found->second;
      under_way.erase(found);
    }
    network_.cancel(tag);
  }
  void arrive(std::uint64_t tag) {
    const auto found = under_way.find(tag);
    ASSERT_NE(found, under_way.end()) << "a transfer arrived that nobody sent, or twice";
    arrived += found->second;
    under_way.erase(found);
  }
  __int128 in_flight() const {
    __int128 sum = 0;
    for (const auto& [tag, bytes] : under_way) sum += bytes;
    return sum;
  }

  __int128 sent = 0, arrived = 0, cancelled = 0;
  std::map<std::uint64_t, std::int64_t> under_way;

 private:
  Network& network_;
};

/// The run's system behind a counted network.
class CountedProcess final : public Process {
 public:
  CountedProcess(System& system, CountedNetwork& network) : system_(system), network_(network) {}
  void on_wake(Entity entity, Time now) override { system_.on_wake(entity, now); }
  void on_transfer(std::uint64_t tag, Time now) override {
    network_.arrive(tag);
    system_.on_transfer(tag, now);
  }
  bool finished() const override { return system_.finished(); }

 private:
  System& system_;
  CountedNetwork& network_;
};

/// Everything that a run tells, summed up without any of the recorder's means.
struct Sums final : Observer {
  explicit Sums(const Scenario& scenario) : changes(scenario.fleet.size()) {
    for (std::size_t p = 0; p < scenario.fleet.size(); ++p) {
      const Pool& pool = scenario.fleet[p];
      for (std::int32_t place = 0; place < pool.places(); ++place) {
        places.push_back({p, place});
        blocks.push_back(pool.kind == Pool::Kind::llm ? pool.kv.blocks : 0);
      }
    }
  }
  void on_arrival(Time now, std::uint32_t) override {
    advance(now);
    ++arrived;
  }
  void on_departure(Time now, const RequestRecord& record) override {
    advance(now);
    EXPECT_TRUE(ids.insert(record.id).second) << "a request left twice";
    ++by_outcome[static_cast<int>(record.outcome)];
    escalations += record.escalations;
    attempts += record.attempts - 1;
    EXPECT_GE(record.attempts, 1);
    if (record.outcome != Outcome::completed) return;
    input_tokens += record.input_tokens;
    output_tokens += record.output_tokens;
    prefix_hit_tokens += record.prefix_hit_tokens;
    EXPECT_LE(record.prefix_hit_tokens, record.input_tokens);
  }
  void on_token_gaps(Time, std::int64_t count) override { gaps += count; }
  void on_steps(const StepSpan& span) override {
    EXPECT_LE(span.start, span.end);
    EXPECT_GE(span.kv_blocks, 0);
    EXPECT_LE(span.kv_blocks, blocks[span.replica]);
  }
  void on_preemption(Time now, std::uint32_t) override { advance(now); }
  void on_phase(Time now, std::uint32_t replica, ReplicaPhase phase) override {
    advance(now);
    changes[places[replica].first].push_back({now, places[replica].second, phase});
  }
  void on_retry(Time now, std::uint32_t, Outcome why) override {
    advance(now);
    EXPECT_NE(why, Outcome::completed);
    ++retries;
  }
  void advance(Time now) {
    EXPECT_GE(now, last) << "an event before the last one";
    last = now;
  }
  std::int64_t of(Outcome outcome) const { return by_outcome[static_cast<int>(outcome)]; }

  Time last = 0;
  std::set<std::uint64_t> ids;
  std::vector<std::pair<std::size_t, std::int32_t>> places;  // by replica: pool, place
  std::vector<std::int64_t> blocks;                          // by replica
  std::vector<std::vector<PhaseChange>> changes;             // by pool
  std::int64_t arrived = 0, by_outcome[kOutcomes] = {}, retries = 0, attempts = 0, escalations = 0;
  std::int64_t input_tokens = 0, output_tokens = 0, prefix_hit_tokens = 0, gaps = 0;
};

/// Prices, nodes and minimum times, replicas that come and go, and loads over a store.
void sell_and_scale(Scenario& scenario, std::uint64_t seed) {
  const Draw draw(seed, Stream::router, 0xb111);
  std::uint64_t next = 0;
  const auto below = [&](std::uint64_t n) { return draw.below(n, next++); };
  scenario.stores.push_back({"store", 1e9, 0.001, 0, {}});
  for (Pool& pool : scenario.fleet) {
    pool.gpus_per_replica = static_cast<std::int32_t>(1 + below(9));
    pool.usd_per_gpu_hour = 0.01 * static_cast<double>(1 + below(500));
    if (below(2) == 0) pool.billed_node_gpus = static_cast<std::int32_t>(1 + below(8));
    if (below(2) == 0) pool.minimum_billing_seconds = static_cast<double>(1 + below(10));
    if (below(3) == 0) continue;
    Autoscaler& scaler = pool.autoscaler.emplace();
    scaler.min = static_cast<std::int32_t>(below(2));
    scaler.max = static_cast<std::int32_t>(2 + below(5));
    scaler.poll_seconds = 0.5;
    scaler.cool_down_seconds = 1;
    scaler.kind = below(2) == 0 ? Autoscaler::Kind::hpa : Autoscaler::Kind::keda;
    if (scaler.kind == Autoscaler::Kind::hpa) scaler.min = 1;
    scaler.targets = {{Autoscaler::Metric::concurrency, static_cast<double>(1 + below(4)), 50}};
    pool.replicas = std::clamp(pool.replicas, scaler.min, scaler.max);
    ColdStart& start = pool.cold_start.emplace();
    start.provision.emplace();
    start.provision->a = 0.01 * static_cast<double>(below(100));
    if (below(2) == 0) {
      start.weight_bytes = 1e8 * static_cast<double>(1 + below(10));
      start.store_index = static_cast<std::uint32_t>(scenario.stores.size() - 1);
    }
    if (below(3) == 0) start.quota = static_cast<std::int32_t>(1 + below(4));
  }
}

/// How much there was to conserve, over all runs.
struct Seen {
  std::int64_t start_ups = 0, failures = 0, timed_out = 0, hung_up = 0, lost = 0, retries = 0,
               escalations = 0;
  double rest_of_nodes = 0, minimum = 0;  // GPU-hours
  __int128 arrived_bytes = 0, cancelled_bytes = 0;
};

void expect_conserved(const Scenario& scenario, const std::string& what, Seen& seen) {
  SCOPED_TRACE(what);
  EventHeap heap(System::entities(scenario));
  FairNetwork fair(heap);
  CountedNetwork network(fair);
  Sums sums(scenario);
  Recorder recorder(scenario);
  Fanout fanout({&sums, &recorder});
  System system(scenario, heap, network, fanout);
  CountedProcess process(system, network);
  while (!system.finished()) {
    const Time transfer = fair.next_time();
    if (transfer != kNever && transfer <= heap.next_time()) {
      heap.advance(transfer);
      fair.run_due(process);
    } else {
      ASSERT_FALSE(heap.empty()) << "the model came to rest with requests in flight";
      heap.run_next(process);
    }
  }
  const RunTotals totals = system.end(false);
  const Summary summary = recorder.summarise(scenario, totals);

  EXPECT_EQ(sums.arrived, totals.arrived);
  EXPECT_EQ(sums.of(Outcome::completed), totals.completed);
  EXPECT_EQ(sums.of(Outcome::timed_out), totals.timed_out);
  EXPECT_EQ(sums.of(Outcome::hung_up), totals.hung_up);
  EXPECT_EQ(sums.of(Outcome::lost), totals.lost);
  EXPECT_EQ(static_cast<std::int64_t>(sums.ids.size()) + totals.in_flight, totals.arrived);
  std::int64_t arrived = 0, rejected = 0, retries = 0;
  for (const ClassSummary& one : summary.classes) {
    arrived += one.arrived;
    rejected += one.rejected;
    retries += one.retries;
  }
  EXPECT_EQ(arrived, totals.arrived);
  EXPECT_EQ(rejected, totals.rejected);
  EXPECT_EQ(retries, totals.retries);
  EXPECT_EQ(sums.retries, totals.retries);
  EXPECT_LE(sums.attempts, totals.retries);  // those of requests in flight are in the totals only

  EXPECT_EQ(sums.input_tokens, totals.input_tokens);
  EXPECT_EQ(sums.output_tokens, totals.output_tokens);
  EXPECT_EQ(sums.prefix_hit_tokens, totals.prefix_hit_tokens);

  EXPECT_TRUE(network.sent == network.arrived + network.cancelled + network.in_flight());

  double usd = 0;
  for (std::size_t p = 0; p < scenario.fleet.size(); ++p) {
    const Pool& pool = scenario.fleet[p];
    const __int128 billed = billed_by_hand(pool, sums.changes[p], totals.end);
    // Cents of the pool by its own price, from whole picoseconds.
    usd += static_cast<double>(billed) / 3.6e15 * pool.usd_per_gpu_hour;
    EXPECT_NEAR(summary.pools[p].gpu_hours.billed, static_cast<double>(billed) / 3.6e15, 1e-9);
    double phases = summary.pools[p].gpu_hours.rest_of_nodes + summary.pools[p].gpu_hours.minimum;
    for (int phase = 0; phase < kReplicaPhases; ++phase) {
      if (is_billed(static_cast<ReplicaPhase>(phase)))
        phases += summary.pools[p].gpu_hours.phase[phase];
    }
    EXPECT_NEAR(phases, summary.pools[p].gpu_hours.billed, 1e-9);
    seen.start_ups += summary.pools[p].start_ups;
    seen.failures += summary.pools[p].failures;
    seen.rest_of_nodes += summary.pools[p].gpu_hours.rest_of_nodes;
    seen.minimum += summary.pools[p].gpu_hours.minimum;
    EXPECT_LE(summary.pools[p].busy, 1);
    EXPECT_LE(summary.pools[p].ready_most, pool.places());
  }
  EXPECT_NEAR(summary.cost.usd, usd, 0.005);
  seen.timed_out += totals.timed_out;
  seen.hung_up += totals.hung_up;
  seen.lost += totals.lost;
  seen.retries += totals.retries;
  seen.escalations += totals.escalations;
  seen.arrived_bytes += network.arrived;
  seen.cancelled_bytes += network.cancelled;
}

TEST(Identities, HoldInRandomScenariosOfEverything) {
  Seen seen;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Scenario scenario = random_scenario(seed, seed % 3 == 0);
    sell_and_scale(scenario, seed);
    expect_conserved(scenario, "seed " + std::to_string(seed), seen);
    if (HasFailure()) return;
  }
  for (const std::int64_t count : {seen.start_ups, seen.failures, seen.timed_out, seen.hung_up,
                                   seen.lost, seen.retries, seen.escalations})
    EXPECT_GT(count, 20);
  EXPECT_GT(seen.rest_of_nodes, 0);
  EXPECT_GT(seen.minimum, 0);
  EXPECT_TRUE(seen.arrived_bytes > 0 && seen.cancelled_bytes > 0);
  std::cout << "start-ups " << seen.start_ups << ", failures " << seen.failures << ", timed out "
            << seen.timed_out << ", hung up " << seen.hung_up << ", lost " << seen.lost
            << ", retries " << seen.retries << ", escalations " << seen.escalations
            << "; GB loaded " << static_cast<double>(seen.arrived_bytes) / 1e9 << "\n";
}

}  // namespace
}  // namespace headway
