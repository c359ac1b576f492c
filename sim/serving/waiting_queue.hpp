// A replica's waiting requests in the order in which they will be served.
#pragma once

#include <cstdint>
#include <memory>
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
      : ranked_(pool.order == QueueOrder::fcfs ? nullptr
                                               : std::make_unique<RankedQueue>(pool, tenants)) {}

  bool empty() const { return size() == 0; }
  std::size_t size() const { return ranked_ ? ranked_->size() : line_.size() - gone_; }
  /// The next to be served, if that is now; the queue is not empty.
  Entry front(Time now) const { return ranked_ ? ranked_->front(now) : in_line(0); }
  /// When another is the next because it has waited too long, if nobody comes or leaves before;
  /// kNever if that will not be.
  Time front_changes(Time now) const { return ranked_ ? ranked_->front_changes(now) : kNever; }

  /// Of a request that arrives now.
  std::int64_t virtual_time() const { return ranked_ ? ranked_->virtual_time() : 0; }
  /// A new request, which arrived at this virtual time; returns its ticket.
  std::int64_t push(const Queued& request, std::int64_t virtual_time, std::uint32_t slot) {
    if (ranked_) return ranked_->push(request, virtual_time, slot);
    line_.push_back({slot, Entry::kFresh});
    return first_ + static_cast<std::int64_t>(line_.size()) - 1;
  }
  /// A preempted request; returns its ticket from now on. First come, first served puts it in front
  /// (as vLLM does); other orders put it back by the rank that pop() told and its first ticket.
  std::int64_t push_preempted(const Entry& entry) {
    if (ranked_) {
      ranked_->push_preempted(entry);
      return entry.ticket;
    }
    line_.push_front({entry.slot, entry.sequence});
    return --first_;
  }
  /// Takes the front one out, to be served.
  Entry pop(Time now) {
    if (ranked_) return ranked_->pop(now);
    const Entry entry = in_line(0);
    erase(first_);
    return entry;
  }
  /// The request with this ticket, which waits, leaves.
  void erase(std::int64_t ticket) {
    if (ranked_) return ranked_->erase(ticket);
    line_[static_cast<std::size_t>(ticket - first_)].slot = kGone;
    for (++gone_; !line_.empty() && line_.front().slot == kGone; --gone_, ++first_) {
      line_.pop_front();
    }
  }

  /// Calls visit(entry) for those that wait, in order of arrival (who was preempted first come,
  /// first served, in front), until it returns false.
  template <class Visit>
  void each_until(Visit visit) const {
    for (std::size_t i = 0; i < line_.size(); ++i) {
      if (line_[i].slot != kGone && !visit(in_line(i))) return;
    }
    if (!ranked_) return;
    for (const auto& [ticket, entry] : ranked_->entries()) {
      if (!visit(entry)) return;
    }
  }
  /// Calls visit(entry) for each that waits, in no order that means anything.
  template <class Visit>
  void each(Visit visit) const {
    for (std::size_t i = 0; i < line_.size(); ++i) {
      if (line_[i].slot != kGone) visit(in_line(i));
    }
    if (!ranked_) return;
    for (const auto& [ticket, entry] : ranked_->entries()) visit(entry);
  }

 private:
  static constexpr std::uint32_t kGone = UINT32_MAX;  // for a slot
  struct Place {
    std::uint32_t slot, sequence;
  };
  Entry in_line(std::size_t i) const {
    return {.ticket = first_ + static_cast<std::int64_t>(i),
            .slot = line_[i].slot,
            .sequence = line_[i].sequence};
  }

  // First come, first served: tickets are places in the line, the front one's is first_. Who left
  // from the middle leaves its place empty.
  Ring<Place> line_;
  std::int64_t first_ = 0;
  std::size_t gone_ = 0;
  std::unique_ptr<RankedQueue> ranked_;  // other orders
};

}  // namespace headway
