#include "sim/serving/prefix_cache.hpp"

#include <algorithm>

namespace headway {

/// Calls visit(identity, first, last) for the shared parts that the blocks [first, last) end in. A
/// block belongs to the part of its last token.
template <class Visit>
void PrefixCache::each_part(const Content& content, std::int64_t first, std::int64_t last,
                            Visit visit) const {
  std::int64_t from = first;
  auto part = std::upper_bound(
      content.shared.begin(), content.shared.end(), first * block_tokens_,
      [](std::int64_t token, const Content::Part& each) { return token < each.end; });
  for (; part != content.shared.end() && from < last; ++part) {
    const std::int64_t to = std::min(last, part->end / block_tokens_);
    if (from < to) visit(part->identity, from, to);
    from = std::max(from, to);
  }
}

std::uint32_t PrefixCache::head(std::uint64_t identity) const {
  const auto found = known_.find(identity);
  return found == known_.end() ? kNone : found->second;
}

PrefixCache::Hit PrefixCache::find_known(const Content& content, std::int64_t most) const {
  Hit hit;
  const auto follow = [&](std::uint64_t identity, std::int64_t, std::int64_t to) {
    for (std::uint32_t r = head(identity); r != kNone && hit.blocks < to; r = runs_[r].next) {
      const Run& run = runs_[r];
      if (run.first != hit.blocks) break;
      hit.blocks = std::min(run.last, to);
      if (run.holders == 0) hit.idle += hit.blocks - run.first;
    }
  };
  const std::int64_t shared = content.shared_tokens() / block_tokens_;
  bool whole = true;
  each_part(content, 0, std::min(most, shared),
            [&](std::uint64_t identity, std::int64_t from, std::int64_t to) {
              if (whole) follow(identity, from, to);
              whole = hit.blocks == to;
            });
  if (keeps_own_ && whole && most > shared) follow(content.own, shared, most);
  return hit;
}

void PrefixCache::take(std::uint32_t holder, const Content& content, const Hit& hit) {
  if (known_.empty()) return;
  const std::int64_t shared = std::min(hit.blocks, content.shared_tokens() / block_tokens_);
  each_part(content, 0, shared,
            [this](std::uint64_t identity, std::int64_t first, std::int64_t last) {
              hold(identity, first, last);
            });
  if (shared > 0) {
    if (holder >= holders_.size()) holders_.resize(holder + 1);
    holders_[holder].push_back({0, shared});
  }
  if (keeps_own_) forget(content.own, hit.blocks);
}

/// How many of the blocks are left to take from behind the newest run.
std::int64_t PrefixCache::allocate_oldest(std::int64_t count) {
  while (oldest_ != kNone) {
    Run& run = runs_[oldest_];
    const std::int64_t unknown = std::min(count, run.unknown_before);
    run.unknown_before -= unknown;
    count -= unknown;
    const std::int64_t known = std::min(count, run.last - run.first);
    run.last -= known;
    count -= known;
    if (run.first < run.last) return 0;
    const std::uint32_t empty = oldest_;
    out_of_queue(empty, 0);
    erase(empty);
  }
  return count;
}

void PrefixCache::add(std::uint32_t holder, const Content& content, std::int64_t first,
                      std::int64_t last) {
  last = std::min(last, content.shared_tokens() / block_tokens_);
  if (first >= last) return;
  if (holder >= holders_.size()) holders_.resize(holder + 1);
  std::vector<Range>& held = holders_[holder];
  each_part(content, first, last, [&](std::uint64_t identity, std::int64_t from, std::int64_t to) {
    std::uint32_t behind = head(identity);
    while (from < to) {
      while (behind != kNone && runs_[behind].last <= from) behind = runs_[behind].next;
      const std::int64_t until =
          behind == kNone ? to : std::min(to, std::max(from, runs_[behind].first));
      if (from < until) {
        insert(new_run({identity, from, until, 1, kNone, kNone, kNone, 0}));
        if (!held.empty() && held.back().last == from) {
          held.back().last = until;
        } else {
          held.push_back({from, until});
        }
      }
      from = behind == kNone ? to : std::max(until, runs_[behind].last);
    }
    merge(head(identity));
  });
}

std::int64_t PrefixCache::release(std::uint32_t holder, const Content& content, std::int64_t blocks,
                                  std::int64_t full, Leave leave) {
  const std::int64_t shared = content.shared_tokens() / block_tokens_;
  const bool keep_own =
      leave == Leave::preempted || (leave == Leave::finished && content.continues);
  std::int64_t freed = 0, end = blocks;
  const auto give_unknown = [&](std::int64_t first) {
    tail_ += end - first;
    freed += end - first;
    end = first;
  };
  if (keep_own && full > shared) {
    give_unknown(full);
    const std::uint32_t run = new_run({content.own, shared, full, 0, kNone, kNone, kNone, 0});
    insert(run);
    keeps_own_ = true;
    into_queue(run);
    freed += full - shared;
    end = shared;
  }
  if (holder < holders_.size()) {
    std::vector<Range>& held = holders_[holder];
    for (; !held.empty(); held.pop_back()) {
      give_unknown(held.back().last);
      freed += give_back(content, held.back(), leave != Leave::dropped);
      end = held.back().first;
    }
  }
  give_unknown(0);
  return freed;
}

// ---- runs of an identity ----

std::uint32_t PrefixCache::new_run(const Run& run) {
  if (unused_runs_.empty()) {
    runs_.push_back(run);
    return static_cast<std::uint32_t>(runs_.size() - 1);
  }
  const std::uint32_t r = unused_runs_.back();
  unused_runs_.pop_back();
  runs_[r] = run;
  return r;
}

/// Puts a run among those of its identity.
void PrefixCache::insert(std::uint32_t r) {
  Run& run = runs_[r];
  const auto [known, only] = known_.try_emplace(run.identity, r);
  if (only) return;
  if (runs_[known->second].first > run.first) {
    run.next = known->second;
    known->second = r;
    return;
  }
  std::uint32_t before = known->second;
  while (runs_[before].next != kNone && runs_[runs_[before].next].first < run.first) {
    before = runs_[before].next;
  }
  run.next = runs_[before].next;
  runs_[before].next = r;
}

/// Takes a run, which is in no queue, from those of its identity.
void PrefixCache::erase(std::uint32_t r) {
  const auto known = known_.find(runs_[r].identity);
  if (known->second != r) {
    std::uint32_t before = known->second;
    while (runs_[before].next != r) before = runs_[before].next;
    runs_[before].next = runs_[r].next;
  } else if (runs_[r].next == kNone) {
    known_.erase(known);
  } else {
    known->second = runs_[r].next;
  }
  unused_runs_.push_back(r);
}

/// Makes the block `at` the first of its run, if it is in one. The identity's first run stays so.
void PrefixCache::split(std::uint32_t head, std::int64_t at) {
  std::uint32_t r = head;
  while (r != kNone && runs_[r].last <= at) r = runs_[r].next;
  if (r == kNone || runs_[r].first >= at) return;
  Run behind = runs_[r];
  behind.first = at;
  const std::uint32_t b = new_run(behind);
  Run& run = runs_[r];
  run.last = at;
  run.next = b;
  if (run.holders > 0) return;
  run.older = b;  // the later blocks stand in front
  run.unknown_before = 0;
  runs_[b].newer = r;
  (behind.older == kNone ? oldest_ : runs_[behind.older].newer) = b;
}

/// Joins neighbours of an identity that share their fate. Its first run stays so.
void PrefixCache::merge(std::uint32_t head) {
  for (std::uint32_t r = head; r != kNone;) {
    Run& run = runs_[r];
    const std::uint32_t n = run.next;
    if (n == kNone) return;
    const Run next = runs_[n];
    const bool together = run.last == next.first && run.holders == next.holders &&
                          (run.holders > 0 || (run.older == n && run.unknown_before == 0));
    if (!together) {
      r = n;
      continue;
    }
    if (run.holders == 0) out_of_queue(n, 0);
    run.last = next.last;
    run.next = next.next;
    unused_runs_.push_back(n);
  }
}

// ---- the queue of free blocks ----

void PrefixCache::into_queue(std::uint32_t r) {
  Run& run = runs_[r];
  run.unknown_before = tail_;
  tail_ = 0;
  run.older = newest_;
  run.newer = kNone;
  (newest_ == kNone ? oldest_ : runs_[newest_].newer) = r;
  newest_ = r;
}

/// `left_unknown` of its blocks stay, as blocks that nobody can ask for.
void PrefixCache::out_of_queue(std::uint32_t r, std::int64_t left_unknown) {
  const Run& run = runs_[r];
  (run.newer == kNone ? tail_ : runs_[run.newer].unknown_before) +=
      run.unknown_before + left_unknown;
  (run.older == kNone ? oldest_ : runs_[run.older].newer) = run.newer;
  (run.newer == kNone ? newest_ : runs_[run.newer].older) = run.older;
}

void PrefixCache::hold(std::uint64_t identity, std::int64_t first, std::int64_t last) {
  const std::uint32_t begin = head(identity);
  split(begin, last);
  for (std::uint32_t r = begin; r != kNone && runs_[r].first < last; r = runs_[r].next) {
    if (runs_[r].first < first) continue;
    if (runs_[r].holders++ == 0) out_of_queue(r, 0);
  }
  merge(begin);
}

/// Takes own contents out of the cache; `kept` of the sequence's blocks stay with it.
void PrefixCache::forget(std::uint64_t identity, std::int64_t kept) {
  const std::uint32_t r = head(identity);
  if (r == kNone) return;
  const Run& run = runs_[r];
  out_of_queue(r, run.last - std::clamp(kept, run.first, run.last));
  erase(r);
}

std::int64_t PrefixCache::give_back(const Content& content, const Range& range, bool keep) {
  struct Piece {
    std::uint64_t identity;
    std::int64_t first, last;
  };
  std::vector<Piece> pieces;
  each_part(content, range.first, range.last,
            [&](std::uint64_t identity, std::int64_t first, std::int64_t last) {
              pieces.push_back({identity, first, last});
            });
  std::int64_t freed = 0;
  for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
    freed += give_back(piece->identity, piece->first, piece->last, keep);
  }
  return freed;
}

std::int64_t PrefixCache::give_back(std::uint64_t identity, std::int64_t first, std::int64_t last,
                                    bool keep) {
  std::uint32_t begin = head(identity);
  split(begin, first);
  split(begin, last);
  std::vector<std::uint32_t> given;
  for (std::uint32_t r = begin; r != kNone && runs_[r].first < last; r = runs_[r].next) {
    if (runs_[r].first >= first) given.push_back(r);
  }
  std::int64_t freed = 0;
  for (auto r = given.rbegin(); r != given.rend(); ++r) {
    Run& run = runs_[*r];
    if (--run.holders > 0) continue;
    freed += run.last - run.first;
    if (keep) {
      into_queue(*r);
    } else {
      tail_ += run.last - run.first;
      erase(*r);
      begin = kNone;
    }
  }
  merge(begin == kNone ? head(identity) : begin);
  return freed;
}

}  // namespace headway
