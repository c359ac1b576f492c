#include "sim/validation/engine_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/scenario/input_error.hpp"
#include "sim/validation/scratch_folder.hpp"

namespace headway {
namespace {

/// A residual that stands for a figure that a run lacks: worse than any that has one, yet finite.
constexpr double kNoFigure = 10;

Engine with_constants(Engine engine, const std::vector<double>& seconds) {
  for (std::size_t p = 0; p < kEngineConstants; ++p)
    engine.*engine_constants()[p].seconds = seconds[p];
  return engine;
}

/// Runs the rows with any constants. It counts its runs over the whole fit.
class RowRuns {
 public:
  RowRuns(const Engine& base, const std::vector<RowCase>& rows, int jobs, std::size_t most_runs,
          const std::function<void(const FitProgress&)>& on_progress,
          const std::function<Stop()>& stop)
      : base_(base), rows_(rows), jobs_(jobs), on_progress_(on_progress), stop_(stop) {
    progress_.most_runs = most_runs;
    for (const RowCase& row : rows) measures_.push_back(fitted_measures(row));
  }

  /// The rows run with the constants of each point: all runs at once.
  std::vector<std::vector<RowCase>> at(const std::vector<std::vector<double>>& points) {
    std::vector<RowCase> all;
    for (const std::vector<double>& point : points)
      for (const RowCase& row : rows_) {
        RowCase& one = all.emplace_back(row);
        one.row.id = fmt::format("{}-{}", all.size(), row.row.id);  // the folder of its files
        one.scenario->fleet.front().placement.engine = with_constants(base_, point);
      }
    run(all);
    std::vector<std::vector<RowCase>> made;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i % rows_.size() == 0) made.emplace_back();
      if (!all[i].failure.empty())
        throw RunError(fmt::format("the run of {} gave no result: {}",
                                   rows_[i % rows_.size()].row.id, all[i].failure));
      all[i].row.id = rows_[i % rows_.size()].row.id;
      made.back().push_back(std::move(all[i]));
    }
    return made;
  }

  std::vector<std::vector<double>> residuals(const std::vector<std::vector<double>>& points) {
    std::vector<std::vector<double>> all;
    for (const std::vector<RowCase>& rows : at(points)) all.push_back(residuals_of(rows));
    return all;
  }

 private:
  void run(std::vector<RowCase>& all) {
    const ScratchFolder scratch;
    const std::size_t before = progress_.runs;
    run_cases(
        all, scratch.path(), jobs_,
        [&](const ValidationProgress& now) {
          progress_.runs = before + now.done;
          const double done =
              static_cast<double>(before) + now.fraction * static_cast<double>(all.size());
          progress_.fraction = std::min(1., done / static_cast<double>(progress_.most_runs));
          if (on_progress_) on_progress_(progress_);
        },
        stop_);
    if (stop_ && stop_() != Stop::no) throw RunError("stopped; nothing was written");
  }

  /// A row's figures are weighted so that their squares count as one figure of the average row.
  std::vector<double> residuals_of(const std::vector<RowCase>& rows) const {
    std::size_t figures = 0;
    for (const auto& one : measures_) figures += one.size();
    std::vector<double> residuals;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double weight = std::sqrt(static_cast<double>(figures) /
                                      static_cast<double>(rows.size() * measures_[i].size()));
      for (const Measure measure : measures_[i]) {
        const auto& predicted = rows[i].predicted[measure];
        const double off = predicted && *predicted > 0
                               ? std::log(*predicted / *rows[i].row.measured[measure])
                               : kNoFigure;
        residuals.push_back(weight * std::clamp(off, -kNoFigure, kNoFigure));
      }
    }
    return residuals;
  }

  const Engine& base_;
  const std::vector<RowCase>& rows_;
  const int jobs_;
  const std::function<void(const FitProgress&)>& on_progress_;
  const std::function<Stop()>& stop_;
  std::vector<std::vector<Measure>> measures_;
  FitProgress progress_;
};

void check_rows(const std::vector<RowCase>& rows) {
  if (rows.empty()) throw InputError("no row to fit on; expected at least one");
  for (const RowCase& one : rows) {
    if (!one.scenario)
      throw InputError(fmt::format("{}: row {} cannot be run: {}; expected rows that can",
                                   one.row.where, one.row.id, one.not_run));
    if (fitted_measures(one).empty())
      throw InputError(
          fmt::format("{}: row {} has no figure to fit on; expected a mean of TTFT, "
                      "TPOT or E2E, or the rate of a saturated run",
                      one.row.where, one.row.id));
  }
}

}  // namespace

const std::array<EngineConstant, kEngineConstants>& engine_constants() {
  static const std::array<EngineConstant, kEngineConstants> all = {
      {{"step_overhead", &Engine::step_overhead_seconds, 0.1, 1e-3},
       {"sequence_overhead", &Engine::sequence_overhead_seconds, 10e-3, 10e-6},
       {"prefill_token_overhead", &Engine::prefill_token_overhead_seconds, 1e-3, 2e-6},
       {"mixed_layer_overhead", &Engine::mixed_layer_overhead_seconds, 10e-3, 100e-6},
       {"mixed_expert_overhead", &Engine::mixed_expert_overhead_seconds, 10e-3, 100e-6},
       {"device_step_overhead", &Engine::device_step_overhead_seconds, 0.1, 300e-6},
       {"request_overhead", &Engine::request_overhead_seconds, 5, 10e-3}}};
  return all;
}

std::vector<Measure> fitted_measures(const RowCase& row_case) {
  std::vector<Measure> all;
  const Measures& measured = row_case.row.measured;
  for (const Measure measure : {Measure::ttft_mean, Measure::tpot_mean, Measure::e2e_mean})
    if (measured[measure] && !(measure == Measure::ttft_mean && row_case.near_knee))
      all.push_back(measure);
  const Loop loop = row_case.row.loop;
  const bool full = loop == Loop::closed || loop == Loop::all_at_once ||
                    (loop == Loop::open_constant && row_case.saturated);
  if (full && measured[Measure::requests])
    all.push_back(Measure::requests);
  else if (full && measured[Measure::output_tokens])
    all.push_back(Measure::output_tokens);
  return all;
}

EngineFit fit_engine(const Engine& base, const std::vector<RowCase>& rows, int jobs,
                     const std::function<void(const FitProgress&)>& on_progress,
                     const std::function<Stop()>& stop) {
  check_rows(rows);
  std::vector<FitParameter> parameters;
  std::vector<double> start;
  for (const EngineConstant& one : engine_constants()) {
    const double seconds = base.*one.seconds;
    start.push_back(seconds);
    parameters.push_back(
        {.start = seconds, .low = 0, .high = std::max(one.high, seconds), .scale = one.scale});
  }
  const FitLimits limits;
  // The start and its effects; an iteration's effects and three steps; the effects at the end, and
  // the rows once more before and after.
  constexpr std::size_t kEffects = 2 * kEngineConstants;
  const std::size_t points =
      1 + kEffects + static_cast<std::size_t>(limits.iterations) * (kEffects + 3) + kEffects + 2;
  RowRuns runs(base, rows, jobs, points * rows.size(), on_progress, stop);

  EngineFit made;
  made.fit = least_squares(
      parameters, [&](const std::vector<std::vector<double>>& all) { return runs.residuals(all); },
      limits);
  std::vector<double> end;
  for (const FittedParameter& one : made.fit.parameters) end.push_back(one.value);
  auto both = runs.at({start, end});
  made.base = base;
  made.fitted = with_constants(base, end);
  made.before = std::move(both[0]);
  made.after = std::move(both[1]);
  return made;
}

std::vector<std::string> measure_next(const EngineFit& fit) {
  const auto& all = fit.fit.parameters;
  const auto missing = [&](std::size_t p) { return all[p].told != Told::yes; };
  const auto alike = [&](std::size_t p, std::size_t other) {
    return all[p].told == Told::mixed_up && all[p].like == other;
  };
  const bool hidden = fit.base.asynchronous && all[kStep].told == Told::without_effect;
  const bool either_step = !missing(kStep) || !missing(kDeviceStep);
  std::vector<std::string> next;
  if (!either_step || missing(kRequest))
    next.emplace_back("an idle engine (1 request/s): the overheads of a request and of a step");
  if (missing(kSequence) && !hidden) next.emplace_back("half load: the overhead of a sequence");
  if ((missing(kPrefillToken) || missing(kMixedLayer)) && !hidden)
    next.emplace_back("more load than it serves: the overheads of prefill tokens and mixed steps");
  if (alike(kPrefillToken, kRequest) || alike(kRequest, kPrefillToken) ||
      alike(kPrefillToken, kMixedLayer) || alike(kMixedLayer, kPrefillToken))
    next.emplace_back(
        "one of the loads again, with prefix hits: what prefill tokens cost apart "
        "from requests and steps");
  if (hidden)
    next.emplace_back(
        "a small model with many sequences: this engine prepares the next step while "
        "the GPU works, so its host shows only where it takes longer than the GPU");
  return next;
}

}  // namespace headway
