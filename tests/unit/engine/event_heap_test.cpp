// The clock and its pending wake-ups.
#include "sim/engine/event_heap.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "sim/workload/draw.hpp"

namespace headway {
namespace {

using Ran = std::vector<std::pair<Time, Entity>>;

/// Notes what runs, and does what the test says then.
struct Script final : Process {
  void on_wake(Entity entity, Time now) override {
    ran.emplace_back(now, entity);
    if (then) then(entity, now);
  }
  void on_transfer(std::uint64_t, Time) override {}
  bool finished() const override { return false; }
  Ran ran;
  std::function<void(Entity, Time)> then;
};

void run_all(EventHeap& heap, Script& script) {
  while (!heap.empty()) heap.run_next(script);
}

TEST(EventHeap, RunsInOrderOfTimeThenEntity) {
  EventHeap heap(5);
  Script script;
  heap.wake(4, 10);
  heap.wake(1, 30);
  heap.wake(3, 10);
  heap.wake(0, 20);
  heap.wake(2, 10);
  EXPECT_EQ(heap.next_time(), 10);
  run_all(heap, script);
  EXPECT_EQ(script.ran, (Ran{{10, 2}, {10, 3}, {10, 4}, {20, 0}, {30, 1}}));
  EXPECT_EQ(heap.now(), 30);
  EXPECT_EQ(heap.next_time(), kNever);
}

TEST(EventHeap, AWakeReplacesTheOneBefore) {
  EventHeap heap(2);
  Script script;
  heap.wake(0, 10);
  heap.wake(1, 20);
  heap.wake(0, 30);  // later
  heap.wake(1, 5);   // earlier
  run_all(heap, script);
  EXPECT_EQ(script.ran, (Ran{{5, 1}, {30, 0}}));
}

TEST(EventHeap, NeverClearsAWakeUp) {
  EventHeap heap(3);
  Script script;
  heap.wake(0, 10);
  heap.wake(1, 20);
  heap.wake(0, kNever);
  heap.wake(2, kNever);
  run_all(heap, script);
  EXPECT_EQ(script.ran, (Ran{{20, 1}}));
}

TEST(EventHeap, AnEntityThatRunsMayWakeItselfAgainEvenNow) {
  EventHeap heap(2);
  Script script;
  int left = 3;
  script.then = [&](Entity entity, Time now) {
    if (entity == 1 && left-- > 0) heap.wake(1, left == 0 ? now : now + 5);
  };
  heap.wake(1, 10);
  run_all(heap, script);
  EXPECT_EQ(script.ran, (Ran{{10, 1}, {15, 1}, {20, 1}, {20, 1}}));
}

TEST(EventHeap, AnEntityThatRunsMayClearItself) {
  EventHeap heap(2);
  Script script;
  script.then = [&](Entity, Time now) {
    heap.wake(0, now + 1);
    heap.wake(0, kNever);
  };
  heap.wake(0, 10);
  heap.wake(1, 10);
  heap.run_next(script);
  EXPECT_EQ(heap.next_time(), 10);
  script.then = nullptr;
  run_all(heap, script);
  EXPECT_EQ(script.ran, (Ran{{10, 0}, {10, 1}}));
}

TEST(EventHeap, AWakeOfALowerEntityInTheSameInstantRunsBeforeTheHigherOnes) {
  EventHeap heap(4);
  Script script;
  script.then = [&](Entity entity, Time now) {
    if (entity == 2) heap.wake(0, now);
  };
  heap.wake(2, 10);
  heap.wake(3, 10);
  run_all(heap, script);
  EXPECT_EQ(script.ran, (Ran{{10, 2}, {10, 0}, {10, 3}}));
}

TEST(EventHeap, PassedTellsOnWhichSideOfTheInstantAnEventLies) {
  EventHeap heap(5);
  Script script;
  EXPECT_FALSE(heap.passed(0)) << "nothing has run yet";
  std::map<Entity, std::vector<bool>> passed;
  script.then = [&](Entity entity, Time now) {
    for (Entity e = 0; e < 5; ++e) passed[entity].push_back(heap.passed(e));
    if (entity == 3) heap.wake(1, now);
  };
  heap.wake(2, 10);
  heap.wake(3, 10);
  run_all(heap, script);
  EXPECT_EQ(passed[2], (std::vector<bool>{true, true, true, false, false}));
  EXPECT_EQ(passed[3], (std::vector<bool>{true, true, true, true, false}));
  EXPECT_EQ(passed[1], (std::vector<bool>{true, true, true, true, false}))
      << "3 has run in this instant, though 1 runs now";
  heap.advance(11);
  EXPECT_FALSE(heap.passed(0)) << "a transfer ended; no event of the new instant has run";
  heap.advance(11);
  EXPECT_EQ(heap.now(), 11);
}

TEST(EventHeap, AgreesWithASortedMapOverRandomWakes) {
  constexpr Entity kEntities = 200;
  EventHeap heap(kEntities);
  Script script;
  std::map<std::pair<Time, Entity>, bool> expected;
  std::vector<Time> set(kEntities, kNever);
  const Draw draw(9, Stream::router, 0);
  std::uint64_t next = 0;
  const auto wake = [&](Entity entity, Time at) {
    expected.erase({set[entity], entity});
    set[entity] = at;
    if (at != kNever) expected[{at, entity}] = true;
    heap.wake(entity, at);
  };
  script.then = [&](Entity entity, Time now) {
    ASSERT_EQ(expected.begin()->first, (std::pair{now, entity}));
    expected.erase(expected.begin());
    set[entity] = kNever;
    for (std::uint64_t i = draw.below(4, next++); i > 0; --i) {
      const auto other = static_cast<Entity>(draw.below(kEntities, next++));
      const Time at = now + static_cast<Time>(draw.below(50, next++));
      wake(other, draw.below(8, next++) == 0 ? kNever : at);
    }
  };
  for (int i = 0; i < 20000; ++i) {
    if (heap.empty()) wake(static_cast<Entity>(draw.below(kEntities, next++)), heap.now() + 1);
    heap.run_next(script);
    ASSERT_EQ(heap.next_time(), expected.empty() ? kNever : expected.begin()->first.first);
    if (HasFatalFailure()) FAIL() << "at event " << i;
  }
}

TEST(EventHeap, NoEventRunsAtTheEndOfTime) {
  EventHeap heap(2);
  Script script;
  heap.wake(0, kEndOfTime - 1);
  heap.wake(1, kEndOfTime);
  heap.run_next(script);
  EXPECT_THROW(heap.run_next(script), RunError);
  EXPECT_THROW(heap.advance(kEndOfTime), RunError);
  EXPECT_EQ(script.ran, (Ran{{kEndOfTime - 1, 0}}));
}

TEST(EndOfTime, SumsStopThere) {
  const Time days = Time{86400} * 1'000'000'000'000;
  EXPECT_EQ(time_after(106 * days, 106 * days), kEndOfTime);
  EXPECT_EQ(time_after(kEndOfTime, 1), kEndOfTime);
  EXPECT_EQ(time_after(kEndOfTime - 5, 4), kEndOfTime - 1);
  EXPECT_EQ(time_after(0, INT64_MAX), kEndOfTime);
  EXPECT_EQ(time_after(3, 4), 7);
  EXPECT_GT(kEndOfTime, 106 * days);
}

}  // namespace
}  // namespace headway
