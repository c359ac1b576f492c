// Several observers as one.
#pragma once

#include <utility>
#include <vector>

#include "sim/model/events.hpp"

namespace headway {

/// Passes every event to each observer in turn, in the order given. The observers must outlive it.
class Fanout final : public Observer {
 public:
  explicit Fanout(std::vector<Observer*> observers) : observers_(std::move(observers)) {}

  void on_arrival(Time now, std::uint32_t workload_class) override {
    for (Observer* o : observers_) o->on_arrival(now, workload_class);
  }
  void on_departure(Time now, const RequestRecord& record) override {
    for (Observer* o : observers_) o->on_departure(now, record);
  }
  void on_token_gaps(Time gap, std::int64_t count) override {
    for (Observer* o : observers_) o->on_token_gaps(gap, count);
  }
  void on_steps(const StepSpan& span) override {
    for (Observer* o : observers_) o->on_steps(span);
  }
  void on_preemption(Time now, std::uint32_t replica) override {
    for (Observer* o : observers_) o->on_preemption(now, replica);
  }
  void on_phase(Time now, std::uint32_t replica, ReplicaPhase phase) override {
    for (Observer* o : observers_) o->on_phase(now, replica, phase);
  }
  void on_retry(Time now, std::uint32_t workload_class, Outcome why) override {
    for (Observer* o : observers_) o->on_retry(now, workload_class, why);
  }

 private:
  std::vector<Observer*> observers_;
};

}  // namespace headway
