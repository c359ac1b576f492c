// The waiting requests of a replica, in the order in which they will be served.
#include "sim/serving/waiting_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "sim/workload/draw.hpp"

namespace headway {
namespace {

std::vector<std::uint32_t> emptied(WaitingQueue& queue) {
  std::vector<std::uint32_t> slots;
  for (; !queue.empty(); queue.pop()) slots.push_back(queue.front().slot);
  return slots;
}

TEST(WaitingQueue, FirstComeFirstServedIgnoresRanks) {
  WaitingQueue queue(QueueOrder::fcfs);
  queue.push(3, 10);
  queue.push(1, 11);
  queue.push(2, 12);
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_EQ(emptied(queue), (std::vector<std::uint32_t>{10, 11, 12}));
}

TEST(WaitingQueue, APreemptedRequestGoesInFrontOfAllThatWait) {
  WaitingQueue queue(QueueOrder::fcfs);
  queue.push(0, 10);
  const std::int64_t first = queue.push(0, 11), second = queue.push(0, 12);
  queue.pop();
  queue.pop();
  queue.pop();
  queue.push(0, 13);
  // The batch is preempted from its back: 12 before 11, so that 11 stands in front of 12 again.
  queue.push_preempted({0, second, 12, 5});
  queue.push_preempted({0, first, 11, 4});
  EXPECT_EQ(queue.front().sequence, 4u);
  EXPECT_EQ(emptied(queue), (std::vector<std::uint32_t>{11, 12, 13}));
}

TEST(WaitingQueue, WhoLeavesFromTheMiddleIsNotCountedAndNotServed) {
  WaitingQueue queue(QueueOrder::fcfs);
  const std::int64_t first = queue.push(0, 10), second = queue.push(0, 11);
  queue.push(0, 12);
  queue.erase(second);
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue.front().slot, 10u);
  queue.erase(first);
  EXPECT_EQ(queue.front().slot, 12u) << "both places in front of it are empty";
  const std::int64_t preempted = queue.push_preempted({0, first, 10, 7});
  queue.push(0, 13);
  EXPECT_EQ(queue.front().slot, 10u);
  queue.erase(preempted);
  EXPECT_EQ(emptied(queue), (std::vector<std::uint32_t>{12, 13}));
  EXPECT_TRUE(queue.empty());
}

TEST(WaitingQueue, WhoLeavesARankedQueueLeavesTheOthersInOrder) {
  WaitingQueue queue(QueueOrder::priority);
  queue.push(2, 10);
  const std::int64_t best = queue.push(-1, 11);
  const std::int64_t middle = queue.push(1, 12);
  queue.push(2, 13);
  queue.push(0, 14);
  queue.erase(middle);
  queue.erase(best);
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_EQ(emptied(queue), (std::vector<std::uint32_t>{14, 10, 13}));
}

TEST(WaitingQueue, HoldsAListsOrderWhateverComesAndGoes) {
  const Draw draw(11, Stream::router, 0);
  for (const QueueOrder order : {QueueOrder::fcfs, QueueOrder::priority}) {
    WaitingQueue queue(order);
    struct Place {
      std::int64_t rank, number, ticket;
      std::uint32_t slot;
    };
    std::vector<Place> list;  // in order
    const auto add = [&](Place place) {
      list.insert(std::upper_bound(list.begin(), list.end(), place,
                                   [](const Place& a, const Place& b) {
                                     return a.rank != b.rank ? a.rank < b.rank
                                                             : a.number < b.number;
                                   }),
                  place);
    };
    for (std::uint64_t i = 0; i < 20000; ++i) {
      const auto n = static_cast<std::uint32_t>(i);
      const std::uint64_t what = draw.below(10, i);
      if (what < (i / 2000 % 2 ? 3u : 6u)) {
        const auto rank =
            order == QueueOrder::fcfs ? 0 : static_cast<std::int64_t>(draw.below(5, i, 1));
        add({rank, static_cast<std::int64_t>(i), queue.push(rank, n), n});
      } else if (what < 8 && !list.empty()) {
        const auto victim =
            list.begin() + static_cast<std::ptrdiff_t>(draw.below(list.size(), i, 2));
        queue.erase(victim->ticket);
        list.erase(victim);
      } else if (!list.empty()) {
        queue.pop();
        list.erase(list.begin());
      }
      ASSERT_EQ(queue.size(), list.size()) << i;
      if (list.empty()) continue;
      ASSERT_EQ(queue.front().slot, list.front().slot) << i;
      std::size_t here = 0;
      if (i % 500 == 0) {
        queue.each([&](const WaitingQueue::Entry&) { ++here; });
        ASSERT_EQ(here, list.size());
      }
    }
  }
}

TEST(WaitingQueue, LowerPriorityNumbersGoFirstAndEqualOnesInOrderOfArrival) {
  WaitingQueue queue(QueueOrder::priority);
  queue.push(2, 10);
  queue.push(-1, 11);
  queue.push(2, 12);
  queue.push(0, 13);
  queue.push(-1, 14);
  EXPECT_EQ(emptied(queue), (std::vector<std::uint32_t>{11, 14, 13, 10, 12}));
}

TEST(WaitingQueue, APreemptedRequestKeepsItsPlaceByPriorityAndFirstArrival) {
  WaitingQueue queue(QueueOrder::priority);
  const std::int64_t early = queue.push(1, 10);
  queue.pop();
  queue.push(1, 11);
  queue.push(0, 12);
  queue.push_preempted({1, early, 10, 0});
  EXPECT_EQ(emptied(queue), (std::vector<std::uint32_t>{12, 10, 11}));
}

TEST(WaitingQueue, ShortestFirstCountsInputAndOutputTokens) {
  EXPECT_EQ(queue_rank(QueueOrder::shortest_first, 7, 100, 20), 120);
  EXPECT_EQ(queue_rank(QueueOrder::priority, 7, 100, 20), 7);
  EXPECT_EQ(queue_rank(QueueOrder::fcfs, 7, 100, 20), 0);
  EXPECT_EQ(queue_rank(QueueOrder::shortest_first, 0, INT32_MAX, INT32_MAX), 4294967294);
}

TEST(WaitingQueue, OnlyPrioritiesReachIntoTheRunningBatch) {
  EXPECT_EQ(running_rank(QueueOrder::priority, -3), -3);
  EXPECT_EQ(running_rank(QueueOrder::shortest_first, -3), 0);
  EXPECT_EQ(running_rank(QueueOrder::fcfs, -3), 0);
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
