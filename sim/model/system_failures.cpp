// Attempts that fail: clients give up, replicas lose what they have, and what comes of it.
#include <algorithm>

#include "sim/model/system.hpp"

namespace headway {
namespace {

Failure failure_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::timed_out:
      return Failure::timed_out;
    case Outcome::lost:
      return Failure::lost;
    case Outcome::rejected_queue_full:
    case Outcome::rejected_rate_limit:
    case Outcome::rejected_overload:
    case Outcome::rejected_no_replica:
      return Failure::rejected;
    default:
      return Failure::refused;
  }
}

}  // namespace

void System::on_timer(const Timers::Timer& timer, Time now) {
  Request& request = requests_[timer.slot];
  if (request.life != timer.life) return;
  const RequestRecord& record = request.record;
  switch (timer.kind) {
    case Timers::Kind::retry:
      return begin_attempt(timer.slot, now);
    case Timers::Kind::queue:
      if (record.started != kNever) return;
      break;
    case Timers::Kind::first_token:
      // The replica may know the time before it has come; an answer that will not be good enough
      // gives the client nothing.
      if (scenario_.workload[record.workload_class].streaming && record.first_token != kNever &&
          record.first_token + fleet_.answer_delay(record.replica) < now &&
          !dispatcher_.escalates(record.workload_class, request.leg, record.id)) {
        return;
      }
      break;
    case Timers::Kind::total:
      break;
    case Timers::Kind::hang_up:
      return give_up(timer.slot, Outcome::hung_up, now);
  }
  give_up(timer.slot, Outcome::timed_out, now);
}

/// The client of an attempt that is under way goes away.
void System::give_up(std::uint32_t slot, Outcome why, Time now) {
  Request& request = requests_[slot];
  bool free = false;
  const bool was_held = request.where == Request::Where::held;
  if (request.where == Request::Where::at_replica) {
    free = fleet_.cancel(slot, request.record.replica, now);
    leave_replica(request, now);
    stamp_first_token(request, now);
  } else if (was_held) {
    dispatcher_.unhold(dispatcher_.group(request.record.workload_class, request.leg));
    --held_;
    --inside_;
  }
  if (!free) slot = leave_ghost(slot);
  if (was_held) forget_held_ghosts(slot);
  fail(slot, why, now, now);
}

/// Once most of the line that this request was held in are ghosts, they leave it: clients who try
/// again and again while no replica is ready would fill the memory with them.
void System::forget_held_ghosts(std::uint32_t slot) {
  const RequestRecord& record = requests_[slot].record;
  const std::uint32_t group = dispatcher_.group(record.workload_class, requests_[slot].leg);
  if (!dispatcher_.mostly_gone(group)) return;
  dispatcher_.remove_held(group, [&](std::uint32_t held) {
    const bool gone = requests_[held].life == 0;
    if (gone) requests_.give(held);
    return gone;
  });
}

/// An attempt has failed at its replica: its first token is stamped when the client had it, if it
/// had it before `until`.
void System::stamp_first_token(Request& request, Time until) const {
  RequestRecord& record = request.record;
  if (record.first_token == kNever) return;
  record.first_token += fleet_.answer_delay(record.replica);
  const bool seen = scenario_.workload[record.workload_class].streaming &&
                    record.first_token < until &&
                    !dispatcher_.escalates(record.workload_class, request.leg, record.id);
  if (!seen) record.first_token = kNever;
}

/// The request goes on in another slot, which it returns: somebody still holds this one.
std::uint32_t System::leave_ghost(std::uint32_t slot) {
  const std::uint32_t moved = requests_.take();
  if (moved >= live_.size()) live_.resize(moved + 1);
  requests_[moved] = requests_[slot];
  patience_.move(slot, moved);
  requests_[slot].life = 0;
  live_[slot] = false;
  live_[moved] = true;
  return moved;
}

void System::on_lost(std::uint32_t slot, Time now) {
  leave_replica(requests_[slot], now);
  stamp_first_token(requests_[slot], now + latency_);
  refuse(slot, Outcome::lost, now);
}

/// Whether the client, who waits until then, goes away before it has what is on its way to it.
bool System::comes_too_late(std::uint32_t slot, Time now) {
  RequestRecord& record = requests_[slot].record;
  const Patience::End gone = patience_.before(slot, record);
  if (gone.at == kNever) return false;
  record.finished = gone.at;
  if (record.first_token >= gone.at) record.first_token = kNever;
  fail(slot, gone.why, now, gone.at);
  return true;
}

/// The attempt, which nobody holds any more, has failed; the client knows at `known`, or when the
/// least time of a failure is over: neither without patience nor without think time may anybody try
/// for ever within one instant.
void System::fail(std::uint32_t slot, Outcome why, Time now, Time known) {
  Request& request = requests_[slot];
  known = std::max(known, request.sent + kRejectionTime);
  request.record.outcome = why;
  const Backoff& rule = backoff_[request.record.workload_class];
  if (why != Outcome::hung_up && rule.again(failure_of(why), request.record.attempts)) {
    return try_again(slot, now,
                     time_after(known, rule.delay(request.record.id, request.record.attempts)));
  }
  if (request.record.finished == kNever) request.record.finished = now;
  leave(slot, now, known);
}

void System::try_again(std::uint32_t slot, Time now, Time at) {
  Request& request = requests_[slot];
  RequestRecord& record = request.record;
  observer_.on_retry(now, record.workload_class, record.outcome);
  ++totals_.retries;
  ++record.attempts;
  request.begin_anew();
  request.where = Request::Where::backing_off;
  request.life = ++next_life_;
  timers_.set({std::max(now, at), request.life, slot, Timers::Kind::retry});
}

}  // namespace headway
