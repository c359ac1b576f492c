// The users of one workload class: when requests are meant to be sent, and when they are.
#pragma once

#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "sim/model/clock.hpp"
#include "sim/model/replica.hpp"
#include "sim/serving/ring.hpp"
#include "sim/workload/conversations.hpp"
#include "sim/workload/source.hpp"

namespace headway {

/// What a client asks of the system around it.
class Sender {
 public:
  virtual ~Sender() = default;
  /// A request comes into being now: a slot with its record begun (class, scheduled), or
  /// kNoRequest when the run offers no more.
  static constexpr std::uint32_t kNoRequest = UINT32_MAX;
  virtual std::uint32_t arrive(std::uint32_t workload_class, const RequestBody& body, Time now) = 0;
  /// The request goes on its way now.
  virtual void send(std::uint32_t slot, std::int64_t bytes, Time now) = 0;
};

/// Three entities of the clock, in this order: the source (the next scheduled request or first turn
/// of a conversation), answers (users or connections that become free), turns (the next ones of
/// conversations).
class Client {
 public:
  Client(const WorkloadClass& workload_class, std::uint32_t index, std::uint64_t seed, Clock& clock,
         Entity first, Sender& sender);
  static constexpr Entity kEntities = 3;

  void start();
  /// The entity with this number of the three is woken.
  void on_wake(Entity which, Time now);
  /// A request of this class was answered, or rejected; the client learns of it at `known`.
  /// `conversation` is what the request's body said.
  void answered(Time known, std::uint32_t conversation, bool completed);
  /// No request will be scheduled any more.
  void stop() { stopped_ = true; }
  bool done() const {
    const bool to_be_continued = !closed_ && conversations_ && conversations_->unfinished() > 0;
    return stopped_ || (source_ended_ && !to_be_continued);
  }
  /// What the source has to say of its input; "" if nothing.
  std::string note() const { return source_ ? source_->note() : ""; }

 private:
  struct Held {
    std::uint32_t slot;
    std::int64_t bytes;
  };
  void schedule_next();
  void on_source(Time now);
  void on_answers(Time now);
  void on_turns(Time now);
  void issue_closed(Time now);
  bool issue(RequestBody& body, Time now);
  bool limit_reached() const {
    return class_.arrivals.requests > 0 && issued_ >= class_.arrivals.requests;
  }

  const WorkloadClass& class_;
  const std::uint32_t index_;
  Clock& clock_;
  const Entity source_entity_, answers_entity_, turns_entity_;
  Sender& sender_;
  const Time turnaround_;
  std::unique_ptr<Source> source_;      // open loop
  std::unique_ptr<ClosedLoad> closed_;  // closed loop
  std::unique_ptr<Conversations> conversations_;
  RequestBody next_body_;
  bool stopped_ = false, source_ended_ = false;
  std::int64_t issued_ = 0;     // requests so far …
  std::int64_t begun_ = 0;      // … and of them, those that are no later turn
  std::int64_t answers_ = 0;    // closed loop: users that became free
  std::int64_t in_flight_ = 0;  // capped open loop
  Ring<Held> held_;             // capped: scheduled, not yet sent
  // When users, or capped connections, become free.
  std::priority_queue<Time, std::vector<Time>, std::greater<>> free_at_;
  using Turn = std::pair<Time, std::uint32_t>;  // when, and of which conversation
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
};

}  // namespace headway
