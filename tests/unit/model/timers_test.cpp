// Many timers behind one entity of the clock.
#include "sim/model/timers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace headway {
namespace {

class NotedWakes final : public Clock {
 public:
  Time now() const override { return 0; }
  void wake(Entity, Time at) override { next = at; }
  bool passed(Entity) const override { return false; }
  Time next = kNever;
};

std::vector<Time> taken(Timers& timers, Time now) {
  std::vector<Time> times;
  for (Timers::Timer due; timers.take_due(now, due);) times.push_back(due.at);
  return times;
}

TEST(Timers, ComeInOrderOfTime) {
  NotedWakes clock;
  Timers timers(clock, 0);
  for (const Time at : {30, 10, 20, 40}) timers.set({.at = at, .life = 1});
  EXPECT_EQ(clock.next, 10);
  EXPECT_EQ(taken(timers, 30), (std::vector<Time>{10, 20, 30}));
  EXPECT_EQ(clock.next, 40);
}

TEST(Timers, ThatAreForgottenDoNotComeAndTheOthersDo) {
  NotedWakes clock;
  Timers timers(clock, 0);
  for (Time at = 1; at <= 1000; ++at)
    timers.set({.at = at * 7 % 1001, .life = static_cast<std::uint64_t>(at % 2)});
  timers.forget([](const Timers::Timer& timer) { return timer.life == 0; });
  std::vector<Time> expected;
  for (Time at = 1; at <= 1000; at += 2) expected.push_back(at * 7 % 1001);
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(taken(timers, 1000), expected);
}

TEST(Timers, AreTooManyWhenFewRequestsAreLeftOfThoseThatSetThem) {
  NotedWakes clock;
  Timers timers(clock, 0);
  for (Time at = 1; at <= 100'000; ++at) timers.set({.at = at, .life = 1});
  EXPECT_FALSE(timers.too_many(25'000)) << "each may have set four";
  EXPECT_TRUE(timers.too_many(100));
  timers.forget([](const Timers::Timer& timer) { return timer.at > 400; });
  EXPECT_FALSE(timers.too_many(100));
}

}  // namespace
}  // namespace headway
