// The KV blocks of the reference replica, every one of them spelled out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <map>
#include <utility>
#include <vector>

#include "sim/workload/content.hpp"

namespace headway {

/// The same rules as PrefixCache, and nothing else in common with it.
class ReferenceKv {
 public:
  using Block = std::uint32_t;

  ReferenceKv(std::int32_t block_tokens, std::int64_t blocks)
      : block_tokens_(block_tokens), untouched_(blocks) {}

  std::int64_t free() const { return untouched_ + static_cast<std::int64_t>(free_.size()); }
  bool idle(Block block) const { return blocks_[block].holders == 0; }

  /// The blocks in which the longest prefix of the contents stands, at most `most`.
  std::vector<Block> find(const Content& content, std::int64_t most) const {
    std::vector<Block> hit;
    while (static_cast<std::int64_t>(hit.size()) < most) {
      const auto known = known_.find(key(content, static_cast<std::int64_t>(hit.size())));
      if (known == known_.end()) break;
      hit.push_back(known->second);
    }
    return hit;
  }
  void hold(Block block) {
    if (blocks_[block].holders++ == 0) free_.remove(block);
  }
  /// A sequence comes in with this many blocks found: the rest of its own contents is forgotten.
  void forget_own(const Content& content, std::int64_t found) {
    for (auto known = known_.lower_bound({content.own, found});
         known != known_.end() && known->first.first == content.own;) {
      blocks_[known->second].known = false;
      known = known_.erase(known);
    }
  }
  Block allocate() {
    Block block;
    if (untouched_ > 0) {
      --untouched_;
      block = static_cast<Block>(blocks_.size());
      blocks_.emplace_back();
    } else {
      block = free_.front();
      free_.pop_front();
      forget(block);
    }
    blocks_[block].holders = 1;
    return block;
  }
  /// The block is full and has the contents of this number, unless another is known by them.
  void full(Block block, const Content& content, std::int64_t number) {
    if (!known_.try_emplace(key(content, number), block).second) return;
    blocks_[block].known = true;
    blocks_[block].key = key(content, number);
  }
  /// A sequence gives its blocks back, the last first. Its own are forgotten, or all that nobody
  /// else holds.
  void give_back(const std::vector<Block>& blocks, const Content& content, bool forget_own,
                 bool forget_all) {
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
      Entry& entry = blocks_[*block];
      if (--entry.holders > 0) continue;
      if (forget_all || (forget_own && entry.known && entry.key.first == content.own)) {
        forget(*block);
      }
      free_.push_back(*block);
    }
  }

 private:
  using Key = std::pair<std::uint64_t, std::int64_t>;  // whose contents, and the block's number
  struct Entry {
    std::int32_t holders = 0;
    bool known = false;
    Key key;
  };
  Key key(const Content& content, std::int64_t number) const {
    for (const Content::Part& part : content.shared) {
      if ((number + 1) * block_tokens_ <= part.end) return {part.identity, number};
    }
    return {content.own, number};
  }
  void forget(Block block) {
    if (blocks_[block].known) known_.erase(blocks_[block].key);
    blocks_[block].known = false;
  }

  const std::int64_t block_tokens_;
  std::int64_t untouched_;  // never allocated
  std::vector<Entry> blocks_;
  std::list<Block> free_;  // used before, the longest ago first
  std::map<Key, Block> known_;
};

}  // namespace headway
