// The KV blocks of a replica by what they hold: prefix caching as vLLM's V1 engine does it.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/workload/content.hpp"

namespace headway {

/// Full blocks are known by their contents and all before them. Blocks that no sequence holds stay
/// until they are allocated anew, longest unused first; of those that one sequence gave back, the
/// last of it goes first. A block that a sequence computed though its like was there already is
/// that sequence's alone. (vLLM design documents, "Automatic Prefix Caching", V1.)
///
/// Blocks come in runs of one identity that share a fate, and blocks that nobody can ask for are
/// only counted: a request costs the same however long it is.
class PrefixCache {
 public:
  /// For a replica of `blocks` KV blocks of `block_tokens` tokens, all of them free.
  PrefixCache(std::int32_t block_tokens, std::int64_t blocks)
      : block_tokens_(block_tokens), tail_(blocks) {}

  /// What of a prompt is in the cache.
  struct Hit {
    std::int64_t blocks = 0;  // from the first on
    std::int64_t idle = 0;    // of them: held by no sequence, so free until they are taken
  };
  /// The longest prefix of these contents that is there, at most `most` blocks.
  Hit find(const Content& content, std::int64_t most) const {
    return known_.empty() ? Hit{} : find_known(content, most);
  }
  /// The sequence `holder` holds what was found. Of its own contents, the rest is forgotten: it is
  /// about to be computed anew.
  void take(std::uint32_t holder, const Content& content, const Hit& hit);
  /// `count` of the free blocks get new contents.
  void allocate(std::int64_t count) {
    if (oldest_ != kNone) count = allocate_oldest(count);
    tail_ -= count;
  }
  /// The holder computes the blocks [first, last) of its contents, which it holds: those of shared
  /// parts can be found from now on.
  void add(std::uint32_t holder, const Content& content, std::int64_t first, std::int64_t last);

  enum class Leave {
    finished,   // own contents stay if a later turn asks for them
    preempted,  // own contents stay: it comes back
    dropped     // what no other sequence holds is forgotten
  };
  /// The holder gives its `blocks` blocks back, of which `full` are full. How many became free.
  std::int64_t release(std::uint32_t holder, const Content& content, std::int64_t blocks,
                       std::int64_t full, Leave leave);

  /// Free blocks that can be allocated before one is forgotten that could be found.
  std::int64_t unknown_first() const {
    return oldest_ == kNone ? INT64_MAX : runs_[oldest_].unknown_before;
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  /// Blocks [first, last) of one identity.
  struct Run {
    std::uint64_t identity;
    std::int64_t first, last;
    std::int32_t holders;
    std::uint32_t next;  // of the identity, ascending
    // Free ones stand in a queue, the longest unused first, each from its last block to its first.
    std::uint32_t older, newer;
    std::int64_t unknown_before;  // free blocks between the older run and this one
  };
  struct Range {
    std::int64_t first, last;
  };
  struct Mixed {  // identities are hashes already
    std::size_t operator()(std::uint64_t identity) const { return identity; }
  };

  template <class Visit>
  void each_part(const Content& content, std::int64_t first, std::int64_t last, Visit visit) const;
  Hit find_known(const Content& content, std::int64_t most) const;
  std::int64_t allocate_oldest(std::int64_t count);
  std::uint32_t head(std::uint64_t identity) const;
  std::uint32_t new_run(const Run& run);
  void insert(std::uint32_t run);
  void erase(std::uint32_t run);
  void split(std::uint32_t head, std::int64_t at);
  void merge(std::uint32_t head);
  void into_queue(std::uint32_t run);
  void out_of_queue(std::uint32_t run, std::int64_t left_unknown);
  void hold(std::uint64_t identity, std::int64_t first, std::int64_t last);
  void forget(std::uint64_t identity, std::int64_t kept);
  std::int64_t give_back(std::uint64_t identity, std::int64_t first, std::int64_t last, bool keep);
  std::int64_t give_back(const Content& content, const Range& range, bool keep);

  const std::int64_t block_tokens_;
  std::vector<Run> runs_;
  std::vector<std::uint32_t> unused_runs_;
  std::unordered_map<std::uint64_t, std::uint32_t, Mixed> known_;  // the first run of an identity
  bool keeps_own_ = false;                         // some request left contents of its own
  std::uint32_t oldest_ = kNone, newest_ = kNone;  // of the queue
  std::int64_t tail_;                              // free blocks behind the newest run, unknown
  std::vector<std::vector<Range>> holders_;        // by holder: its blocks in runs, ascending
};

}  // namespace headway
