// The running batch in its order, and the records by slot that it goes through.
#include "sim/model/running_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/workload/draw.hpp"

namespace headway {
namespace {

std::vector<std::uint32_t> walked(const RunningOrder& order, const SlotPool<Sequence>& sequences) {
  std::vector<std::uint32_t> ids;
  for (std::uint32_t id = order.first(); id != RunningOrder::kEnd; id = sequences[id].next) {
    ids.push_back(id);
  }
  return ids;
}

TEST(RunningOrder, AscendsByRankThenByAdmissionThroughInsertsAndRemovals) {
  SlotPool<Sequence> sequences;
  RunningOrder order(sequences);
  std::set<std::pair<std::int64_t, std::pair<std::int64_t, std::uint32_t>>> expected;
  const Draw draw(5, Stream::router, 0);
  for (std::uint64_t i = 0; i < 3000; ++i) {
    if (draw.below(2, i) || expected.empty()) {
      const std::uint32_t id = sequences.take();
      Sequence& s = sequences[id];
      s.rank = static_cast<std::int64_t>(draw.below(4, i, 1)) - 2;
      s.admission = static_cast<std::int64_t>(i);
      order.insert(id);
      expected.insert({s.rank, {s.admission, id}});
    } else {
      const auto one = std::next(expected.begin(),
                                 static_cast<std::ptrdiff_t>(draw.below(expected.size(), i, 2)));
      order.remove(one->second.second);
      sequences.give(one->second.second);
      expected.erase(one);
    }
    std::vector<std::uint32_t> ids;
    for (const auto& each : expected) ids.push_back(each.second.second);
    ASSERT_EQ(walked(order, sequences), ids) << "after change " << i;
    ASSERT_EQ(order.size(), static_cast<std::int32_t>(ids.size()));
    ASSERT_EQ(order.last(), ids.empty() ? RunningOrder::kEnd : ids.back());
  }
}

TEST(SlotPool, RecordsNeverMoveAndGivenSlotsAreTakenAgain) {
  SlotPool<std::string> pool;
  std::vector<const std::string*> places;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(pool.take(), i);
    pool[i] = std::to_string(i);
    places.push_back(&pool[i]);
  }
  for (std::uint32_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(&pool[i], places[i]);
    ASSERT_EQ(pool[i], std::to_string(i));
  }
  pool.give(17);
  pool.give(900);
  EXPECT_EQ(pool.live(), 998u);
  std::set<std::uint32_t> again = {pool.take(), pool.take()};
  EXPECT_EQ(again, (std::set<std::uint32_t>{17, 900}));
  EXPECT_EQ(pool.live(), 1000u);
  EXPECT_EQ(pool.bound(), 1000u) << "no new slot while an old one is free";
  EXPECT_EQ(pool.take(), 1000u);
}

}  // namespace
}  // namespace headway
