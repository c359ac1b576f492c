// A replica's waiting requests in the order in which they will be served.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/serving/queue_order.hpp"
#include "sim/serving/ranked_queue.hpp"
#include "sim/serving/ring.hpp"

namespace headway {

/// A line in order of arrival, or a RankedQueue. Who leaves from the middle costs no search,
/// however many wait.
class WaitingQueue {
 public:
  using Entry = QueueEntry;

  /// For a replica of the pool; its order and its bound on the wait.
  WaitingQueue(const Pool& pool, const std::vector<Tenant>& tenants)
      : order_(pool.order), ranked_(pool, tenants) {}

  bool empty() const { return size() == 0; }
  std::size_t size() const { return fcfs() ? ring_.size() - gone_ : ranked_.size(); }
  /// The next to be served, if that is now; the queue is not empty.
  const Entry& front(Time now) const { return fcfs() ? ring_.front() : ranked_.front(now); }
  /// When another is the next because it has waited too long, if nobody comes or leaves before;
  /// kNever if that will not be.
  Time front_changes(Time now) const { return fcfs() ? kNever : ranked_.front_changes(now); }

  /// The rank of a request that arrives now.
  std::int64_t rank(const Queued& request) const {
    return queue_rank(order_, request, ranked_.virtual_time());
  }
  /// A new request, of this rank; returns its ticket.
  std::int64_t push(const Queued& request, std::int64_t rank, std::uint32_t slot) {
    Entry entry{rank, 0, slot, Entry::kFresh, request.tenant, request.tokens(), request.since};
    if (!fcfs()) return ranked_.push(entry);
    entry.ticket = first_ + static_cast<std::int64_t>(ring_.size());
    ring_.push_back(entry);
    return entry.ticket;
  }
  /// A preempted request; returns its ticket from now on. First come, first served puts it in front
  /// (as vLLM does); other orders put it back by the rank that pop() told and its first ticket.
  std::int64_t push_preempted(Entry entry) {
    if (!fcfs()) {
      ranked_.push_preempted(entry);
      return entry.ticket;
    }
    entry.ticket = --first_;
    ring_.push_front(entry);
    return entry.ticket;
  }
  /// Takes the front one out, to be served.
  Entry pop(Time now) {
    if (!fcfs()) return ranked_.pop(now);
    const Entry entry = ring_.front();
    erase(entry.ticket);
    return entry;
  }
  /// The request with this ticket, which waits, leaves.
  void erase(std::int64_t ticket) {
    if (!fcfs()) return ranked_.erase(ticket);
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
    for (const auto& [ticket, entry] : ranked_.entries()) visit(entry);
  }

 private:
  static constexpr std::uint32_t kGone = UINT32_MAX;  // for a slot
  bool fcfs() const { return order_ == QueueOrder::fcfs; }

  QueueOrder order_;
  // First come, first served: tickets are places in the line, the front one's is first_. Who left
  // from the middle leaves its place empty.
  Ring<Entry> ring_;
  std::int64_t first_ = 0;
  std::size_t gone_ = 0;
  RankedQueue ranked_;  // other orders
};

}  // namespace headway
