#include "sim/model/health_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headway {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Time kSecond = 1'000'000'000'000;

/// A clock that keeps the one wake-up of its one entity.
struct Alarm final : Clock {
  Time now() const override { return 0; }
  void wake(Entity, Time time) override { at = time; }
  bool passed(Entity) const override { return false; }
  Time at = kNever;
};

/// Checks every 5 s that take 3 failures and 2 successes, of three replicas that are ready.
struct Checked {
  Alarm alarm;
  HealthChecks checks{{5, 3, 2}, 3, alarm, 0};
  Checked() {
    for (std::uint32_t r = 0; r < 3; ++r) EXPECT_TRUE(checks.tell(r, true, true, 0));
  }
  void is(std::uint32_t replica, bool up, double at_seconds) {
    EXPECT_FALSE(checks.tell(replica, up, false, static_cast<Time>(at_seconds * kSecond)));
  }
  /// The looks until this time: who is believed otherwise from then on, by the look's second.
  std::vector<std::pair<std::int64_t, std::uint32_t>> until(std::int64_t seconds) {
    std::vector<std::pair<std::int64_t, std::uint32_t>> learned;
    while (alarm.at <= seconds * kSecond) {
      const Time now = std::exchange(alarm.at, kNever);
      EXPECT_EQ(now % (5 * kSecond), 0);
      for (const std::uint32_t r : checks.look(now)) learned.emplace_back(now / kSecond, r);
    }
    return learned;
  }
};

TEST(HealthChecks, NoticeAFailureAtTheThirdLookAndTheReturnAtTheSecond) {
  Checked fleet;
  fleet.is(1, false, 7);  // looks at 10, 15 and 20 find it so
  EXPECT_THAT(fleet.until(19), IsEmpty());
  EXPECT_TRUE(fleet.checks.believed(1));
  EXPECT_THAT(fleet.until(100), ElementsAre(std::pair(20, 1)));
  EXPECT_FALSE(fleet.checks.believed(1));
  EXPECT_EQ(fleet.alarm.at, kNever) << "all is as it is believed to be";
  fleet.is(1, true, 101);
  EXPECT_THAT(fleet.until(200), ElementsAre(std::pair(110, 1)));
  EXPECT_TRUE(fleet.checks.believed(1));
}

TEST(HealthChecks, AFailureAtTheInstantOfALookIsSeenByTheNext) {
  Checked fleet;
  fleet.is(0, false, 10);
  EXPECT_THAT(fleet.until(100), ElementsAre(std::pair(25, 0)));
}

TEST(HealthChecks, AReplicaThatIsBackBeforeTheLookWasNeverGone) {
  Checked fleet;
  fleet.is(2, false, 1);
  fleet.is(2, true, 4);
  EXPECT_THAT(fleet.until(100), IsEmpty());
  EXPECT_EQ(fleet.alarm.at, kNever);
}

TEST(HealthChecks, LooksThatFindItFailedHaveToComeInARow) {
  Checked fleet;
  fleet.is(0, false, 1);  // at 5 and 10
  EXPECT_THAT(fleet.until(12), IsEmpty());
  fleet.is(0, true, 13);  // at 15
  EXPECT_THAT(fleet.until(16), IsEmpty());
  fleet.is(0, false, 17);  // at 20, 25 and 30
  EXPECT_THAT(fleet.until(100), ElementsAre(std::pair(30, 0)));
}

TEST(HealthChecks, WhatIsAnnouncedIsKnownAtOnce) {
  Checked fleet;
  EXPECT_TRUE(fleet.checks.tell(0, false, true, 3 * kSecond)) << "it drains";
  EXPECT_FALSE(fleet.checks.believed(0));
  EXPECT_EQ(fleet.alarm.at, kNever);
  fleet.is(0, true, 4);  // a new one in its place
  EXPECT_THAT(fleet.until(5), IsEmpty());
  fleet.is(1, false, 6);
  EXPECT_THAT(fleet.until(100), ElementsAre(std::pair(10, 0), std::pair(20, 1)));
}

TEST(HealthChecks, AnnouncingWhatIsBelievedAlreadyChangesNothing) {
  Checked fleet;
  fleet.is(0, false, 1);
  EXPECT_THAT(fleet.until(50), ElementsAre(std::pair(15, 0)));
  fleet.is(0, true, 51);  // the look at 55 is the first of two
  EXPECT_THAT(fleet.until(56), IsEmpty());
  EXPECT_FALSE(fleet.checks.tell(0, false, true, 57 * kSecond)) << "it drains, unknown to all";
  EXPECT_THAT(fleet.until(100), IsEmpty());
  EXPECT_EQ(fleet.alarm.at, kNever);
}

}  // namespace
}  // namespace headway
