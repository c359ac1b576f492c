// A replica's waiting requests in the order in which they will be served.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "sim/serving/queue_order.hpp"
#include "sim/serving/ring.hpp"

namespace headway {

/// Who leaves from the middle costs no search, however many wait.
class WaitingQueue {
 public:
  static constexpr std::uint32_t kFresh = UINT32_MAX;
  struct Entry {
    std::int64_t rank = 0;            // queue_rank(): lowest first …
    std::int64_t ticket = 0;          // … then in order of arrival
    std::uint32_t slot = 0;           // the request
    std::uint32_t sequence = kFresh;  // its record in the engine if it ran before (preempted)
  };

  explicit WaitingQueue(QueueOrder order) : order_(order) {}

  bool empty() const { return size() == 0; }
  std::size_t size() const { return fcfs() ? ring_.size() - gone_ : entries_.size(); }
  const Entry& front() const {
    return fcfs() ? ring_.front() : entries_.find(ranks_.begin()->second)->second;
  }

  /// A new request; returns its ticket.
  std::int64_t push(std::int64_t rank, std::uint32_t slot) {
    if (!fcfs()) return insert({rank, next_ticket_++, slot, kFresh});
    const std::int64_t ticket = first_ + static_cast<std::int64_t>(ring_.size());
    ring_.push_back({rank, ticket, slot, kFresh});
    return ticket;
  }
  /// A preempted request; returns its ticket from now on. First come, first served puts it in front
  /// (as vLLM does); other orders put it back by its rank and its first ticket.
  std::int64_t push_preempted(Entry entry) {
    if (!fcfs()) return insert(entry);
    entry.ticket = --first_;
    ring_.push_front(entry);
    return entry.ticket;
  }
  void pop() { erase(front().ticket); }
  /// The request with this ticket, which waits, leaves.
  void erase(std::int64_t ticket) {
    if (!fcfs()) {
      const auto entry = entries_.find(ticket);
      ranks_.erase({entry->second.rank, ticket});
      entries_.erase(entry);
      return;
    }
    ring_[static_cast<std::size_t>(ticket - first_)].slot = kGone;
    for (++gone_; !ring_.empty() && ring_.front().slot == kGone; --gone_, ++first_) {
      ring_.pop_front();
    }
  }

  /// Calls visit(entry) for each that waits, in no order that means anything.
  template <class Visit>
  void each(Visit visit) const {
    for (std::size_t i = 0; i < ring_.size(); ++i) {
      if (ring_[i].slot != kGone) visit(ring_[i]);
    }
    for (const auto& [ticket, entry] : entries_) visit(entry);
  }

 private:
  static constexpr std::uint32_t kGone = UINT32_MAX;  // for a slot
  bool fcfs() const { return order_ == QueueOrder::fcfs; }
  std::int64_t insert(const Entry& entry) {
    entries_.emplace(entry.ticket, entry);
    ranks_.emplace(entry.rank, entry.ticket);
    return entry.ticket;
  }

  QueueOrder order_;
  // First come, first served: tickets are places in the line, the front one's is first_. Who left
  // from the middle leaves its place empty.
  Ring<Entry> ring_;
  std::int64_t first_ = 0;
  std::size_t gone_ = 0;
  // Other orders.
  std::map<std::int64_t, Entry> entries_;                  // by ticket
  std::set<std::pair<std::int64_t, std::int64_t>> ranks_;  // rank and ticket
  std::int64_t next_ticket_ = 0;
};

}  // namespace headway
