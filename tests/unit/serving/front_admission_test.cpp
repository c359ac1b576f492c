// Who is let in at the front.
#include "sim/serving/front_admission.hpp"

#include <gtest/gtest.h>

namespace headway {
namespace {

constexpr Time kSecond = 1'000'000'000'000;

TEST(FrontAdmission, WithoutRulesEverybodyIsLetIn) {
  Doorkeeper door({}, {Tenant{}});
  EXPECT_TRUE(door.open());
  EXPECT_EQ(door.ask({0, 5, INT64_MAX}, 1'000'000'000, 0), Entry::granted);
}

TEST(FrontAdmission, NoMoreThanItsLimitAreInside) {
  Doorkeeper door({.max_requests = 3, .shed = {}, .max_held = 0}, {});
  EXPECT_FALSE(door.open());
  EXPECT_EQ(door.ask({}, 2, 0), Entry::granted);
  EXPECT_EQ(door.ask({}, 3, 0), Entry::overloaded);
}

TEST(FrontAdmission, TheLessImportantAreShedFirst) {
  // Priority 1 and less important from more than 50 of 100 inside, 5 and less important from more
  // than 29.
  Doorkeeper door({.max_requests = 100, .shed = {{1, 0.5}, {5, 0.29}}, .max_held = 0}, {});
  const auto asks = [&](std::int32_t priority, std::int64_t inside) {
    return door.ask({0, priority, 1}, inside, 0);
  };
  EXPECT_EQ(asks(5, 29), Entry::granted);
  EXPECT_EQ(asks(5, 30), Entry::overloaded);
  EXPECT_EQ(asks(9, 30), Entry::overloaded);
  EXPECT_EQ(asks(4, 50), Entry::granted);
  EXPECT_EQ(asks(4, 51), Entry::overloaded);
  EXPECT_EQ(asks(0, 99), Entry::granted);
  EXPECT_EQ(asks(-1, 100), Entry::overloaded);
}

TEST(FrontAdmission, EachTenantHasBucketsOfItsOwn) {
  Tenant small{.name = "small", .requests_per_second = 1, .burst_seconds = 2};
  Tenant large{.name = "large", .tokens_per_second = 100, .burst_seconds = 10};
  Doorkeeper door({}, {small, large, Tenant{}});
  EXPECT_EQ(door.ask({0, 0, 999}, 0, 0), Entry::granted);
  EXPECT_EQ(door.ask({0, 0, 999}, 0, 0), Entry::granted);
  EXPECT_EQ(door.ask({0, 0, 1}, 0, 0), Entry::rate_limited);
  EXPECT_EQ(door.ask({1, 0, 600}, 0, 0), Entry::granted);
  EXPECT_EQ(door.ask({1, 0, 600}, 0, 0), Entry::rate_limited);
  EXPECT_EQ(door.ask({1, 0, 400}, 0, 0), Entry::granted);
  EXPECT_EQ(door.ask({2, 0, 999}, 0, 0), Entry::granted);
  EXPECT_EQ(door.ask({0, 0, 1}, 0, kSecond), Entry::granted);
  EXPECT_EQ(door.ask({1, 0, 100}, 0, kSecond), Entry::granted);
  EXPECT_EQ(door.ask({1, 0, 1}, 0, kSecond), Entry::rate_limited);
}

TEST(FrontAdmission, WhoIsNotLetInPaysNothing) {
  Tenant tenant{.requests_per_second = 0.001, .tokens_per_second = 0.001, .burst_seconds = 1000};
  Doorkeeper door({.max_requests = 1, .shed = {}, .max_held = 0}, {tenant});
  EXPECT_EQ(door.ask({0, 0, 1}, 1, 0), Entry::overloaded);
  EXPECT_EQ(door.ask({0, 0, 2}, 0, 0), Entry::rate_limited) << "too many tokens";
  EXPECT_EQ(door.ask({0, 0, 1}, 0, 0), Entry::granted) << "both buckets are still full";
  EXPECT_EQ(door.ask({0, 0, 1}, 1, 0), Entry::rate_limited) << "the rate limit is named first";
}

}  // namespace
}  // namespace headway
