// A step cost that goes by the longest context of the batch alone: both steppings ask it the same.
#include <gtest/gtest.h>

#include <vector>

#include "sim/engine/event_heap.hpp"
#include "sim/model/replica.hpp"
#include "sim/workload/draw.hpp"

namespace headway {
namespace {

/// 1 ms and 1 µs for each key of the longest context, 1 µs for each token of prefill.
struct PacedByTheLongest final : StepCost {
  Picoseconds step(const StepShape& shape) const override {
    return 1'000'000'000 + 1'000'000 * (shape.decode_context_longest + shape.prefill_tokens);
  }
  StepLimits limits(const StepShape& shape) const override { return {.compute = step(shape)}; }
  const char* source() const override { return "longest"; }
};

struct Steps final : Observer {
  std::vector<Time> finished;
  std::int64_t preemptions = 0;

  void on_arrival(Time, std::uint32_t) override {}
  void on_departure(Time, const RequestRecord&) override {}
  void on_token_gaps(Time, std::int64_t) override {}
  void on_steps(const StepSpan&) override {}
  void on_preemption(Time, std::uint32_t) override { ++preemptions; }
};

/// One replica, and 200 requests that come to it a few milliseconds apart.
class OneReplica final : public Process, private Departures {
 public:
  OneReplica(const Pool& pool, bool reference, std::uint64_t seed)
      : draw_(seed, Stream::router, 0) {
    const ReplicaContext context{heap_, requests_, *this, steps, pool, &cost_, 1, 0, seed};
    replica_ = reference ? make_reference_replica(context) : make_continuous_replica(context);
    heap_.wake(0, 0);
    while (!heap_.empty()) heap_.run_next(*this);
  }
  void on_wake(Entity entity, Time now) override {
    if (entity == 1) return replica_->on_wake(now);
    const std::uint32_t slot = requests_.take();
    requests_[slot] = {};
    requests_[slot].content.own = next_ + 1;
    requests_[slot].record.input_tokens = 1 + static_cast<std::int32_t>(draw_.below(300, next_++));
    requests_[slot].record.output_tokens = 1 + static_cast<std::int32_t>(draw_.below(150, next_++));
    replica_->enqueue(slot, now);
    const auto gap = static_cast<Time>(draw_.below(30'000'000'000, next_++));
    if (next_ < 600) heap_.wake(0, now + gap);
  }
  void on_transfer(std::uint64_t, Time) override {}
  bool finished() const override { return false; }

  Steps steps;

 private:
  void depart(std::uint32_t slot, Time now) override {
    steps.finished.push_back(now);
    requests_.give(slot);
  }
  EventHeap heap_{2};
  Requests requests_;
  PacedByTheLongest cost_;
  Draw draw_;
  std::uint64_t next_ = 0;
  std::unique_ptr<Replica> replica_;
};

TEST(LongestContext, PacesFastAndReferenceSteppingAlike) {
  std::int64_t preemptions = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Pool pool;
    pool.max_model_len = 1000;
    pool.kv.blocks = seed % 2 == 0 ? 40 : 1000;
    pool.batching.max_num_seqs = 16;
    pool.batching.max_num_batched_tokens = seed % 3 == 0 ? 24 : 512;
    const OneReplica fast(pool, false, seed), reference(pool, true, seed);
    ASSERT_EQ(fast.steps.finished.size(), 200u) << "seed " << seed;
    ASSERT_EQ(fast.steps.finished, reference.steps.finished) << "seed " << seed;
    ASSERT_EQ(fast.steps.preemptions, reference.steps.preemptions) << "seed " << seed;
    preemptions += fast.steps.preemptions;
  }
  EXPECT_GT(preemptions, 1000) << "contexts also shrank";
}

}  // namespace
}  // namespace headway
