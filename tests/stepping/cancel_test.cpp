// Clients that go away while their requests wait or run, and a crash at the end: fast stepping
// against the reference.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>
#include <vector>

#include "sim/engine/event_heap.hpp"
#include "sim/model/replica.hpp"
#include "sim/workload/draw.hpp"

namespace headway {
namespace {

constexpr Time kMillisecond = 1'000'000'000;

/// What the replica did, in order.
struct Event {
  enum class What { rejected, left_queue, runs_on, departed, gap, preempted, crashed, held };
  Time now;
  What what;
  std::int64_t number;  // a visit, a count
  bool operator==(const Event&) const = default;
};
using Log = std::vector<Event>;

/// One replica, 300 requests that come to it a few milliseconds apart, and clients of little
/// patience. Many of their times fall on the ends of steps.
class Impatient final : public Process, private Departures, private Observer {
 public:
  Impatient(const Pool& pool, const StepCost* cost, bool reference, std::uint64_t seed)
      : draw_(seed, Stream::router, 1),
        arrivals_(seed % 2 == 0 ? 0 : 2),
        longest_gap_(seed % 4 < 2 ? 16 : 100) {
    const ReplicaContext context{heap_, requests_, *this, *this, pool,    cost,
                                 1,     0,         seed,  1,     tenants_};
    replica_ = make_replica(context, reference ? Run::Stepping::reference : Run::Stepping::fast);
    heap_.wake(arrivals_, 0);
    const Time crash = kMillisecond * (500 + static_cast<Time>(draw_.below(2000, 7)));
    while (!heap_.empty() && heap_.next_time() < crash) heap_.run_next(*this);
    heap_.advance(crash);
    replica_->settle(crash);
    std::vector<std::uint32_t> slots;
    replica_->list(slots);
    log.push_back({crash, Event::What::crashed, replica_->steps()});
    for (const std::uint32_t slot : slots) note(crash, Event::What::held, slot);
  }
  void on_wake(Entity entity, Time now) override {
    if (entity == 1) return replica_->on_wake(now);
    if (entity == arrivals_) return arrive(now);
    while (!patience_.empty() && patience_.begin()->first <= now) {
      const std::uint64_t visit = patience_.begin()->second;
      patience_.erase(patience_.begin());
      give_up(visit, now);
    }
    if (!patience_.empty()) heap_.wake(timers(), patience_.begin()->first);
  }
  void on_transfer(std::uint64_t, Time) override {}
  bool finished() const override { return false; }

  Log log;
  std::int64_t left = 0, run_on = 0, waiting = 0;

 private:
  Entity timers() const { return 2 - arrivals_; }
  void note(Time now, Event::What what, std::uint32_t slot) {
    log.push_back({now, what, static_cast<std::int64_t>(requests_[slot].visit)});
  }
  void arrive(Time now) {
    const std::uint64_t n = next_++;
    const std::uint32_t slot = requests_.take();
    Request& request = requests_[slot];
    request = {};
    request.visit = n + 1;
    request.priority = static_cast<std::int32_t>(draw_.below(3, n, 0));
    request.tenant = static_cast<std::uint32_t>(draw_.below(3, n, 8));
    if (draw_.below(4, n, 9) > 0) {
      request.deadline = now + kMillisecond * static_cast<Time>(draw_.below(1000, n, 10));
    }
    request.content.own = 1000 + n;
    request.content.shared = {{1 + draw_.below(3, n, 1), 30}};
    request.record.input_tokens = 30 + static_cast<std::int32_t>(draw_.below(200, n, 2));
    request.record.output_tokens = 1 + static_cast<std::int32_t>(draw_.below(120, n, 3));
    slots_.push_back(slot);
    if (replica_->enqueue(slot, now) != Outcome::completed) {
      note(now, Event::What::rejected, slot);
      slots_.back() = kGone;
      requests_.give(slot);
    } else if (draw_.below(10, n, 4) < 7) {
      const Time patience = kMillisecond * static_cast<Time>(draw_.below(n % 2 ? 300 : 2000, n, 5));
      patience_.emplace(now + patience, n + 1);
      heap_.wake(timers(), patience_.begin()->first);
    }
    if (n < 300) {
      heap_.wake(arrivals_,
                 now + kMillisecond * static_cast<Time>(draw_.below(longest_gap_, n, 6)));
    }
  }
  void give_up(std::uint64_t visit, Time now) {
    const std::uint32_t slot = slots_[visit - 1];
    if (slot == kGone) return;
    const std::int64_t before = replica_->waiting();
    if (replica_->cancel(slot, now)) {
      note(now, Event::What::left_queue, slot);
      EXPECT_EQ(replica_->waiting(), before - 1);
      slots_[visit - 1] = kGone;
      requests_.give(slot);
      ++left;
    } else {
      note(now, Event::What::runs_on, slot);
      EXPECT_EQ(replica_->waiting(), before);
      ++run_on;
    }
    waiting = std::max(waiting, before);
  }
  void depart(std::uint32_t slot, Time now) override {
    note(now, Event::What::departed, slot);
    slots_[requests_[slot].visit - 1] = kGone;
    requests_.give(slot);
  }
  void on_arrival(Time, std::uint32_t) override {}
  void on_departure(Time, const RequestRecord&) override {}
  void on_token_gaps(Time gap, std::int64_t count) override {
    gaps_ += gap * count;
    log.push_back({0, Event::What::gap, gaps_});
  }
  void on_steps(const StepSpan& span) override { EXPECT_LE(span.start, span.end); }
  void on_preemption(Time now, std::uint32_t) override {
    log.push_back({now, Event::What::preempted, 0});
  }

  static constexpr std::uint32_t kGone = UINT32_MAX;
  const std::vector<Tenant> tenants_{{.name = "a"}, {.name = "b", .weight = 3}};  // and an unknown
  EventHeap heap_{3};
  Requests requests_;
  Draw draw_;
  const Entity arrivals_;
  const std::uint64_t longest_gap_;   // between arrivals, in milliseconds
  std::vector<std::uint32_t> slots_;  // by visit − 1
  std::set<std::pair<Time, std::uint64_t>> patience_;
  std::uint64_t next_ = 0;
  Time gaps_ = 0;
  std::unique_ptr<Replica> replica_;
};

/// Token gaps in one sum: fast stepping tells those of a run together.
Log without_gaps(const Log& log, std::int64_t& sum) {
  Log rest;
  for (const Event& event : log) {
    if (event.what == Event::What::gap) {
      sum = event.number;
    } else {
      rest.push_back(event);
    }
  }
  return rest;
}

Pool random_pool(std::uint64_t seed) {
  const Draw draw(seed, Stream::router, 2);
  Pool pool;
  pool.max_model_len = 1000;
  pool.order = static_cast<QueueOrder>(draw.below(5, 0));
  if (draw.below(2, 10) == 0)
    pool.max_wait_seconds = 0.05 * static_cast<double>(draw.below(20, 11));
  pool.placement.engine.asynchronous = draw.below(2, 1) == 0;
  pool.kv.blocks = draw.below(2, 2) == 0 ? 45 : 400;
  pool.kv.reserve_all = draw.below(4, 3) == 0;
  pool.kv.prefix_caching = draw.below(3, 4) > 0;
  pool.batching.max_num_seqs = 4 + static_cast<std::int32_t>(draw.below(12, 5));
  pool.batching.max_num_batched_tokens = draw.below(2, 6) == 0 ? 32 : 512;
  if (draw.below(4, 7) == 0) {
    pool.batching.kind = static_cast<Batching::Kind>(draw.below(3, 8));
    pool.batching.size = pool.batching.max_size = 5;
    pool.batching.timeout_seconds = 0.1;
    pool.batching.max_queue_delay_seconds = 0.05;
  }
  if (draw.below(5, 9) == 0) pool.max_queue = 20;
  return pool;
}

TEST(Cancel, LeavesTheSameInBothSteppings) {
  // Steps of 10 ms, whose ends meet the clients' times; and some that meet none.
  const auto even = make_linear_cost({0.010, 0, 0, 0});
  const auto odd = make_linear_cost({0.0083, 1.7e-6, 1.1e-7, 0});
  std::int64_t left = 0, run_on = 0, waiting = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    const Pool pool = random_pool(seed);
    const StepCost* cost = seed % 3 == 0 ? odd.get() : even.get();
    const Impatient fast(pool, cost, false, seed), reference(pool, cost, true, seed);
    std::int64_t fast_gaps = 0, reference_gaps = 0;
    const Log a = without_gaps(fast.log, fast_gaps);
    const Log b = without_gaps(reference.log, reference_gaps);
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      ASSERT_EQ(a[i], b[i]) << "seed " << seed << ", event " << i << ": " << a[i].now << " "
                            << static_cast<int>(a[i].what) << " " << a[i].number << " and "
                            << b[i].now << " " << static_cast<int>(b[i].what) << " " << b[i].number;
    }
    ASSERT_EQ(a.size(), b.size()) << "seed " << seed;
    ASSERT_EQ(fast_gaps, reference_gaps) << "seed " << seed;
    left += fast.left;
    run_on += fast.run_on;
    waiting = std::max(waiting, fast.waiting);
  }
  std::cout << left << " left the queue, " << run_on << " ran to the end of their step\n";
  EXPECT_GT(left, 10'000);
  EXPECT_GT(run_on, 3'000);
  EXPECT_GT(waiting, 50);
}

}  // namespace
}  // namespace headway
