// The way from the clients to the door: latency, link, load balancer, tokenizer; every time by
// hand.
#include "sim/model/front_path.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "runs.hpp"
#include "sim/engine/event_heap.hpp"
#include "sim/engine/fair_network.hpp"

namespace headway {
namespace {

Distribution fixed(double value) {
  Distribution law;
  law.a = value;
  return law;
}

/// A front of one tokenizer.
std::unique_ptr<const Scenario> tokenizing(FrontStation station) {
  auto scenario = std::make_unique<Scenario>();
  scenario->front.tokenizer = std::move(station);
  return scenario;
}

/// A front, its clock and network, and those who came through its door.
struct Passage final : Process, Door {
  explicit Passage(const Scenario& of)
      : scenario(of),
        heap(FrontPath::entities(scenario)),
        network(heap),
        front(scenario, heap, network, requests, *this, 0) {}

  std::uint32_t request(std::int32_t input_tokens) {
    const std::uint32_t slot = requests.take();
    requests[slot].record = {};
    requests[slot].record.id = slot;
    requests[slot].record.input_tokens = input_tokens;
    return slot;
  }
  void run_until(Time end) {
    for (;;) {
      const Time transfer = network.next_time(), event = heap.next_time();
      if (std::min(transfer, event) > end || std::min(transfer, event) == kNever) break;
      if (transfer <= event) {
        heap.advance(transfer);
        network.run_due(*this);
      } else {
        heap.run_next(*this);
      }
    }
    heap.advance(end);
  }

  void at_door(std::uint32_t slot, Time now) override { passed.emplace_back(slot, now); }
  void on_wake(Entity entity, Time now) override { front.on_wake(entity, now); }
  void on_transfer(std::uint64_t tag, Time now) override {
    front.on_transfer(static_cast<std::uint32_t>(tag), now);
  }
  bool finished() const override { return false; }

  const Scenario scenario;
  Requests requests;
  EventHeap heap;
  FairNetwork network;
  FrontPath front;
  std::vector<std::pair<std::uint32_t, Time>> passed;
};

using Passed = std::vector<std::pair<std::uint32_t, Time>>;

TEST(FrontPath, WithoutLatencyAndStationsARequestIsAtTheDoorAtOnce) {
  Passage passage{Scenario{}};
  const std::uint32_t slot = passage.request(10);
  passage.front.send(slot, 0, 0);
  EXPECT_EQ(passage.passed, (Passed{{slot, 0}}));
  EXPECT_TRUE(passage.heap.empty());
  EXPECT_TRUE(passage.front.totals(0).empty());
}

TEST(FrontPath, ALatencyDelaysEachRequestByItself) {
  Scenario scenario;
  scenario.front.latency_seconds = 0.005;
  Passage passage(scenario);
  for (int i = 0; i < 3; ++i) {
    passage.run_until(ms(2.0 * i));
    passage.front.send(passage.request(10), 0, ms(2.0 * i));
  }
  passage.run_until(ms(100));
  EXPECT_EQ(passage.passed, (Passed{{0, ms(5)}, {1, ms(7)}, {2, ms(9)}}));
}

TEST(FrontPath, TheLinkIsSharedAndThenTheStationsFollow) {
  // Two requests of 1 MB on 100 MB/s take 20 ms together, and 1 ms of latency; a balancer of one
  // server then takes 2 ms for each.
  Scenario scenario;
  scenario.front.bandwidth = 100e6;
  scenario.front.latency_seconds = 0.001;
  scenario.front.balancer = FrontStation{1, fixed(0.002), 0};
  Passage passage(scenario);
  for (int i = 0; i < 2; ++i) passage.front.send(passage.request(10), 1'000'000, 0);
  passage.run_until(ms(100));
  EXPECT_EQ(passage.passed, (Passed{{0, ms(23)}, {1, ms(25)}}));
}

TEST(FrontPath, ABalancerOfTwoServersHandsOnToATokenizerThatReadsTokenByToken) {
  // Balancer: 4 ms each, two at a time: 0 and 1 leave at 4, 2 at 8. Tokenizer: 1 ms and 10 µs a
  // token: 0 (100 tokens, 2 ms) 4..6, 1 (400 tokens, 5 ms) 6..11, 2 (100 tokens) waits from 8 to 11
  // and leaves at 13.
  Scenario scenario;
  scenario.front.balancer = FrontStation{2, fixed(0.004), 0};
  scenario.front.tokenizer = FrontStation{1, fixed(0.001), 10e-6};
  Passage passage(scenario);
  for (const std::int32_t tokens : {100, 400, 100})
    passage.front.send(passage.request(tokens), 0, 0);
  passage.run_until(ms(50));
  EXPECT_EQ(passage.passed, (Passed{{0, ms(6)}, {1, ms(11)}, {2, ms(13)}}));

  const std::vector<FrontStationTotals> totals = passage.front.totals(ms(50));
  ASSERT_EQ(totals.size(), 2u);
  EXPECT_EQ(totals[0].name, "load balancer");
  EXPECT_EQ(totals[0].begun, 3);
  EXPECT_EQ(totals[0].busy_time, 3 * ms(4));
  EXPECT_EQ(totals[0].waiting_time, ms(4)) << "the third, for one of the two servers";
  EXPECT_EQ(totals[1].name, "tokenizer");
  EXPECT_EQ(totals[1].busy_time, ms(2 + 5 + 2));
  EXPECT_EQ(totals[1].waiting_time, ms(2 + 3)) << "1 from 4 to 6, 2 from 8 to 11";
}

TEST(FrontPath, AStationThatTakesBatchesHandsThemOnTogether) {
  // 0 (100 tokens) is alone, 0..2; 1, 2 and 3 have come by then and take 2 + 5 + 2 ms together; 4
  // waits for them; 5 comes later, to a free server.
  Passage passage(*tokenizing({1, fixed(0.001), 10e-6, 3}));
  for (const std::int32_t tokens : {100, 100, 400, 100, 100})
    passage.front.send(passage.request(tokens), 0, 0);
  passage.run_until(ms(20));
  passage.front.send(passage.request(100), 0, ms(20));
  passage.run_until(ms(50));
  EXPECT_EQ(passage.passed,
            (Passed{{0, ms(2)}, {1, ms(11)}, {2, ms(11)}, {3, ms(11)}, {4, ms(13)}, {5, ms(22)}}));
  const FrontStationTotals totals = passage.front.totals(ms(50)).front();
  EXPECT_EQ(totals.begun, 6);
  EXPECT_EQ(totals.busy_time, ms(13 + 2));
  EXPECT_EQ(totals.waiting_time, ms(3 * 2 + 11));
}

TEST(FrontPath, TwoServersTakeABatchEach) {
  Passage passage(*tokenizing({2, fixed(0.001), 0, 2}));
  for (int i = 0; i < 6; ++i) passage.front.send(passage.request(1), 0, 0);
  passage.run_until(ms(50));
  const Passed expected = {{0, ms(1)}, {1, ms(1)}, {2, ms(3)}, {3, ms(3)}, {4, ms(3)}, {5, ms(3)}};
  EXPECT_EQ(passage.passed, expected);
  EXPECT_EQ(passage.front.totals(ms(50)).front().busy_time, ms(6));
}

TEST(FrontPath, AShorterServiceOvertakesALongerOneOnAnotherServer) {
  Passage passage(*tokenizing({2, fixed(0), 10e-6}));
  for (const std::int32_t tokens : {500, 200, 100})
    passage.front.send(passage.request(tokens), 0, 0);
  passage.run_until(ms(50));
  EXPECT_EQ(passage.passed, (Passed{{1, ms(2)}, {2, ms(3)}, {0, ms(5)}}));
}

TEST(FrontPath, WhatIsInServiceWhenTheRunStopsCountsUntilThen) {
  Passage passage(*tokenizing({1, fixed(0.010), 0}));
  for (int i = 0; i < 3; ++i) passage.front.send(passage.request(1), 0, 0);
  passage.run_until(ms(14));
  const FrontStationTotals totals = passage.front.totals(ms(14)).front();
  EXPECT_EQ(totals.begun, 2);
  EXPECT_EQ(totals.waiting, 1);
  EXPECT_EQ(totals.busy_time, ms(14));
  EXPECT_EQ(totals.waiting_time, ms(10 + 14));
}

TEST(FrontPath, AStationThatTakesNoTimeKeepsTheOrderAndTheInstant) {
  Scenario scenario;
  scenario.front.balancer = FrontStation{1, fixed(0), 0};
  scenario.front.tokenizer = FrontStation{1, fixed(0), 0};
  Passage passage(scenario);
  for (int i = 0; i < 4; ++i) passage.front.send(passage.request(1), 0, 0);
  passage.run_until(0);
  EXPECT_EQ(passage.passed, (Passed{{0, 0}, {1, 0}, {2, 0}, {3, 0}}));
}

TEST(FrontPath, AServiceWithoutAnEndKeepsItsServerForEver) {
  Passage passage(*tokenizing({1, fixed(1), 1e9}));
  passage.front.send(passage.request(1'000'000), 0, 0);
  passage.front.send(passage.request(1), 0, 0);
  passage.run_until(ms(1000));
  EXPECT_TRUE(passage.passed.empty());
  EXPECT_EQ(passage.heap.next_time(), kEndOfTime);
}

}  // namespace
}  // namespace headway
