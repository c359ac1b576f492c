#include "sim/model/client.hpp"

#include <algorithm>

namespace headway {

Client::Client(const WorkloadClass& workload_class, std::uint32_t index, std::uint64_t seed,
               Clock& clock, Entity source, Entity answers, Sender& sender)
    : class_(workload_class),
      index_(index),
      clock_(clock),
      source_entity_(source),
      answers_entity_(answers),
      sender_(sender),
      turnaround_(to_picoseconds(workload_class.turnaround_seconds)) {
  if (workload_class.arrivals.kind == Arrivals::Kind::closed) {
    closed_ = std::make_unique<ClosedLoad>(workload_class, seed, index);
  } else {
    source_ = make_source(workload_class, seed, index);
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

void Client::schedule_next() {
  Time at = 0;
  if (done_ || !source_->next(at, next_body_)) {
    done_ = true;
    return;
  }
  clock_.wake(source_entity_, at);
}

void Client::on_source(Time now) {
  if (done_) return;
  const std::uint32_t slot = sender_.arrive(index_, next_body_, now);
  if (slot == Sender::kNoRequest) return;
  if (class_.max_concurrency > 0 && in_flight_ >= class_.max_concurrency) {
    held_.push_back({slot, next_body_.bytes});
  } else {
    ++in_flight_;
    sender_.send(slot, next_body_.bytes, now);
  }
  schedule_next();
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

void Client::issue_closed(Time now) {
  if (done_) return;
  const RequestBody body = closed_->body(static_cast<std::uint64_t>(issued_));
  const std::uint32_t slot = sender_.arrive(index_, body, now);
  if (slot == Sender::kNoRequest) return;
  ++issued_;
  if (issued_ == class_.arrivals.requests) done_ = true;  // 0 requests: no end of its own
  sender_.send(slot, body.bytes, now);
}

void Client::answered(Time known) {
  if (closed_) {
    if (done_) return;
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
