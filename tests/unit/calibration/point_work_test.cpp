// Unequal contexts and routed experts: what every backend measures for the same point.
#include "calibration/point_work.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "calibration/device.hpp"

namespace headway {
namespace {

TEST(DecodeContexts, HaveTheMeanAndTheLongestThatWereAsked) {
  OperatorPoint point;
  point.batch = 7, point.context = 100, point.longest = 403;
  const std::vector<std::int64_t> contexts = decode_contexts(point);
  EXPECT_EQ(std::accumulate(contexts.begin(), contexts.end(), std::int64_t{0}), 700);
  EXPECT_EQ(*std::max_element(contexts.begin(), contexts.end()), 403);
  EXPECT_EQ(*std::min_element(contexts.begin(), contexts.end()), 49);  // 297 / 6, rounded down
  point.longest = 0;
  EXPECT_EQ(decode_contexts(point), std::vector<std::int64_t>(7, 100));
}

TEST(DecodeContexts, ThatCannotExistAreRefused) {
  for (const auto& [batch, longest] : {std::pair(1, 200), {4, 50}, {4, 400}}) {
    OperatorPoint point;
    point.batch = batch, point.context = 100, point.longest = longest;
    EXPECT_THROW(decode_contexts(point), PointError) << batch << " " << longest;
  }
}

OperatorPoint experts(std::int64_t tokens, std::int64_t count, std::int64_t topk) {
  OperatorPoint point;
  point.tokens = tokens, point.experts = count, point.topk = topk, point.expert_parallel = 1;
  return point;
}

TEST(ExpertVisits, EachTokenVisitsDifferentExpertsAsManyAsItDraws) {
  const std::vector<ExpertVisit> visits = expert_visits(experts(512, 64, 8));
  EXPECT_EQ(visits.size(), 512u * 8);
  std::set<std::pair<int, int>> pairs;
  std::vector<int> load(64);
  for (const ExpertVisit& visit : visits) {
    pairs.insert({visit.token, visit.expert});
    ++load[static_cast<std::size_t>(visit.expert)];
  }
  EXPECT_EQ(pairs.size(), visits.size());
  // 64 visits an expert on average, with a standard deviation of 7.5.
  EXPECT_GT(*std::min_element(load.begin(), load.end()), 64 - 4 * 8);
  EXPECT_LT(*std::max_element(load.begin(), load.end()), 64 + 4 * 8);
}

TEST(ExpertVisits, TouchedExpertsShareTheTokensEvenly) {
  OperatorPoint point = experts(100, 64, 4);
  point.touched = 16;
  std::vector<int> load(64);
  for (const ExpertVisit& visit : expert_visits(point))
    ++load[static_cast<std::size_t>(visit.expert)];
  for (int expert = 0; expert < 64; ++expert) EXPECT_EQ(load[expert], expert < 16 ? 25 : 0);
}

TEST(ExpertVisits, AGpuOfFourSeesAQuarterOfTheExperts) {
  OperatorPoint point = experts(1000, 64, 8);
  point.expert_parallel = 4;
  const std::vector<ExpertVisit> visits = expert_visits(point);
  EXPECT_NEAR(static_cast<double>(visits.size()), 2000, 150);
  for (const ExpertVisit& visit : visits) EXPECT_LT(visit.expert, 16);
  point.expert_parallel = 3;
  EXPECT_THROW(expert_visits(point), PointError);
  EXPECT_THROW(expert_visits(experts(1, 4, 5)), PointError);
}

}  // namespace
}  // namespace headway
