#include "sim/model/client.hpp"

#include <algorithm>

namespace headway {

Client::Client(const WorkloadClass& workload_class, std::uint32_t index, std::uint64_t seed,
               Clock& clock, Entity first, Sender& sender)
    : class_(workload_class),
      index_(index),
      clock_(clock),
      source_entity_(first),
      answers_entity_(first + 1),
      turns_entity_(first + 2),
      sender_(sender),
      turnaround_(to_picoseconds(workload_class.turnaround_seconds)) {
  if (workload_class.arrivals.kind == Arrivals::Kind::closed) {
    closed_ = std::make_unique<ClosedLoad>(workload_class, seed, index);
  } else {
    source_ = make_source(workload_class, seed, index);
  }
  if (workload_class.session) {
    conversations_ = std::make_unique<Conversations>(workload_class, seed, index);
  }
}

void Client::start() {
  if (source_) return schedule_next();
  const Arrivals& arrivals = class_.arrivals;
  const std::int64_t users =
      arrivals.requests > 0 ? std::min(arrivals.users, arrivals.requests) : arrivals.users;
  std::vector<Time> starts;
  starts.reserve(static_cast<std::size_t>(users));
  for (std::int64_t user = 0; user < users; ++user) {
    starts.push_back(closed_->think(static_cast<std::uint64_t>(user)));
  }
  free_at_ = decltype(free_at_)(std::greater<>(), std::move(starts));
  clock_.wake(answers_entity_, free_at_.top());
}

void Client::on_wake(Entity which, Time now) {
  if (which == 0) return on_source(now);
  if (which == 1) return on_answers(now);
  on_turns(now);
}

void Client::schedule_next() {
  Time at = 0;
  if (stopped_ || !source_->next(at, next_body_)) {
    source_ended_ = true;
    return;
  }
  clock_.wake(source_entity_, at);
}

/// The request comes into being, and goes on its way unless the cap holds it. False when the run
/// offers no more.
bool Client::issue(RequestBody& body, Time now) {
  const std::uint32_t slot = sender_.arrive(index_, body, now);
  if (slot == Sender::kNoRequest) return false;
  ++issued_;
  if (source_ && class_.max_concurrency > 0 && in_flight_ >= class_.max_concurrency) {
    held_.push_back({slot, body.bytes});
  } else {
    ++in_flight_;
    sender_.send(slot, body.bytes, now);
  }
  return true;
}

void Client::on_source(Time now) {
  if (stopped_) return;
  if (conversations_) {
    next_body_.conversation =
        conversations_->begin(static_cast<std::uint64_t>(begun_++), next_body_);
  }
  if (issue(next_body_, now)) schedule_next();
}

void Client::on_answers(Time now) {
  while (!free_at_.empty() && free_at_.top() <= now) {
    free_at_.pop();
    if (closed_) {
      issue_closed(now);
    } else if (held_.empty()) {
      --in_flight_;
    } else {
      const Held next = held_.front();
      held_.pop_front();
      sender_.send(next.slot, next.bytes, now);
    }
  }
  clock_.wake(answers_entity_, free_at_.empty() ? kNever : free_at_.top());
}

void Client::on_turns(Time now) {
  while (!turns_.empty() && turns_.top().first <= now) {
    const std::uint32_t conversation = turns_.top().second;
    turns_.pop();
    if (stopped_ || limit_reached()) {
      conversations_->end(conversation);
      continue;
    }
    RequestBody body = conversations_->next_turn(conversation);
    body.conversation = conversation;
    if (!issue(body, now)) conversations_->end(conversation);
    source_ended_ = source_ended_ || limit_reached();
  }
  clock_.wake(turns_entity_, turns_.empty() ? kNever : turns_.top().first);
}

/// A user begins a conversation, or asks the next single request.
void Client::issue_closed(Time now) {
  if (stopped_ || limit_reached()) return;
  RequestBody body = closed_->body(static_cast<std::uint64_t>(begun_));
  if (conversations_) {
    body.conversation = conversations_->begin(static_cast<std::uint64_t>(begun_), body);
  }
  ++begun_;
  issue(body, now);
  source_ended_ = limit_reached();
}

void Client::answered(Time known, std::uint32_t conversation, bool completed) {
  if (conversations_) {
    if (completed && !stopped_ && !limit_reached() && conversations_->continues(conversation)) {
      turns_.push({time_after(known, conversations_->think(conversation)), conversation});
      clock_.wake(turns_entity_, turns_.top().first);
      if (closed_) return;  // the user stays in the conversation
    } else {
      conversations_->end(conversation);
    }
  }
  if (closed_) {
    if (stopped_ || limit_reached()) return;
    // The users' first requests took the first think times.
    const auto request = static_cast<std::uint64_t>(class_.arrivals.users + answers_++);
    free_at_.push(time_after(known, closed_->think(request)));
  } else if (class_.max_concurrency > 0) {
    free_at_.push(time_after(known, turnaround_));
  } else {
    return;
  }
  clock_.wake(answers_entity_, free_at_.top());
}

}  // namespace headway
