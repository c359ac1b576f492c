#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/model/arrival_check.hpp"
#include "sim/model/queue_area.hpp"
#include "sim/model/replica.hpp"
#include "sim/serving/batcher.hpp"
#include "sim/serving/waiting_queue.hpp"
#include "sim/workload/draw.hpp"
#include "sim/workload/sampler.hpp"

namespace headway {
namespace {

/// Factor of the service time at this batch size: piecewise linear between the points, level
/// outside.
double batch_factor(const std::vector<Service::Point>& points, double size) {
  if (points.empty()) return 1;
  if (size <= points.front().size) return points.front().factor;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const auto &low = points[i - 1], &high = points[i];
    if (size <= high.size) {
      return low.factor + (high.factor - low.factor) * (size - low.size) / (high.size - low.size);
    }
  }
  return points.back().factor;
}

class Station final : public Replica {
 public:
  explicit Station(const ReplicaContext& context)
      : Replica(context),
        batcher_(make_batcher(context.pool.batching)),
        queue_(context.pool, context.tenants),
        time_(context.pool.service.time),
        draw_(context.seed, Stream::service_time, context.index),
        servers_(static_cast<std::size_t>(context.pool.service.servers)) {
    for (std::size_t s = servers_.size(); s-- > 0;) free_.push_back(static_cast<std::uint32_t>(s));
  }

  Outcome enqueue(std::uint32_t slot, Time now) override {
    Request& request = at_.requests[slot];
    RequestRecord& record = request.record;
    const Outcome outcome =
        admission_outcome(at_.pool, record, static_cast<std::int64_t>(queue_.size()));
    if (outcome != Outcome::completed) return outcome;
    record.queued = now;
    waited_.change(now, queue_.size());
    request.place = Request::kWaits;
    request.ticket = queue_.push(request.queued(), queue_.virtual_time(), slot);
    start_batches(now);
    return outcome;
  }

  bool cancel(std::uint32_t slot, Time now) override {
    const Request& request = at_.requests[slot];
    if (request.place != Request::kWaits) return false;
    waited_.change(now, queue_.size());
    queue_.erase(request.ticket);
    return true;
  }

  void on_wake(Time now) override {
    while (!busy_.empty() && busy_.front().end <= now) {
      const std::uint32_t server = busy_.front().server;
      std::pop_heap(busy_.begin(), busy_.end(), later);
      busy_.pop_back();
      finish(server, now);
    }
    start_batches(now);
  }

  void settle(Time now) override {
    for (const Busy& busy : busy_) at_.observer.on_steps(span(busy.server, now));
  }

  std::int64_t waiting() const override { return static_cast<std::int64_t>(queue_.size()); }
  std::int64_t kv_blocks_used() const override { return 0; }
  std::int64_t steps() const override { return static_cast<std::int64_t>(batches_); }

 private:
  void collect(std::vector<std::uint32_t>& slots) const override {
    queue_.each([&](const WaitingQueue::Entry& entry) { slots.push_back(entry.slot); });
    for (const Server& server : servers_) {
      slots.insert(slots.end(), server.batch.begin(), server.batch.end());
    }
  }

  struct Server {
    Time start = 0;
    std::vector<std::uint32_t> batch;
  };
  struct Busy {
    Time end;
    std::uint32_t server;
  };
  static bool later(const Busy& a, const Busy& b) {
    return a.end != b.end ? a.end > b.end : a.server > b.server;
  }

  StepSpan span(std::uint32_t s, Time now) {
    StepSpan span;
    span.replica = at_.index;
    span.start = servers_[s].start;
    span.end = now;
    span.waiting = static_cast<std::int32_t>(queue_.size());
    span.waiting_time = waited_.take(now, queue_.size());
    span.slots = 1;
    span.prefill_sequences = static_cast<std::int32_t>(servers_[s].batch.size());
    return span;
  }

  void finish(std::uint32_t s, Time now) {
    Server& server = servers_[s];
    at_.observer.on_steps(span(s, now));
    for (const std::uint32_t slot : server.batch) {
      RequestRecord& record = at_.requests[slot].record;
      record.first_token = record.finished = now;
      at_.departures.depart(slot, now);
    }
    server.batch.clear();
    free_.push_back(s);
  }

  void start_batches(Time now) {
    Time look_again = kNever;
    while (!free_.empty() && !queue_.empty()) {
      const BatchDecision decision =
          batcher_->decide(static_cast<std::int64_t>(queue_.size()),
                           at_.requests[queue_.front(now).slot].record.queued, now);
      if (decision.take == 0) {
        look_again = std::min(decision.look_again, queue_.front_changes(now));
        break;
      }
      start(decision.take, now);
    }
    const Time end = busy_.empty() ? kNever : busy_.front().end;
    at_.clock.wake(at_.entity, std::min(end, look_again));
  }

  void start(std::int32_t size, Time now) {
    const std::uint32_t s = free_.back();
    free_.pop_back();
    Server& server = servers_[s];
    server.start = now;
    waited_.change(now, queue_.size());
    for (std::int32_t i = 0; i < size; ++i) {
      const std::uint32_t slot = queue_.pop(now).slot;
      at_.requests[slot].record.started = now;
      at_.requests[slot].place = Request::kServed;
      server.batch.push_back(slot);
    }
    const double seconds = time_(draw_, std::uint64_t{at_.start} << 40 | batches_++) *
                           batch_factor(at_.pool.service.batch_factor, size) * at_.slowness;
    constexpr auto kLongest = static_cast<double>(kEndOfTime);
    const double picoseconds = std::min(seconds * kPicosecondsPerSecond, kLongest);
    busy_.push_back({time_after(now, std::max<Time>(1, std::llround(picoseconds))), s});
    std::push_heap(busy_.begin(), busy_.end(), later);
  }

  std::unique_ptr<Batcher> batcher_;
  WaitingQueue queue_;
  QueueArea waited_;
  Sampler time_;
  Draw draw_;
  std::vector<Server> servers_;
  std::vector<std::uint32_t> free_;
  std::vector<Busy> busy_;     // a heap: the earliest end in front
  std::uint64_t batches_ = 0;  // of this engine
};

}  // namespace

std::unique_ptr<Replica> make_station(const ReplicaContext& context) {
  return std::make_unique<Station>(context);
}

}  // namespace headway
