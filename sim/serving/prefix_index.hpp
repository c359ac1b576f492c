// What a router remembers of the prompts that it sent to each replica.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/workload/content.hpp"

namespace headway {

/// An approximate index of the replicas' prefix caches, as routers keep it that hear nothing from
/// the engines (SGLang's cache-aware router; the prefix plugin of the Kubernetes gateway's
/// inference extension): the prompts that were sent to a replica, in blocks, longest unused first
/// to go, and of one prompt its end first.
///
/// Blocks of contents that nobody can ask for again take their place, but are only counted.
class PrefixIndex {
 public:
  /// A replica that remembers a part of a prompt, and the prompt's tokens up to there.
  struct Holder {
    std::uint32_t replica = 0;
    std::uint32_t entry = 0;
  };
  /// For the replicas first, first + 1, …, each with room for so many blocks (0: at least 1).
  PrefixIndex(std::uint32_t first, std::vector<std::int64_t> room, std::int32_t block_tokens);

  /// The replica has been sent a prompt of these contents.
  void remember(std::uint32_t replica, const Content& content, std::int32_t input_tokens);
  /// The replica is gone, and its cache with it.
  void forget(std::uint32_t replica);

  /// Who remembers a part, by replica ascending; empty if nobody does.
  const std::vector<Holder>& holders(std::uint64_t identity) const;
  /// One of them; null where the replica is not among them.
  static const Holder* find(const std::vector<Holder>& holders, std::uint32_t replica);
  /// Whole blocks, in tokens, of a prompt up to the part's end, that the replica has.
  std::int32_t tokens(const Holder& holder) const {
    return entries_[holder.entry].tokens / block_tokens_ * block_tokens_;
  }
  /// Blocks in use, those that are only counted too: at most the room.
  std::int64_t blocks(std::uint32_t replica) const { return memories_[replica - first_].used; }
  /// Parts that are remembered, over all replicas.
  std::size_t parts() const { return entries_.size() - unused_.size(); }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Entry {
    std::uint64_t identity;
    std::int64_t blocks;
    std::int64_t unknown_newer;  // blocks only counted, between this and the next newer entry
    std::uint32_t replica;
    std::uint32_t older, newer;  // of the replica
    std::int32_t tokens;         // of the prompt, up to the part's end
  };
  struct Memory {
    std::int64_t room = 1, used = 0;
    std::int64_t unknown_oldest = 0;  // blocks only counted, older than every entry
    std::uint32_t oldest = kNone, newest = kNone;
  };
  struct Mixed {  // identities are hashes already
    std::size_t operator()(std::uint64_t identity) const { return identity; }
  };

  std::int64_t whole_blocks(std::int32_t from_token, std::int32_t to_token) const;
  void touch(std::uint32_t replica, std::uint64_t identity, std::int64_t blocks,
             std::int32_t tokens);
  void count_unknown(Memory& memory, std::int64_t blocks);
  void unlink(std::uint32_t entry);
  void erase(std::uint32_t entry);
  void make_room(Memory& memory);

  const std::uint32_t first_;
  const std::int32_t block_tokens_;
  std::vector<Memory> memories_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> unused_;
  std::unordered_map<std::uint64_t, std::vector<Holder>, Mixed> holders_;
};

}  // namespace headway
