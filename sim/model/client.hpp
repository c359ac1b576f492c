// The users of one workload class: when requests are meant to be sent, and when they are.
#pragma once

#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "sim/model/clock.hpp"
#include "sim/model/replica.hpp"
#include "sim/serving/ring.hpp"
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

/// Two entities of the clock: `source` (the next scheduled request) and `answers` (users or
/// connections that become free).
class Client {
 public:
  Client(const WorkloadClass& workload_class, std::uint32_t index, std::uint64_t seed, Clock& clock,
         Entity source, Entity answers, Sender& sender);

  void start();
  void on_source(Time now);
  void on_answers(Time now);
  /// A request of this class was answered; the client learns of it at `known`.
  void answered(Time known);
  /// No request will be scheduled any more.
  void stop() { done_ = true; }
  bool done() const { return done_; }
  /// What the source has to say of its input; "" if nothing.
  std::string note() const { return source_ ? source_->note() : ""; }

 private:
  struct Held {
    std::uint32_t slot;
    std::int64_t bytes;
  };
  void schedule_next();
  void issue_closed(Time now);

  const WorkloadClass& class_;
  const std::uint32_t index_;
  Clock& clock_;
  const Entity source_entity_, answers_entity_;
  Sender& sender_;
  const Time turnaround_;
  std::unique_ptr<Source> source_;      // open loop
  std::unique_ptr<ClosedLoad> closed_;  // closed loop
  RequestBody next_body_;
  bool done_ = false;
  std::int64_t issued_ = 0;     // closed loop: requests so far …
  std::int64_t answers_ = 0;    // … and answers to them
  std::int64_t in_flight_ = 0;  // capped open loop
  Ring<Held> held_;             // capped: scheduled, not yet sent
  // When users, or capped connections, become free.
  std::priority_queue<Time, std::vector<Time>, std::greater<>> free_at_;
};

}  // namespace headway
