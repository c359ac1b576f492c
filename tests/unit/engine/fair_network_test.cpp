// Links shared max-min fairly, worked out by hand.
#include "sim/engine/fair_network.hpp"

#include <gtest/gtest.h>

#include "runs.hpp"
#include "traffic.hpp"

namespace headway {
namespace {

constexpr double kMB = 1e6;  // bytes a second, or bytes

std::vector<double> arrivals_in_ms(const Traffic& traffic) {
  std::vector<double> list;
  for (const Time at : arrivals_on_fair_network(traffic)) list.push_back(to_seconds(at) * 1000);
  return list;
}

void expect_arrivals(const Traffic& traffic, const std::vector<double>& expected_ms) {
  const std::vector<double> found = arrivals_in_ms(traffic);
  ASSERT_EQ(found.size(), expected_ms.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected_ms[i], 1e-8) << "transfer " << i;  // within 10 ps
  }
}

TEST(FairNetwork, ATransferTakesItsBytesOverTheBandwidth) {
  expect_arrivals({{{2 * kMB, 0}}, {{0}}, {{0, 0, 3'000'000}}}, {1500});
}

TEST(FairNetwork, TwoTransfersOnOneLinkTakeTwiceTheTime) {
  expect_arrivals({{{kMB, 0}}, {{0}}, {{0, 0, 1'000'000}, {0, 0, 1'000'000}}}, {2000, 2000});
}

TEST(FairNetwork, TheLatencyGoesBeforeTheFlow) {
  // 250 ms of latency, then 1 s of flow; nobody shares while the other is still on its way.
  expect_arrivals({{{kMB, 0.1}, {5 * kMB, 0.15}}, {{0, 1}}, {{0, 0, 1'000'000}}}, {1250});
  expect_arrivals({{{kMB, 0.25}}, {{0}}, {{0, 0, 500'000}, {ms(500), 0, 1}}}, {750, 750.001});
}

TEST(FairNetwork, ATransferThatJoinsInMidWayHalvesTheRateFromThere) {
  // Alone until 400 ms, 0.6 MB left; shared, 0.6 MB of each until 1600 ms; the second's last 0.4 MB
  // alone.
  expect_arrivals({{{kMB, 0}}, {{0}}, {{0, 0, 1'000'000}, {ms(400), 0, 1'000'000}}}, {1600, 2000});
}

TEST(FairNetwork, ThreeTransfersOverTwoLinks) {
  // Links of 1 and 3 MB/s. A and B use the first, B and C the second. The first link is the narrow
  // one: A and B get 0.5 MB/s each; C gets what B leaves of the second: 2.5 MB/s. All send 1 MB.
  // C ends at 400 ms. A and B still share the first link: both end at 2 s.
  const Traffic traffic{{{kMB, 0}, {3 * kMB, 0}},
                        {{0}, {0, 1}, {1}},
                        {{0, 0, 1'000'000}, {0, 1, 1'000'000}, {0, 2, 1'000'000}}};
  expect_arrivals(traffic, {2000, 2000, 400});
}

TEST(FairNetwork, WhatOneTransferCannotUseGoesToTheOthers) {
  // Links of 1, 10 and 2 MB/s: A over the first two, B over the second, C over the last two.
  // A is held to 1 by the first link, C to 2 by the third, B takes the other 7 of the second.
  // 7 MB of B end at 1 s; A has 1 MB, C has 2 MB: all at 1 s.
  const Traffic traffic{{{kMB, 0}, {10 * kMB, 0}, {2 * kMB, 0}},
                        {{0, 1}, {1}, {1, 2}},
                        {{0, 0, 1'000'000}, {0, 1, 7'000'000}, {0, 2, 2'000'000}}};
  expect_arrivals(traffic, {1000, 1000, 1000});
}

TEST(FairNetwork, NoBytesTakeTheLatencyAlone) {
  expect_arrivals({{{kMB, 0.005}, {kMB, 0}}, {{0}, {1}}, {{0, 0, 0}, {ms(1), 1, 0}}}, {5, 1});
}

TEST(FairNetwork, ATransferOfNoBytesDoesNotSlowAnother) {
  expect_arrivals({{{kMB, 0}}, {{0}}, {{0, 0, 1'000'000}, {ms(300), 0, 0}}}, {1000, 300});
}

TEST(FairNetwork, AThousandEqualTransfersEndTogether) {
  Traffic traffic{{{kMB, 0}}, {{0}}, {}};
  for (int i = 0; i < 1000; ++i) traffic.transfers.push_back({0, 0, 1000});
  expect_arrivals(traffic, std::vector<double>(1000, 1000));
}

TEST(FairNetwork, ABytesWorthOfALinkIsNeitherLostNorMade) {
  // One link, never idle: the last transfer ends when all bytes have passed, however they shared.
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Traffic traffic = random_traffic(seed);
    traffic.links = {{kMB, 0}};
    traffic.routes = {{0}};
    std::int64_t bytes = 3'000'000;
    for (Traffic::Transfer& each : traffic.transfers) {
      each.route = 0;
      bytes += each.bytes;
    }
    traffic.transfers.insert(traffic.transfers.begin(), {0, 0, 3'000'000});
    const std::vector<double> found = arrivals_in_ms(traffic);
    EXPECT_NEAR(*std::max_element(found.begin(), found.end()), static_cast<double>(bytes) / 1000,
                1e-6)
        << "seed " << seed;
  }
}

TEST(FairNetwork, ATransferStallsWhileItsLinkIsCutAndGoesOnWithWhatIsLeft) {
  // 2 MB at 1 MB/s, cut from 0.5 s to 3 s.
  expect_arrivals({{{kMB, 0}}, {{0}}, {{0, 0, 2'000'000}}, {{ms(500), 0, 0}, {ms(3000), 0, kMB}}},
                  {4500});
}

TEST(FairNetwork, ACutOfTheFrontLinkHoldsWhatIsSentMeanwhile) {
  // Both stall until 2 s, the one of no bytes too; the latency passes during the cut.
  const Traffic traffic{{{kMB, 0.25}},
                        {{0}},
                        {{ms(1000), 0, 500'000}, {ms(1500), 0, 0}},
                        {{ms(500), 0, 0}, {ms(2000), 0, kMB}}};
  expect_arrivals(traffic, {2500, 2000});
}

TEST(FairNetwork, OneCutLinkOfTwoHoldsARouteAndFreesTheOther) {
  // A over both links of 1 MB/s, B over the first. The second is cut from 1 s to 2 s: B has the
  // first for itself. Until 1 s each has 0.5 MB; B ends its 2 MB at 2.5 s: 0.5 + 1 + 0.5; A then
  // has 1 MB, and the link alone for its last 0.5 MB.
  const Traffic traffic{{{kMB, 0}, {kMB, 0}},
                        {{0, 1}, {0}},
                        {{0, 0, 1'500'000}, {0, 1, 2'000'000}},
                        {{ms(1000), 1, 0}, {ms(2000), 1, kMB}}};
  expect_arrivals(traffic, {3500, 3000});
}

TEST(FairNetwork, ANarrowerLinkSlowsWhatIsOnIt) {
  // 2 MB: one at 1 MB/s, the other at 0.25 MB/s.
  expect_arrivals({{{kMB, 0}}, {{0}}, {{0, 0, 2'000'000}}, {{ms(1000), 0, kMB / 4}}}, {5000});
}

TEST(FairNetwork, ACancelledTransferFreesItsShareAndIsNotHeardOf) {
  // Two of 1 MB share 1 MB/s until 1 s; the other's 0.5 MB then have the link alone.
  Traffic traffic{{{kMB, 0}}, {{0}}, {{0, 0, 1'000'000}, {0, 0, 1'000'000}}, {}, {{ms(1000), 0}}};
  std::vector<Time> found = arrivals_on_fair_network(traffic);
  EXPECT_EQ(found[0], kNever);
  EXPECT_NEAR(to_seconds(found[1]), 1.5, 1e-11);
  // In its latency, and after its arrival.
  traffic.links.front().latency_seconds = 0.1;
  traffic.cancels = {{ms(50), 0}, {ms(1200), 1}};
  found = arrivals_on_fair_network(traffic);
  EXPECT_EQ(found[0], kNever);
  EXPECT_NEAR(to_seconds(found[1]), 1.1, 1e-11);
}

TEST(FairNetwork, AThousandLoadsOverTenLinksHaveTheLinksTimeForAll) {
  // A hundred of 1 GB on each link of 10 GB/s, all begun at once: 10 s. Each has its own adapter.
  Traffic traffic;
  for (int l = 0; l < 10; ++l) traffic.links.push_back({10e9, 0});
  for (int r = 0; r < 1000; ++r) {
    traffic.links.push_back({1e9, 0});
    traffic.routes.push_back(
        {static_cast<Network::Link>(r % 10), static_cast<Network::Link>(10 + r)});
    traffic.transfers.push_back({0, static_cast<Network::Route>(r), 1'000'000'000});
  }
  expect_arrivals(traffic, std::vector<double>(1000, 10'000));
}

TEST(FairNetwork, CutsNeitherLoseNorMakeBytes) {
  // One link, never idle but while it is cut: it has carried all bytes when the last is there.
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Traffic traffic = random_disturbed_traffic(seed);
    traffic.links = {{kMB, 0}};
    traffic.routes = {{0}};
    traffic.cancels.clear();
    std::int64_t bytes = 3'000'000;
    for (Traffic::Transfer& each : traffic.transfers) {
      each.route = 0;
      bytes += each.bytes;
    }
    traffic.transfers.insert(traffic.transfers.begin(), {0, 0, 3'000'000});
    double carried = 0, bandwidth = kMB;
    Time at = 0;
    for (Traffic::Change& change : traffic.changes) {
      change.link = 0;
      carried += bandwidth * to_seconds(change.at - at);
      at = change.at;
      bandwidth = change.bytes_per_second;
    }
    ASSERT_LT(carried, static_cast<double>(bytes)) << "ends before the last change";
    const double last = to_seconds(at) + (static_cast<double>(bytes) - carried) / bandwidth;
    const std::vector<double> found = arrivals_in_ms(traffic);
    EXPECT_NEAR(*std::max_element(found.begin(), found.end()), last * 1000, 1e-6)
        << "seed " << seed;
  }
}

TEST(FairNetwork, ATransferThatNeverEndsIsNoOverflow) {
  const Traffic traffic{{{1e-6, 0}}, {{0}}, {{ms(1), 0, INT64_MAX}}};
  EXPECT_THROW(arrivals_on_fair_network(traffic), RunError);
}

}  // namespace
}  // namespace headway
