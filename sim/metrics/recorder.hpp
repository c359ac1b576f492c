// Watches a run and tells what came of it: from event records to the figures of a Summary.
#pragma once

#include <memory>
#include <vector>

#include "sim/metrics/availability.hpp"
#include "sim/metrics/bill.hpp"
#include "sim/metrics/bottleneck.hpp"
#include "sim/metrics/run_timeline.hpp"
#include "sim/metrics/sample_store.hpp"
#include "sim/metrics/summary.hpp"
#include "sim/metrics/token_gaps.hpp"
#include "sim/metrics/warm_up.hpp"
#include "sim/model/events.hpp"
#include "sim/model/totals.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

/// Memory is bounded: about 27 MiB for a million requests or more (35 MiB where a class has a
/// concurrency cap; 4 MiB more, and some 1.5 MiB a pool, in a fleet of several pools), address
/// space that is taken up as requests complete. Not thread-safe.
class Recorder final : public Observer {
 public:
  /// The scenario must outlive the recorder.
  explicit Recorder(const Scenario& scenario);

  void on_arrival(Time now, std::uint32_t workload_class) override;
  void on_departure(Time now, const RequestRecord& record) override;
  void on_token_gaps(Time gap, std::int64_t count) override { gaps_.add(gap, count); }
  void on_steps(const StepSpan& span) override { timeline_.on_steps(span); }
  void on_preemption(Time now, std::uint32_t replica) override;
  void on_phase(Time now, std::uint32_t replica, ReplicaPhase phase) override;
  void on_retry(Time now, std::uint32_t workload_class, Outcome why) override;

  /// After the run, once. `scenario` is the one that the recorder was made with.
  Summary summarise(const Scenario& scenario, const RunTotals& totals);

 private:
  struct OutcomeCounts {
    std::int64_t by_outcome[kOutcomes] = {};
    std::int64_t of(Outcome outcome) const { return by_outcome[static_cast<int>(outcome)]; }
    std::int64_t rejected() const;  // for any reason
  };
  struct ClassCounts : OutcomeCounts {
    std::int64_t arrived = 0, retries = 0, escalations = 0;
    __int128 input_tokens = 0, output_tokens = 0;  // of completed requests
  };
  /// The part of the run that figures are taken from.
  struct Measured {
    SampleWindow samples;
    double begin_seconds = 0, end_seconds = 0;
    bool settled = true;  // MSER-5 found a steady state before half of the samples
    double seconds() const { return end_seconds - begin_seconds; }
  };

  Measured measure(const RunTotals& totals, WarmUp& warm_up) const;
  Stability stability(const Measured& measured, const RunTotals& totals, const Figures& e2e) const;
  void fill_times_and_counts(Summary& summary, const RunTotals& totals) const;
  void fill_classes(Summary& summary, const Measured& measured, Histogram& scratch) const;
  void fill_rates(Summary& summary, const Measured& measured) const;
  void fill_fleet(Summary& summary, const Measured& measured, const RunTotals& totals,
                  const MeanWaits& waits) const;
  void fill_pool_requests(Summary& summary, const Measured& measured, Histogram& scratch) const;
  void apply_verdict(Summary& summary) const;

  const Scenario& scenario_;
  bool stationary_ = false;
  Time warm_up_ = 0;   // fixed warm-up, where one is given
  Time duration_ = 0;  // of the load, where it is given
  SampleStore samples_;
  TokenGaps gaps_;
  FoldingBatches batches_;  // of E2E
  RunTimeline timeline_;
  Bill bill_;
  UpTime up_time_;
  std::vector<ClassCounts> classes_;
  std::vector<OutcomeCounts> pools_;     // of a fleet of several: requests that met a replica there
  std::int64_t samples_in_warm_up_ = 0;  // completed before the fixed warm-up ended
  std::int64_t samples_in_load_ = 0;     // completed before the load ended
};

}  // namespace headway
