// Waiting requests in an order other than first come, first served.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "sim/serving/fair_share.hpp"
#include "sim/serving/queue_order.hpp"

namespace headway {

/// A request in a replica's queue.
struct QueueEntry {
  static constexpr std::uint32_t kFresh = UINT32_MAX;
  std::int64_t rank = 0;            // queue_rank(): lowest first …
  std::int64_t ticket = 0;          // … then in order of arrival
  std::uint32_t slot = 0;           // the request
  std::uint32_t sequence = kFresh;  // its record in the engine if it ran before (preempted)
  std::uint32_t tenant = 0;
  std::int64_t tokens = 0;  // input and output
  Time since = 0;           // it came to the queue then
};

/// By rank, or fair between tenants; and, with a bound on the wait, whoever has waited that long
/// before all others, the longest waiting first. Coming and leaving, from wherever, takes the
/// logarithm of the queue's length.
class RankedQueue {
 public:
  RankedQueue(const Pool& pool, const std::vector<Tenant>& tenants);

  std::size_t size() const { return entries_.size(); }
  std::int64_t virtual_time() const { return share_.virtual_time(); }
  const std::map<std::int64_t, QueueEntry>& entries() const { return entries_; }  // by ticket

  /// The next to be served, if that is now; the queue is not empty.
  const QueueEntry& front(Time now) const;
  /// When another is the next because it has waited too long, if nobody comes or leaves before;
  /// kNever if that will not be.
  Time front_changes(Time now) const;
  /// A new request, which arrived at this virtual time; returns its ticket.
  std::int64_t push(const Queued& request, std::int64_t virtual_time, std::uint32_t slot);
  /// A preempted one comes back, by its rank and its first ticket.
  void push_preempted(const QueueEntry& entry);
  /// Takes the front one out, to be served; its rank is from now on what it comes back by if it is
  /// preempted.
  QueueEntry pop(Time now);
  /// The request with this ticket, which waits, leaves.
  void erase(std::int64_t ticket);

 private:
  /// The fresh requests of a tenant, under `fair`: only the first of them is ranked.
  struct Line {
    std::set<std::int64_t> tickets;
    std::int64_t start = 0;  // the first one's rank among those of the other tenants
  };
  bool lines_up(const QueueEntry& entry) const {
    return order_ == QueueOrder::fair && entry.sequence == QueueEntry::kFresh;
  }
  Line& line(std::uint32_t tenant);
  void rank_first(std::uint32_t tenant);

  const QueueOrder order_;
  const Time longest_wait_;
  FairShare share_;
  std::map<std::int64_t, QueueEntry> entries_;             // by ticket
  std::set<std::pair<std::int64_t, std::int64_t>> ranks_;  // rank and ticket
  std::vector<Line> lines_;                                // by tenant
  std::int64_t next_ticket_ = 0;
};

}  // namespace headway
