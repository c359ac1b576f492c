// The pending wake-ups of all entities, at most one each, in order of (time, entity).
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "sim/model/clock.hpp"
#include "sim/scenario/input_error.hpp"

namespace headway {

/// An indexed 4-ary heap, and the clock that it drives.
class EventHeap final : public Clock {
 public:
  explicit EventHeap(Entity entities) : places_(entities, kNowhere) { heap_.reserve(entities); }

  Time now() const override { return now_; }
  bool passed(Entity entity) const override { return any_ && entity <= latest_; }

  void wake(Entity entity, Time at) override {
    assert(at >= now_);
    if (entity == running_) running_ = kNobody;  // set anew: run_next() leaves it in place
    const std::uint32_t place = places_[entity];
    if (at == kNever) {
      if (place != kNowhere) remove(place);
    } else if (place == kNowhere) {
      heap_.push_back({at, entity});
      sift_up(static_cast<std::uint32_t>(heap_.size() - 1), {at, entity});
    } else {
      const Event event{at, entity};
      if (event < heap_[place]) {
        sift_up(place, event);
      } else {
        sift_down(place, event);
      }
    }
  }

  bool empty() const { return heap_.empty(); }
  Time next_time() const { return heap_.empty() ? kNever : heap_.front().at; }

  /// Moves the clock to the next event and runs it. Throws RunError at kEndOfTime.
  void run_next(Process& process) {
    const Event event = heap_.front();
    advance(event.at);
    if (!any_ || event.entity > latest_) latest_ = event.entity;
    any_ = true;
    running_ = event.entity;
    process.on_wake(event.entity, event.at);
    if (running_ == event.entity) remove(places_[event.entity]);
    running_ = kNobody;
  }

  /// Moves the clock forward, to a transfer's end; there is no event before that. Throws RunError
  /// at kEndOfTime.
  void advance(Time to) {
    if (to > now_) {
      if (to >= kEndOfTime) {
        throw RunError("simulated time exceeds 106 days: the run cannot go on");
      }
      now_ = to;
      any_ = false;
    }
  }

 private:
  struct Event {
    Time at;
    Entity entity;
    bool operator<(const Event& other) const {
      return at != other.at ? at < other.at : entity < other.entity;
    }
  };
  static constexpr std::uint32_t kNowhere = UINT32_MAX;
  static constexpr Entity kNobody = UINT32_MAX;

  void place(std::uint32_t at, const Event& event) {
    heap_[at] = event;
    places_[event.entity] = at;
  }
  void sift_up(std::uint32_t hole, const Event& event) {
    while (hole > 0) {
      const std::uint32_t parent = (hole - 1) / 4;
      if (!(event < heap_[parent])) break;
      place(hole, heap_[parent]);
      hole = parent;
    }
    place(hole, event);
  }
  void sift_down(std::uint32_t hole, const Event& event) {
    const auto size = static_cast<std::uint32_t>(heap_.size());
    for (;;) {
      const std::uint32_t first = 4 * hole + 1;
      if (first >= size) break;
      const std::uint32_t last = first + 4 < size ? first + 4 : size;
      std::uint32_t least = first;
      for (std::uint32_t child = first + 1; child < last; ++child) {
        if (heap_[child] < heap_[least]) least = child;
      }
      if (!(heap_[least] < event)) break;
      place(hole, heap_[least]);
      hole = least;
    }
    place(hole, event);
  }
  void remove(std::uint32_t hole) {
    places_[heap_[hole].entity] = kNowhere;
    const Event moved = heap_.back();
    heap_.pop_back();
    if (hole == heap_.size()) return;
    if (hole > 0 && moved < heap_[(hole - 1) / 4]) {
      sift_up(hole, moved);
    } else {
      sift_down(hole, moved);
    }
  }

  std::vector<Event> heap_;
  std::vector<std::uint32_t> places_;  // by entity
  Time now_ = 0;
  bool any_ = false;   // an event ran at now_ …
  Entity latest_ = 0;  // … and this is the highest entity that did
  Entity running_ = kNobody;
};

}  // namespace headway
