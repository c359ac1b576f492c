// The waiting requests of a replica, in the order in which they will be served.
#include "sim/serving/waiting_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "sim/workload/draw.hpp"

namespace headway {
namespace {

Pool pool_of(QueueOrder order, double max_wait_seconds = 0) {
  Pool pool;
  pool.order = order;
  pool.max_wait_seconds = max_wait_seconds;
  return pool;
}

constexpr Time kSecond = 1'000'000'000'000;

/// A queue whose clients have names: their slots.
struct Queue : WaitingQueue {
  explicit Queue(QueueOrder order, double max_wait_seconds = 0,
                 const std::vector<Tenant>& tenants = {})
      : WaitingQueue(pool_of(order, max_wait_seconds), tenants) {}

  std::int64_t add(std::uint32_t slot, const Queued& request = {}) {
    return push(request, virtual_time(), slot);
  }
  std::int64_t add_priority(std::int32_t priority, std::uint32_t slot, Time since = 0) {
    return add(slot, {.priority = priority, .since = since});
  }
  std::vector<std::uint32_t> emptied(Time now = 0) {
    std::vector<std::uint32_t> slots;
    while (!empty()) slots.push_back(pop(now).slot);
    return slots;
  }
};
using Slots = std::vector<std::uint32_t>;

TEST(WaitingQueue, FirstComeFirstServedIgnoresPriorities) {
  Queue queue(QueueOrder::fcfs);
  queue.add_priority(3, 10);
  queue.add_priority(1, 11);
  queue.add_priority(2, 12);
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_EQ(queue.emptied(), (Slots{10, 11, 12}));
}

TEST(WaitingQueue, APreemptedRequestGoesInFrontOfAllThatWait) {
  Queue queue(QueueOrder::fcfs);
  for (const std::uint32_t slot : {10u, 11u, 12u}) queue.add(slot);
  queue.pop(0);
  QueueEntry first = queue.pop(0), second = queue.pop(0);
  queue.add(13);
  // The batch is preempted from its back: 12 before 11, so that 11 stands in front of 12 again.
  second.sequence = 5;
  first.sequence = 4;
  queue.push_preempted(second);
  queue.push_preempted(first);
  EXPECT_EQ(queue.front(0).sequence, 4u);
  EXPECT_EQ(queue.emptied(), (Slots{11, 12, 13}));
}

TEST(WaitingQueue, LowerPriorityNumbersGoFirstAndEqualOnesInOrderOfArrival) {
  Queue queue(QueueOrder::priority);
  queue.add_priority(2, 10);
  queue.add_priority(-1, 11);
  queue.add_priority(2, 12);
  queue.add_priority(0, 13);
  queue.add_priority(-1, 14);
  EXPECT_EQ(queue.emptied(), (Slots{11, 14, 13, 10, 12}));
}

TEST(WaitingQueue, APreemptedRequestKeepsItsPlaceByPriorityAndFirstArrival) {
  Queue queue(QueueOrder::priority);
  queue.add_priority(1, 10);
  QueueEntry early = queue.pop(0);
  queue.add_priority(1, 11);
  queue.add_priority(0, 12);
  early.sequence = 0;
  queue.push_preempted(early);
  EXPECT_EQ(queue.emptied(), (Slots{12, 10, 11}));
}

TEST(WaitingQueue, TheEarliestDeadlineGoesFirstAndWhoHasNoneLast) {
  Queue queue(QueueOrder::deadline);
  queue.add(10, {.deadline = kNever});
  queue.add(11, {.deadline = 7 * kSecond});
  queue.add(12, {.deadline = 3 * kSecond});
  queue.add(13, {.deadline = 7 * kSecond});
  queue.add(14, {.deadline = kNever});
  EXPECT_EQ(queue.emptied(), (Slots{12, 11, 13, 10, 14}));
}

TEST(WaitingQueue, WhoHasWaitedTooLongIsNextWhateverItsPriority) {
  Queue queue(QueueOrder::priority, 10);
  queue.add_priority(5, 10, 0);
  queue.add_priority(3, 11, 1 * kSecond);
  queue.add_priority(0, 12, 2 * kSecond);
  queue.add_priority(9, 13, 3 * kSecond);
  EXPECT_EQ(queue.front(9 * kSecond).slot, 12u);
  EXPECT_EQ(queue.front_changes(9 * kSecond), 10 * kSecond);
  EXPECT_EQ(queue.front(10 * kSecond).slot, 10u) << "the moment itself counts";
  EXPECT_EQ(queue.front_changes(10 * kSecond), kNever) << "nothing but its leaving changes it";
  EXPECT_EQ(queue.pop(11 * kSecond).slot, 10u);
  EXPECT_EQ(queue.pop(11 * kSecond).slot, 11u) << "it has waited ten seconds now";
  EXPECT_EQ(queue.pop(11 * kSecond).slot, 12u);
  EXPECT_EQ(queue.front_changes(11 * kSecond), kNever) << "the only one is in front already";
}

TEST(WaitingQueue, DeadlinesAndArrivalOrderKnowNoLongestWait) {
  for (const QueueOrder order : {QueueOrder::fcfs, QueueOrder::deadline}) {
    Queue queue(order, 1);
    queue.add(10, {.deadline = 9 * kSecond});
    queue.add(11, {.deadline = 5 * kSecond});
    EXPECT_EQ(queue.front_changes(0), kNever);
    EXPECT_EQ(queue.front(8 * kSecond).slot, order == QueueOrder::fcfs ? 10u : 11u);
  }
}

TEST(WaitingQueue, WhoLeavesFromTheMiddleIsNotCountedAndNotServed) {
  Queue queue(QueueOrder::fcfs);
  const std::int64_t first = queue.add(10), second = queue.add(11);
  queue.add(12);
  queue.erase(second);
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue.front(0).slot, 10u);
  queue.erase(first);
  EXPECT_EQ(queue.front(0).slot, 12u) << "both places in front of it are empty";
  const std::int64_t preempted = queue.push_preempted({.slot = 10, .sequence = 7});
  queue.add(13);
  EXPECT_EQ(queue.front(0).slot, 10u);
  queue.erase(preempted);
  EXPECT_EQ(queue.emptied(), (Slots{12, 13}));
  EXPECT_TRUE(queue.empty());
}

TEST(WaitingQueue, WhoLeavesARankedQueueLeavesTheOthersInOrder) {
  Queue queue(QueueOrder::priority);
  queue.add_priority(2, 10);
  const std::int64_t best = queue.add_priority(-1, 11);
  const std::int64_t middle = queue.add_priority(1, 12);
  queue.add_priority(2, 13);
  queue.add_priority(0, 14);
  queue.erase(middle);
  queue.erase(best);
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_EQ(queue.emptied(), (Slots{14, 10, 13}));
}

TEST(WaitingQueue, HoldsAListsOrderWhateverComesAndGoes) {
  const Draw draw(11, Stream::router, 0);
  for (const QueueOrder order : {QueueOrder::fcfs, QueueOrder::priority}) {
    Queue queue(order);
    struct Place {
      std::int64_t rank, number, ticket;
      std::uint32_t slot;
    };
    std::vector<Place> list;  // in order
    const auto in_order = [](const Place& a, const Place& b) {
      return a.rank != b.rank ? a.rank < b.rank : a.number < b.number;
    };
    for (std::uint64_t i = 0; i < 20000; ++i) {
      const auto n = static_cast<std::uint32_t>(i);
      const std::uint64_t what = draw.below(10, i);
      if (what < (i / 2000 % 2 ? 3u : 6u)) {
        const auto priority =
            order == QueueOrder::fcfs ? 0 : static_cast<std::int32_t>(draw.below(5, i, 1));
        const Place place{priority, n, queue.add_priority(priority, n), n};
        list.insert(std::upper_bound(list.begin(), list.end(), place, in_order), place);
      } else if (what < 8 && !list.empty()) {
        const auto leaves =
            list.begin() + static_cast<std::ptrdiff_t>(draw.below(list.size(), i, 2));
        queue.erase(leaves->ticket);
        list.erase(leaves);
      } else if (!list.empty()) {
        queue.pop(0);
        list.erase(list.begin());
      }
      ASSERT_EQ(queue.size(), list.size()) << i;
      if (list.empty()) continue;
      ASSERT_EQ(queue.front(0).slot, list.front().slot) << i;
      std::size_t here = 0;
      queue.each([&](const WaitingQueue::Entry&) { ++here; });
      ASSERT_EQ(here, list.size());
    }
  }
}

TEST(WaitingQueue, ShortestFirstCountsInputAndOutputTokens) {
  const Queued request{.priority = 7, .input_tokens = 100, .output_tokens = 20};
  EXPECT_EQ(queue_rank(QueueOrder::shortest_first, request, 0), 120);
  EXPECT_EQ(queue_rank(QueueOrder::priority, request, 0), 7);
  EXPECT_EQ(queue_rank(QueueOrder::fcfs, request, 0), 0);
  EXPECT_EQ(queue_rank(QueueOrder::shortest_first,
                       {.input_tokens = INT32_MAX, .output_tokens = INT32_MAX}, 0),
            4294967294);
}

TEST(WaitingQueue, OnlyPrioritiesReachIntoTheRunningBatch) {
  EXPECT_EQ(running_rank(QueueOrder::priority, -3), -3);
  EXPECT_EQ(running_rank(QueueOrder::shortest_first, -3), 0);
  EXPECT_EQ(running_rank(QueueOrder::fcfs, -3), 0);
  EXPECT_EQ(running_rank(QueueOrder::fair, -3), 0);
}

TEST(Ring, HoldsADequesOrderThroughGrowthAndWrapping) {
  Ring<int> ring;
  std::deque<int> deque;
  const Draw draw(7, Stream::router, 0);
  for (int i = 0; i < 20000; ++i) {
    // In thousands of steps by turns filling and emptying.
    const std::uint64_t emptying = i / 1000 % 2 ? 7 : 2;
    if (draw.below(10, static_cast<std::uint64_t>(i)) < emptying && !deque.empty()) {
      ASSERT_EQ(ring.front(), deque.front());
      ring.pop_front();
      deque.pop_front();
    } else if (draw.below(2, static_cast<std::uint64_t>(i), 1)) {
      ring.push_back(i);
      deque.push_back(i);
    } else {
      ring.push_front(i);
      deque.push_front(i);
    }
    ASSERT_EQ(ring.size(), deque.size());
    ASSERT_EQ(ring.empty(), deque.empty());
  }
  ASSERT_FALSE(deque.empty());
  for (std::size_t i = 0; i < deque.size(); ++i) ASSERT_EQ(ring[i], deque[i]);
}

}  // namespace
}  // namespace headway
