// The decoding sequences of a replica, against sequences that are spelled out one by one.
#include "sim/model/decode_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "sim/workload/draw.hpp"

namespace headway {
namespace {

/// A member as one would write it down: what it has, and how many steps it has to go.
struct Member {
  std::uint32_t id;
  std::int64_t computed, steps_left, admission;
};

class DecodeSetTest : public testing::TestWithParam<std::int32_t> {
 protected:
  std::uint64_t dice(std::uint64_t sides) { return draw_.below(sides, next_++); }

  void join() {
    const std::uint32_t id = sequences_.take();
    Sequence& s = sequences_[id];
    s.prompt = 1 + static_cast<std::int32_t>(dice(300));
    const auto generated = 1 + static_cast<std::int32_t>(dice(20));
    const auto left = 1 + static_cast<std::int32_t>(dice(100));
    s.output = generated + left;
    s.admission = admissions_++;
    const std::int32_t computed = s.prompt + generated - 1;
    set_.join(id, computed, generated);
    members_.push_back({id, computed, left, s.admission});
  }
  void leave(std::size_t i) {
    set_.leave(members_[i].id);
    sequences_.give(members_[i].id);
    members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  void advance(std::int64_t steps) {
    set_.advance(steps);
    for (Member& m : members_) {
      m.computed += steps;
      m.steps_left -= steps;
    }
  }
  std::int64_t first_end() const {
    std::int64_t least = INT64_MAX;
    for (const Member& m : members_) least = std::min(least, m.steps_left);
    return least;
  }
  std::int64_t blocks_needed(std::int64_t ahead) const {
    return std::count_if(members_.begin(), members_.end(),
                         [&](const Member& m) { return (m.computed + ahead) % GetParam() == 0; });
  }
  /// Takes out those that end now, which must be those that the set names, by admission.
  void end_members() {
    std::vector<std::uint32_t> expected;
    for (const Member& m : members_) {  // in order of admission
      if (m.steps_left == 0) expected.push_back(m.id);
    }
    std::vector<std::uint32_t> ended;
    for (std::uint32_t id; (id = set_.ended()) != DecodeSet::kNobody;) {
      ended.push_back(id);
      const auto member = std::find_if(members_.begin(), members_.end(),
                                       [&](const Member& m) { return m.id == id; });
      ASSERT_NE(member, members_.end());
      leave(static_cast<std::size_t>(member - members_.begin()));
    }
    ASSERT_EQ(ended, expected);
  }
  void expect_as_spelled_out() {
    ASSERT_EQ(set_.size(), static_cast<std::int32_t>(members_.size()));
    std::int64_t sum = 0;
    for (const Member& m : members_) {
      sum += m.computed;
      const Sequence& s = sequences_[m.id];
      ASSERT_EQ(set_.computed(s), m.computed);
      ASSERT_EQ(set_.generated(s), s.output - m.steps_left);
    }
    ASSERT_EQ(set_.computed(), sum);
    for (const std::int64_t ahead : {0, 1, 2, 15, 16, 17, 63, 1000}) {
      ASSERT_EQ(set_.blocks_needed(ahead), blocks_needed(ahead)) << ahead << " steps ahead";
    }
    for (const std::int64_t count : {0, 1, 17, 64}) {
      std::int64_t one_by_one = 0;
      for (std::int64_t i = 0; i < count; ++i) one_by_one += blocks_needed(3 + i);
      ASSERT_EQ(set_.blocks_needed(3, count), one_by_one) << count << " steps";
    }
    if (members_.empty()) return;
    const auto longest =
        std::max_element(members_.begin(), members_.end(),
                         [](const Member& a, const Member& b) { return a.computed < b.computed; });
    ASSERT_EQ(set_.longest(), longest->computed);
    ASSERT_EQ(set_.steps_to_first_end(), first_end());
  }

  SlotPool<Sequence> sequences_;
  DecodeSet set_{sequences_, GetParam()};
  std::vector<Member> members_;
  std::int64_t admissions_ = 0;
  Draw draw_{3, Stream::router, 0};
  std::uint64_t next_ = 0;
};

TEST_P(DecodeSetTest, AgreesWithSequencesSpelledOutThroughJoinsLeavesAndSteps) {
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t kind = dice(10);
    if (kind < 4 || members_.empty()) {
      join();
    } else if (kind < 6) {
      leave(dice(members_.size()));
    } else {
      advance(1 + static_cast<std::int64_t>(dice(static_cast<std::uint64_t>(first_end()))));
      end_members();
    }
    expect_as_spelled_out();
    if (HasFatalFailure()) FAIL() << "after change " << i;
  }
  EXPECT_GT(set_.steps(), 3000) << "the steps went far beyond any one sequence";
}

INSTANTIATE_TEST_SUITE_P(BlocksOf, DecodeSetTest, testing::Values(1, 3, 16, 4096),
                         testing::PrintToStringParamName());

TEST(DecodeSet, AMemberThatLeftAndCameBackEndsOnceAndLater) {
  SlotPool<Sequence> sequences;
  DecodeSet set(sequences, 16);
  const std::uint32_t id = sequences.take();
  sequences[id].prompt = 10;
  sequences[id].output = 5;
  set.join(id, 10, 1);  // 4 steps to go
  set.advance(2);
  set.leave(id);
  const std::uint32_t other = sequences.take();
  sequences[other].prompt = 1;
  sequences[other].output = 100;
  set.join(other, 1, 1);
  set.advance(2);  // the first member's old end
  EXPECT_EQ(set.ended(), DecodeSet::kNobody);
  set.join(id, 12, 3);
  EXPECT_EQ(set.steps_to_first_end(), 2);
  set.advance(2);
  EXPECT_EQ(set.ended(), id);
  set.leave(id);
  EXPECT_EQ(set.ended(), DecodeSet::kNobody);
}

}  // namespace
}  // namespace headway
