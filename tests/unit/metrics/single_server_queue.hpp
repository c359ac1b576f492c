// A single-server queue by Lindley's recursion (1952), told to an observer: the field's simplest
// system with known answers, independent of the simulator.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "sim/model/events.hpp"
#include "sim/model/totals.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

/// Poisson arrivals, exponential service of mean 1 s, first come first served.
struct SingleServerQueue {
  double load = 0.8;  // arrivals per second
  std::int64_t requests = 100'000;
  std::uint64_t seed = 1;
  bool deterministic = false;  // arrivals and services of fixed length

  /// One Poisson class, one station with one server, stopped by the number of requests.
  Scenario scenario() const {
    Scenario s;
    s.name = "single-server queue";
    WorkloadClass c;
    c.name = "all";
    c.arrivals.kind = Arrivals::Kind::poisson;
    c.arrivals.rate = load;
    s.workload.push_back(c);
    Pool pool;
    pool.name = "station";
    pool.kind = Pool::Kind::service;
    s.fleet.push_back(pool);
    s.run.requests = requests;
    return s;
  }

  RunTotals run(Observer& observer) const {
    std::mt19937_64 random(seed);
    const auto exponential = [&](double mean) {
      const double u = (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53;
      return static_cast<Time>(
          std::llround(deterministic ? mean * 1e12 : -mean * std::log(u) * 1e12));
    };
    RunTotals totals;
    std::vector<RequestRecord> records(static_cast<std::size_t>(requests));
    Time arrival = 0, free_at = 0;
    for (RequestRecord& r : records) {
      arrival += exponential(1 / load);
      r.scheduled = r.sent = r.queued = arrival;
      r.started = std::max(arrival, free_at);
      free_at = r.started + exponential(1);
      r.first_token = r.finished = free_at;
      r.input_tokens = r.output_tokens = 1;
      totals.time_in_system_sum += r.finished - r.scheduled;
    }
    std::size_t next = 0;
    const auto depart_until = [&](Time now) {
      for (; next < records.size() && records[next].finished <= now; ++next) {
        const RequestRecord& r = records[next];
        StepSpan span;
        span.start = r.started;
        span.end = r.finished;
        span.slots = span.prefill_sequences = 1;
        span.waiting = next + 1 < records.size() && records[next + 1].scheduled < r.finished;
        observer.on_steps(span);
        observer.on_departure(r.finished, r);
      }
    };
    for (const RequestRecord& r : records) {
      depart_until(r.scheduled);
      observer.on_arrival(r.scheduled, 0);
    }
    depart_until(kNever);
    totals.load_end = arrival;
    totals.end = free_at;
    totals.arrived = totals.completed = requests;
    totals.input_tokens = totals.output_tokens = requests;
    totals.number_in_system_integral = totals.time_in_system_sum;
    return totals;
  }
};

}  // namespace headway
