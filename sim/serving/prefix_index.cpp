#include "sim/serving/prefix_index.hpp"

#include <algorithm>

namespace headway {
namespace {

bool before(const PrefixIndex::Holder& holder, std::uint32_t replica) {
  return holder.replica < replica;
}

}  // namespace

PrefixIndex::PrefixIndex(std::uint32_t first, std::vector<std::int64_t> room,
                         std::int32_t block_tokens)
    : first_(first), block_tokens_(block_tokens), memories_(room.size()) {
  for (std::size_t i = 0; i < room.size(); ++i)
    memories_[i].room = std::max<std::int64_t>(1, room[i]);
}

const std::vector<PrefixIndex::Holder>& PrefixIndex::holders(std::uint64_t identity) const {
  static const std::vector<Holder> nobody;
  const auto found = holders_.find(identity);
  return found == holders_.end() ? nobody : found->second;
}

/// A part takes at least one: else parts without a block of their own would take no room at all.
std::int64_t PrefixIndex::whole_blocks(std::int32_t from_token, std::int32_t to_token) const {
  return std::max(1, to_token / block_tokens_ - from_token / block_tokens_);
}

const PrefixIndex::Holder* PrefixIndex::find(const std::vector<Holder>& holders,
                                             std::uint32_t replica) {
  const auto place = std::lower_bound(holders.begin(), holders.end(), replica, before);
  return place != holders.end() && place->replica == replica ? &*place : nullptr;
}

void PrefixIndex::remember(std::uint32_t replica, const Content& content,
                           std::int32_t input_tokens) {
  Memory& memory = memories_[replica - first_];
  // From the prompt's end to its beginning, which so is the last to go.
  const std::int32_t shared = std::min(content.shared_tokens(), input_tokens);
  if (content.continues) {
    touch(replica, content.own, whole_blocks(shared, input_tokens), input_tokens);
  } else {
    if (const Holder* const earlier = find(holders(content.own), replica)) erase(earlier->entry);
    if (input_tokens > shared) count_unknown(memory, whole_blocks(shared, input_tokens));
  }
  for (std::size_t i = content.shared.size(); i-- > 0;) {
    const Content::Part& part = content.shared[i];
    const std::int32_t begin = i == 0 ? 0 : content.shared[i - 1].end;
    touch(replica, part.identity, whole_blocks(begin, part.end), part.end);
  }
  make_room(memory);
}

void PrefixIndex::forget(std::uint32_t replica) {
  Memory& memory = memories_[replica - first_];
  while (memory.oldest != kNone) erase(memory.oldest);
  memory.used = memory.unknown_oldest = 0;
}

void PrefixIndex::touch(std::uint32_t replica, std::uint64_t identity, std::int64_t blocks,
                        std::int32_t tokens) {
  Memory& memory = memories_[replica - first_];
  auto& all = holders_[identity];
  const auto place = std::lower_bound(all.begin(), all.end(), replica, before);
  std::uint32_t entry = kNone;
  if (place != all.end() && place->replica == replica) {
    entry = place->entry;
    unlink(entry);
    memory.used -= entries_[entry].blocks;
  } else {
    if (unused_.empty()) {
      entry = static_cast<std::uint32_t>(entries_.size());
      entries_.emplace_back();
    } else {
      entry = unused_.back();
      unused_.pop_back();
    }
    all.insert(place, {replica, entry});
  }
  entries_[entry] = {identity, blocks, 0, replica, memory.newest, kNone, tokens};
  (memory.newest == kNone ? memory.oldest : entries_[memory.newest].newer) = entry;
  memory.newest = entry;
  memory.used += blocks;
}

void PrefixIndex::count_unknown(Memory& memory, std::int64_t blocks) {
  (memory.newest == kNone ? memory.unknown_oldest : entries_[memory.newest].unknown_newer) +=
      blocks;
  memory.used += blocks;
}

/// Takes an entry out of its replica's order; the counted blocks behind it stay where they are.
void PrefixIndex::unlink(std::uint32_t index) {
  const Entry& entry = entries_[index];
  Memory& memory = memories_[entry.replica - first_];
  (entry.older == kNone ? memory.unknown_oldest : entries_[entry.older].unknown_newer) +=
      entry.unknown_newer;
  (entry.older == kNone ? memory.oldest : entries_[entry.older].newer) = entry.newer;
  (entry.newer == kNone ? memory.newest : entries_[entry.newer].older) = entry.older;
}

void PrefixIndex::erase(std::uint32_t index) {
  unlink(index);
  const Entry& entry = entries_[index];
  memories_[entry.replica - first_].used -= entry.blocks;
  const auto known = holders_.find(entry.identity);
  auto& all = known->second;
  all.erase(std::lower_bound(all.begin(), all.end(), entry.replica, before));
  if (all.empty()) holders_.erase(known);
  unused_.push_back(index);
}

void PrefixIndex::make_room(Memory& memory) {
  while (memory.used > memory.room) {
    const std::int64_t counted = std::min(memory.unknown_oldest, memory.used - memory.room);
    memory.unknown_oldest -= counted;
    memory.used -= counted;
    if (memory.used > memory.room) erase(memory.oldest);
  }
}

}  // namespace headway
