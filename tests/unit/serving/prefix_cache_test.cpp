#include "sim/serving/prefix_cache.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace headway {
namespace {

using Leave = PrefixCache::Leave;

/// Contents that begin with a shared part of this identity and length.
Content behind(std::uint64_t identity, std::int32_t tokens, std::uint64_t own) {
  Content content;
  if (tokens > 0) content.shared = {{identity, tokens}};
  content.own = own;
  return content;
}

/// A cache of blocks of four tokens, and its user's own count of the free ones.
class PrefixCacheTest : public testing::Test {
 protected:
  PrefixCacheTest() { reset(10); }
  void reset(std::int64_t blocks) {
    free_ = blocks;
    cache_.emplace(4, blocks);
  }
  /// Admits a sequence of `blocks` full blocks; how many of them were there.
  std::int64_t admit(std::uint32_t id, const Content& content, std::int64_t blocks) {
    const PrefixCache::Hit hit = cache_->find(content, blocks);
    cache_->take(id, content, hit);
    cache_->allocate(blocks - hit.blocks);
    free_ -= blocks - hit.blocks + hit.idle;
    cache_->add(id, content, hit.blocks, blocks);
    EXPECT_GE(free_, 0);
    return hit.blocks;
  }
  void leave(std::uint32_t id, const Content& content, std::int64_t blocks,
             Leave how = Leave::finished) {
    free_ += cache_->release(id, content, blocks, blocks, how);
  }
  std::int64_t there(const Content& content) const { return cache_->find(content, 1000).blocks; }

  std::optional<PrefixCache> cache_;
  std::int64_t free_ = 0;
};

TEST_F(PrefixCacheTest, BlocksThatTwoShareAreFreeWhenTheSecondLeaves) {
  const Content a = behind(7, 12, 1), b = behind(7, 12, 2);
  EXPECT_EQ(admit(0, a, 4), 0);
  EXPECT_EQ(admit(1, b, 5), 3);
  EXPECT_EQ(free_, 10 - 4 - 2);
  leave(0, a, 4);
  EXPECT_EQ(free_, 5) << "only A's own block";
  EXPECT_EQ(cache_->find(a, 3).idle, 0);
  leave(1, b, 5);
  EXPECT_EQ(free_, 10);
  EXPECT_EQ(cache_->find(a, 3).idle, 3) << "free, and still known";
}

TEST_F(PrefixCacheTest, APrefixIsFoundUpToWhereContentsPart) {
  Content first, second;
  first.shared = {{11, 8}, {12, 16}};
  first.own = 1;
  second.shared = {{11, 8}, {13, 16}};
  second.own = 2;
  admit(0, first, 4);
  EXPECT_EQ(there(second), 2);
  EXPECT_EQ(there(behind(11, 6, 3)), 1) << "the second block ends in other contents";
  EXPECT_EQ(cache_->find(first, 3).blocks, 3) << "no more than is asked for";
}

TEST_F(PrefixCacheTest, ABlockThatTwoPartsMeetInIsTheLaters) {
  Content content;
  content.shared = {{11, 6}, {12, 14}};
  content.own = 1;
  admit(0, content, 3);
  EXPECT_EQ(there(behind(11, 6, 9)), 1);
  Content other = content;
  other.shared[1].identity = 13;
  EXPECT_EQ(there(other), 1) << "tokens 5 and 6 of the second block are alike, and do not help";
  EXPECT_EQ(there(content), 3);
}

TEST_F(PrefixCacheTest, TheLongestUnusedIsForgottenFirstFromItsEnd) {
  const Content a = behind(7, 16, 1), b = behind(8, 16, 2);
  admit(0, a, 4);
  admit(1, b, 4);
  leave(1, b, 4);  // b is older …
  leave(0, a, 4);
  EXPECT_EQ(cache_->unknown_first(), 2) << "the two that were never used";
  cache_->allocate(2 + 3);
  EXPECT_EQ(there(b), 1);
  EXPECT_EQ(there(a), 4);
  cache_->allocate(2);
  EXPECT_EQ(there(b), 0);
  EXPECT_EQ(there(a), 3);
}

TEST_F(PrefixCacheTest, WhatIsUsedAgainIsYoungAgain) {
  const Content a = behind(7, 16, 1), b = behind(8, 16, 2);
  admit(0, a, 4);
  leave(0, a, 4);
  admit(1, b, 4);
  leave(1, b, 4);
  EXPECT_EQ(admit(2, behind(7, 8, 3), 2), 2) << "of a, the first half";
  leave(2, behind(7, 8, 3), 2);
  cache_->allocate(2 + 2 + 4);
  EXPECT_EQ(there(b), 0);
  EXPECT_EQ(there(a), 2) << "its second half was the oldest";
}

TEST_F(PrefixCacheTest, OwnContentsStayOnlyForALaterTurn) {
  Content turn = behind(7, 8, 1);
  turn.continues = true;
  admit(0, turn, 5);
  leave(0, turn, 5);
  EXPECT_EQ(there(turn), 5);
  turn.continues = false;
  EXPECT_EQ(admit(0, turn, 6), 5);
  leave(0, turn, 6);
  EXPECT_EQ(there(turn), 2) << "the shared part";
  EXPECT_EQ(free_, 10);
}

TEST_F(PrefixCacheTest, APreemptedSequenceFindsItsBlocksUnlessTheyAreDropped) {
  const Content a = behind(7, 8, 1), b = behind(7, 8, 2);
  admit(0, a, 5);
  leave(0, a, 5, Leave::preempted);
  EXPECT_EQ(there(a), 5);
  EXPECT_EQ(admit(0, a, 5), 5);
  leave(0, a, 5, Leave::dropped);
  EXPECT_EQ(there(a), 0);
  EXPECT_EQ(free_, 10);
  admit(0, a, 3);
  admit(1, b, 3);
  leave(0, a, 3, Leave::dropped);
  EXPECT_EQ(there(a), 2) << "B still holds what they share";
}

TEST_F(PrefixCacheTest, WhatOneComputesThoughItIsThereIsItsAlone) {
  const Content a = behind(7, 16, 1), b = behind(7, 16, 2);
  // Both are admitted with one block each, and compute the others side by side.
  EXPECT_EQ(admit(0, a, 1), 0);
  EXPECT_EQ(admit(1, b, 1), 1);
  cache_->allocate(6);
  free_ -= 6;
  cache_->add(0, a, 1, 4);
  cache_->add(1, b, 1, 4);
  leave(1, b, 4);
  EXPECT_EQ(free_, 10 - 4) << "B's three blocks";
  leave(0, a, 4);
  EXPECT_EQ(free_, 10);
  EXPECT_EQ(there(a), 4);
}

}  // namespace
}  // namespace headway
