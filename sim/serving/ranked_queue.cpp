#include "sim/serving/ranked_queue.hpp"

namespace headway {

RankedQueue::RankedQueue(const Pool& pool, const std::vector<Tenant>& tenants)
    : order_(pool.order), longest_wait_(longest_wait(pool)), share_(tenants) {}

const QueueEntry& RankedQueue::front(Time now) const {
  if (longest_wait_ != kNever) {
    const QueueEntry& oldest = entries_.begin()->second;
    if (time_after(oldest.since, longest_wait_) <= now) return oldest;
  }
  return entries_.find(ranks_.begin()->second)->second;
}

Time RankedQueue::front_changes(Time now) const {
  if (longest_wait_ == kNever || entries_.empty()) return kNever;
  const QueueEntry& oldest = entries_.begin()->second;
  if (oldest.ticket == ranks_.begin()->second) return kNever;
  const Time at = time_after(oldest.since, longest_wait_);
  return at <= now ? kNever : at;
}

std::int64_t RankedQueue::push(const Queued& request, std::int64_t virtual_time,
                               std::uint32_t slot) {
  const QueueEntry entry{.rank = queue_rank(order_, request, virtual_time),
                         .ticket = next_ticket_++,
                         .slot = slot,
                         .tenant = request.tenant,
                         .tokens = request.tokens(),
                         .since = request.since};
  entries_.emplace(entry.ticket, entry);
  if (lines_up(entry)) {
    Line& own = line(entry.tenant);
    own.tickets.insert(entry.ticket);
    if (own.tickets.size() == 1) rank_first(entry.tenant);
  } else {
    ranks_.emplace(entry.rank, entry.ticket);
  }
  return entry.ticket;
}

void RankedQueue::push_preempted(const QueueEntry& entry) {
  entries_.emplace(entry.ticket, entry);
  ranks_.emplace(entry.rank, entry.ticket);
}

QueueEntry RankedQueue::pop(Time now) {
  QueueEntry entry = front(now);
  if (lines_up(entry)) {
    const bool in_turn = ranks_.begin()->second == entry.ticket;
    const std::int64_t start = share_.start(entry.tenant, entry.rank);
    share_.admit(entry.tenant, entry.rank, entry.tokens, in_turn);
    entry.rank = start;
  }
  erase(entry.ticket);
  return entry;
}

void RankedQueue::erase(std::int64_t ticket) {
  const auto found = entries_.find(ticket);
  const QueueEntry entry = found->second;
  entries_.erase(found);
  if (!lines_up(entry)) {
    ranks_.erase({entry.rank, ticket});
    return;
  }
  Line& own = line(entry.tenant);
  const bool first = *own.tickets.begin() == ticket;
  own.tickets.erase(ticket);
  if (!first) return;
  ranks_.erase({own.start, ticket});
  if (!own.tickets.empty()) rank_first(entry.tenant);
}

RankedQueue::Line& RankedQueue::line(std::uint32_t tenant) {
  if (tenant >= lines_.size()) lines_.resize(std::size_t{tenant} + 1);
  return lines_[tenant];
}

void RankedQueue::rank_first(std::uint32_t tenant) {
  Line& own = lines_[tenant];
  const QueueEntry& first = entries_.find(*own.tickets.begin())->second;
  own.start = share_.start(tenant, first.rank);
  ranks_.emplace(own.start, first.ticket);
}

}  // namespace headway
