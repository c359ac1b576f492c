// A replica's waiting requests in the order in which they will be served.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/serving/queue_order.hpp"
#include "sim/serving/ring.hpp"

namespace headway {

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
  std::size_t size() const { return fcfs() ? ring_.size() : heap_.size(); }
  const Entry& front() const { return fcfs() ? ring_.front() : heap_.front(); }

  /// A new request; returns its ticket.
  std::int64_t push(std::int64_t rank, std::uint32_t slot) {
    insert({rank, next_ticket_, slot, kFresh});
    return next_ticket_++;
  }
  /// A preempted request: first come, first served puts it in front (as vLLM does); other orders
  /// put it back by its rank and its first ticket.
  void push_preempted(const Entry& entry) {
    if (fcfs()) {
      ring_.push_front(entry);
    } else {
      insert(entry);
    }
  }
  void pop() {
    if (fcfs()) {
      ring_.pop_front();
    } else {
      std::pop_heap(heap_.begin(), heap_.end(), later);
      heap_.pop_back();
    }
  }

 private:
  bool fcfs() const { return order_ == QueueOrder::fcfs; }
  static bool later(const Entry& a, const Entry& b) {
    return a.rank != b.rank ? a.rank > b.rank : a.ticket > b.ticket;
  }
  void insert(const Entry& entry) {
    if (fcfs()) {
      ring_.push_back(entry);
    } else {
      heap_.push_back(entry);
      std::push_heap(heap_.begin(), heap_.end(), later);
    }
  }

  QueueOrder order_;
  Ring<Entry> ring_;
  std::vector<Entry> heap_;
  std::int64_t next_ticket_ = 0;
};

}  // namespace headway
