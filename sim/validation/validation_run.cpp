#include "sim/validation/validation_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/report/atomic_file.hpp"
#include "sim/report/result_files.hpp"
#include "sim/validation/score.hpp"

namespace headway {
namespace {

/// Requests of a run: what its length grows with.
double requests_of(const RowCase& row_case) {
  const Scenario& scenario = *row_case.scenario;
  const Arrivals& arrivals = scenario.workload.front().arrivals;
  const std::int64_t requests = arrivals.requests > 0
                                    ? arrivals.requests
                                    : std::max(scenario.run.requests, row_case.row.requests);
  return static_cast<double>(std::max<std::int64_t>(1, requests));
}

/// The mean of each figure that every replication has.
Measures mean_of_replications(const std::vector<Measures>& all) {
  Measures mean;
  for (const MeasureFacts& facts : measures()) {
    double sum = 0;
    bool complete = true;
    for (const Measures& one : all) {
      complete = complete && one[facts.measure];
      sum += one[facts.measure].value_or(0);
    }
    if (complete) mean[facts.measure] = sum / static_cast<double>(all.size());
  }
  return mean;
}

/// An open loop of which fewer requests came than the row has: none comes more than 106 days after
/// the start.
void note_missing_requests(RowCase& row_case, std::int64_t came) {
  const MeasuredRow& row = row_case.row;
  const std::int64_t wanted = row.requests + row_case.warming;
  if (row.loop == Loop::open_constant && came < wanted && row_case.unscored.empty())
    row_case.unscored = fmt::format(
        "only {} of {} requests come within the 106 days that a run may last", came, wanted);
}

void take(RowCase& row_case, const RunReply& reply, const std::filesystem::path& files) {
  switch (reply.status) {
    case RunReply::Status::complete:
      row_case.replicated.push_back(row_case.warming > 0
                                        ? measures_of_warm(row_case, files / "requests.csv")
                                        : predicted_measures(row_case, reply.report));
      row_case.predicted = mean_of_replications(row_case.replicated);
      note_missing_requests(row_case, reply.report.summary.counts.arrived);
      break;
    case RunReply::Status::partial:
      row_case.failure = "stopped by " + reply.report.facts.stopped_by;
      break;
    case RunReply::Status::failed:
      row_case.failure = reply.error;
      break;
  }
}

}  // namespace

std::filesystem::path run_folder(const std::filesystem::path& results, const RowCase& row_case) {
  return results / row_case.row.id;
}

void run_cases(std::vector<RowCase>& cases, const std::filesystem::path& results, int jobs,
               const std::function<void(const ValidationProgress&)>& on_progress,
               const std::function<Stop()>& stop) {
  std::vector<RowCase*> runs;  // a row for each of its replications, side by side
  for (RowCase& one : cases) {
    one.replicated.clear();
    if (one.scenario) runs.insert(runs.end(), static_cast<std::size_t>(one.replications), &one);
  }
  std::stable_sort(runs.begin(), runs.end(), [](const RowCase* a, const RowCase* b) {
    return requests_of(*a) > requests_of(*b);
  });

  std::vector<RunOrder> orders;
  std::vector<double> weights, fractions(runs.size());
  double total = 0, finished = 0;
  std::uint64_t replication = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RowCase* one = runs[i];
    replication = i > 0 && runs[i - 1] == one ? replication + 1 : 0;
    RunOrder& order = orders.emplace_back();
    order.scenario = *one->scenario;
    order.scenario.run.seed += replication;
    if (needs_files(*one)) {
      order.out = run_folder(results, *one);
      if (replication > 0) order.out += fmt::format("-{}", replication + 1);
      prepare_folder(order.out, result_file_names());
    }
    weights.push_back(requests_of(*one));
    total += weights.back();
  }

  ValidationProgress progress;
  progress.runs = runs.size();
  const auto advance = [&](std::size_t index, double fraction) {
    finished += weights[index] * (fraction - fractions[index]);
    fractions[index] = fraction;
    progress.fraction = std::clamp(finished / total, 0., 1.);
    if (on_progress) on_progress(progress);
  };
  RunWatch watch;
  watch.stop = stop;
  watch.on_progress = [&](std::size_t index, const ChildProgress& child) {
    advance(index, child.fraction);
  };
  watch.on_reply = [&](std::size_t index, const RunReply& reply) {
    take(*runs[index], reply, orders[index].out);
    ++progress.done;
    advance(index, 1);
  };
  run_all(orders, jobs, watch);
  for (RowCase& one : cases)
    if (!one.replicated.empty() && one.failure.empty() && one.unscored.empty())
      one.unscored = why_no_error(one);
}

}  // namespace headway
