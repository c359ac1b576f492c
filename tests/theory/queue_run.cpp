#include "queue_run.hpp"

#include <gtest/gtest.h>

#include "sim/engine/engine.hpp"

namespace headway {
namespace {

using Wide = __int128;

/// Sums over a run's events; nothing is kept of a request.
class QueueWatch final : public Observer {
 public:
  void on_arrival(Time now, std::uint32_t) override {
    advance(now);
    ++in_system_;
    ++arrived_;
    arrivals_sum_ += now;
  }
  void on_departure(Time now, const RequestRecord& record) override {
    advance(now);
    --in_system_;
    arrivals_sum_ -= record.scheduled;
    times_ += now - record.scheduled;
    if (record.outcome != Outcome::completed) {
      ++rejected_;
      return;
    }
    ++completed_;
    sojourns_ += record.finished - record.scheduled;
    waits_ += record.started - record.scheduled;
    ClassSum& own = classes_[record.workload_class];
    own.waits += record.started - record.scheduled;
    ++own.served;
  }
  void on_token_gaps(Time, std::int64_t) override {}
  void on_steps(const StepSpan&) override {}
  void on_preemption(Time, std::uint32_t) override {}
  void on_retry(Time, std::uint32_t, Outcome) override { ++retries_; }

  void expect_identities(const RunTotals& totals) {
    advance(totals.end);
    EXPECT_EQ(totals.arrived, totals.completed + totals.rejected + totals.timed_out +
                                  totals.hung_up + totals.lost + totals.in_flight);
    EXPECT_TRUE(totals.number_in_system_integral == totals.time_in_system_sum);
    EXPECT_EQ(arrived_, totals.arrived);
    EXPECT_EQ(completed_, totals.completed);
    EXPECT_EQ(rejected_, totals.rejected + totals.timed_out + totals.hung_up + totals.lost);
    EXPECT_EQ(in_system_, totals.in_flight);
    const Wide in_flight = Wide{totals.end} * in_system_ - arrivals_sum_;
    EXPECT_TRUE(times_ + in_flight == totals.time_in_system_sum);
    EXPECT_TRUE(integral_ == totals.number_in_system_integral);
  }
  QueueFigures figures(const RunTotals& totals) const {
    QueueFigures figures;
    const auto length = static_cast<double>(totals.end);
    const auto served = static_cast<double>(completed_);
    figures.seconds = to_seconds(totals.end);
    figures.number = static_cast<double>(totals.number_in_system_integral) / length;
    figures.waiting = static_cast<double>(waits_) / length;
    figures.sojourn = static_cast<double>(sojourns_) / served / kPicosecondsPerSecond;
    figures.wait = static_cast<double>(waits_) / served / kPicosecondsPerSecond;
    figures.loss = static_cast<double>(rejected_) / static_cast<double>(arrived_);
    figures.retries = static_cast<double>(retries_) / static_cast<double>(arrived_);
    figures.throughput = served / figures.seconds;
    figures.wait_first = classes_[0].mean_wait();
    figures.wait_second = classes_[1].mean_wait();
    figures.arrived = arrived_;
    figures.completed = completed_;
    figures.rejected = rejected_;
    return figures;
  }

 private:
  void advance(Time now) {
    integral_ += Wide{in_system_} * (now - last_);
    last_ = now;
  }
  struct ClassSum {
    Wide waits = 0;
    std::int64_t served = 0;
    double mean_wait() const {
      return served == 0
                 ? 0
                 : static_cast<double>(waits) / static_cast<double>(served) / kPicosecondsPerSecond;
    }
  };
  Time last_ = 0;
  std::int64_t in_system_ = 0, arrived_ = 0, completed_ = 0, rejected_ = 0, retries_ = 0;
  Wide integral_ = 0;
  Wide arrivals_sum_ = 0;          // Σ of the arrival times of those in the system
  Wide times_ = 0;                 // Σ time in system of those that left
  Wide sojourns_ = 0, waits_ = 0;  // of those served
  ClassSum classes_[2];
};

Scenario station(const Distribution& service, std::int64_t requests) {
  Scenario scenario;
  scenario.workload.emplace_back().name = "customers";
  Pool& pool = scenario.fleet.emplace_back();
  pool.name = "station";
  pool.kind = Pool::Kind::service;
  pool.batching.kind = Batching::Kind::none;
  pool.service.time = service;
  scenario.run.requests = requests;
  scenario.run.engine = Run::Engine::heap;
  return scenario;
}

}  // namespace

Distribution exponential_law(double mean_seconds) {
  Distribution law;
  law.kind = Distribution::Kind::exponential;
  law.a = mean_seconds;
  return law;
}

Distribution fixed_law(double seconds) {
  Distribution law;
  law.a = seconds;
  return law;
}

Scenario open_queue(double rate, const Distribution& service, std::int64_t requests,
                    std::int32_t servers) {
  Scenario scenario = station(service, requests);
  scenario.workload[0].arrivals.kind = Arrivals::Kind::poisson;
  scenario.workload[0].arrivals.rate = rate;
  scenario.fleet[0].service.servers = servers;
  return scenario;
}

Scenario closed_queue(std::int64_t users, const Distribution& think, const Distribution& service,
                      std::int64_t requests) {
  Scenario scenario = station(service, requests);
  scenario.workload[0].arrivals.kind = Arrivals::Kind::closed;
  scenario.workload[0].arrivals.users = users;
  scenario.workload[0].arrivals.think = think;
  return scenario;
}

QueueFigures run_queue(Scenario scenario, std::uint64_t seed) {
  scenario.run.seed = seed;
  QueueWatch watch;
  const RunTotals totals = run_scenario(scenario, watch);
  watch.expect_identities(totals);
  return watch.figures(totals);
}

}  // namespace headway
