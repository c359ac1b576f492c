// The prefix cache that keeps blocks in runs, against blocks that are spelled out one by one.
#include "sim/serving/prefix_cache.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "sim/model/reference_kv.hpp"

namespace headway {
namespace {

/// A sequence that holds blocks in both.
struct Holder {
  std::uint32_t id;
  Content content;
  std::vector<ReferenceKv::Block> blocks;
  std::int64_t full;
};

class TwoCaches {
 public:
  TwoCaches(std::uint64_t seed, std::int32_t block_tokens, std::int64_t blocks)
      : draw_(seed, Stream::router, 0),
        block_tokens_(block_tokens),
        blocks_(blocks),
        runs_(block_tokens, blocks),
        spelled_out_(block_tokens, blocks) {}

  void change() {
    const std::uint64_t kind = dice(8);
    if (kind < 4 || holders_.empty()) {
      come();
    } else if (kind < 5) {
      grow(dice(holders_.size()));
    } else {
      go(dice(holders_.size()));
    }
    ASSERT_EQ(blocks_ - used_, spelled_out_.free());
  }
  std::int64_t found() const { return found_; }

 private:
  std::uint64_t dice(std::uint64_t sides) { return draw_.below(sides, next_++); }

  /// One of three trees of contents, cut at random, and one of twenty conversations.
  Content contents() {
    Content content;
    std::uint64_t identity = 1 + dice(3);
    std::int32_t end = 0;
    for (std::uint64_t parts = dice(4); parts > 0; --parts) {
      identity = 10 * identity + dice(2);
      end += 10 * block_tokens_ / 3 + static_cast<std::int32_t>(identity % 5);
      content.shared.push_back({identity, end});
    }
    if (!content.shared.empty() && dice(2) == 0) {
      content.shared.back().end -= static_cast<std::int32_t>(dice(2 * block_tokens_));
    }
    content.own = 1'000'000 + (dice(2) == 0 ? 1000 + next_ : dice(20));
    content.continues = content.own < 1'001'000 && dice(4) > 0;
    for (const Holder& other : holders_) {
      if (other.content.own == content.own) content.own = 2'000'000 + next_;
    }
    if (content.own < 1'001'000) content.shared.clear();  // a conversation begins as it began
    return content;
  }

  void come() {
    Holder holder{next_id_, contents(), {}, static_cast<std::int64_t>(1 + dice(14))};
    const PrefixCache::Hit hit = runs_.find(holder.content, holder.full);
    holder.blocks = spelled_out_.find(holder.content, holder.full);
    const auto size = static_cast<std::int64_t>(holder.blocks.size());
    ASSERT_EQ(hit.blocks, size);
    std::int64_t idle = 0;
    for (const auto block : holder.blocks) idle += spelled_out_.idle(block);
    ASSERT_EQ(hit.idle, idle);
    if (holder.full - size + idle > blocks_ - used_) return;
    found_ += size;
    runs_.take(holder.id, holder.content, hit);
    used_ += hit.idle;
    for (const auto block : holder.blocks) spelled_out_.hold(block);
    spelled_out_.forget_own(holder.content, size);
    compute(holder, size);
    ++next_id_;
    holders_.push_back(holder);
  }
  void grow(std::size_t i) {
    Holder& holder = holders_[i];
    const auto more = static_cast<std::int64_t>(1 + dice(3));
    if (more > blocks_ - used_) return;
    holder.full += more;
    compute(holder, holder.full - more);
  }
  /// The holder's blocks from `first` on are allocated and known.
  void compute(Holder& holder, std::int64_t first) {
    const std::int64_t count = holder.full - first;
    runs_.allocate(count);
    used_ += count;
    for (std::int64_t b = 0; b < count; ++b) holder.blocks.push_back(spelled_out_.allocate());
    runs_.add(holder.id, holder.content, first, holder.full);
    for (std::int64_t b = first; b < holder.full; ++b) {
      spelled_out_.full(holder.blocks[static_cast<std::size_t>(b)], holder.content, b);
    }
  }
  void go(std::size_t i) {
    Holder& holder = holders_[i];
    const auto leave = static_cast<PrefixCache::Leave>(dice(3));
    const bool drop = leave == PrefixCache::Leave::dropped;
    const bool keep_own = leave == PrefixCache::Leave::preempted || holder.content.continues;
    used_ -= runs_.release(holder.id, holder.content, holder.full, holder.full, leave);
    spelled_out_.give_back(holder.blocks, holder.content, !keep_own, drop);
    holders_.erase(holders_.begin() + static_cast<std::ptrdiff_t>(i));
  }

  const Draw draw_;
  std::uint64_t next_ = 0;
  const std::int32_t block_tokens_;
  const std::int64_t blocks_;
  PrefixCache runs_;
  ReferenceKv spelled_out_;
  std::int64_t used_ = 0, found_ = 0;
  std::uint32_t next_id_ = 0;
  std::vector<Holder> holders_;
};

TEST(PrefixCacheInRuns, AgreesWithBlocksSpelledOutThroughAdmissionsGrowthAndReleases) {
  std::int64_t found = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    TwoCaches caches(seed, static_cast<std::int32_t>(1 + seed % 7),
                     static_cast<std::int64_t>(20 + 15 * (seed % 8)));
    for (int i = 0; i < 3000; ++i) {
      caches.change();
      if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed << ", change " << i;
    }
    found += caches.found();
  }
  EXPECT_GT(found, 50'000) << "the comparison has to have met what it is for";
}

}  // namespace
}  // namespace headway
