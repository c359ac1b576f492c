#include "sim/validation/row_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "models/catalog.hpp"
#include "sim/scenario/input_error.hpp"
#include "sim/scenario/load.hpp"
#include "sim/validation/recipe.hpp"
#include "sim/validation/request_comparison.hpp"
#include "sim/validation/row_scenario.hpp"

namespace headway {
namespace {

namespace fs = std::filesystem;

/// Below this share of the offered rate, requests were left behind: a stage of a minute whose last
/// answer comes a second late shows 0.983.
constexpr double kSaturated = 0.98;
/// Random intervals lower the achieved rate by this many of its standard deviations at most.
constexpr double kDeviations = 3;
/// Runs of a load with random arrivals.
constexpr int kReplications = 4;
/// From this share of the knee on, a small error in step times is a large one in waits.
constexpr double kNearKnee = 0.85;

std::string kind_of(const Scenario& scenario) {
  const Placement& placement = scenario.fleet.front().placement;
  const NumberFormat weights = placement.precision.weights;
  const bool half = weights == NumberFormat::bf16 || weights == NumberFormat::fp16;
  return fmt::format("{} {}", placement.architecture.experts > 0 ? "MoE" : "dense",
                     half                             ? "16-bit"
                     : weights == NumberFormat::mxfp4 ? "fp4"
                                                      : number_format_name(weights));
}

/// Rows of one system, alike in all but the load.
bool same_system(const MeasuredRow& a, const MeasuredRow& b) {
  const auto key = [](const MeasuredRow& row) {
    return std::tie(row.group, row.engine, row.engine_version, row.gpu, row.model, row.precision,
                    row.tensor, row.output_tokens, row.max_num_seqs, row.chunked_prefill,
                    row.prefix_caching, row.note);
  };
  return key(a) == key(b);
}

/// Stages follow one another on one server: a later one finds the prompts of the first cached.
bool follows_a_stage(const std::vector<RowCase>& before, const MeasuredRow& row) {
  return row.loop == Loop::open_constant &&
         std::any_of(before.begin(), before.end(), [&](const RowCase& other) {
           return other.row.loop == Loop::open_constant && same_system(other.row, row);
         });
}

void make_ready(RowCase& made, bool later_stage, const fs::path& data) {
  const Recipe recipe = recipe_of(made.row);
  made.not_run = recipe.not_run;
  made.unscored = recipe.unscored;
  made.engine = recipe.engine;
  made.gpu = recipe.gpu;
  if (made.row.loop == Loop::open_constant && recipe.interval_cv > 0)
    made.replications = kReplications;
  if (!made.not_run.empty()) return;
  if (recipe.prompts && (later_stage || made.row.repeated)) made.warming = recipe.prompts->groups;
  const fs::path trace =
      data / "traces" / fmt::format("sharegpt-{}-{}.csv", made.row.requests, recipe.model);
  made.scenario_text =
      scenario_text(made.row, recipe, made.warming, fs::absolute(trace).lexically_normal());
  made.scenario = parse_scenario(made.scenario_text, made.row.id + ".yaml", "");
  made.kind = kind_of(*made.scenario);
  const std::int64_t longest = made.scenario->fleet.front().max_model_len;
  if (made.row.input_tokens + made.row.output_tokens > static_cast<double>(longest))
    made.not_run = fmt::format("{} takes at most {} tokens", recipe.model, longest);
  const auto& fitted = made.scenario->fleet.front().placement.engine.fitted_on;
  made.fitted = std::find(fitted.begin(), fitted.end(), made.row.id) != fitted.end();
}

/// Marks the rows past the knee.
void mark_load(std::vector<RowCase>& cases) {
  std::vector<RowCase*> open;
  for (RowCase& one : cases)
    if (one.row.loop == Loop::open_constant && one.row.measured[Measure::requests])
      open.push_back(&one);
  for (RowCase* one : open)
    one->saturated =
        *one->row.measured[Measure::requests] <
        one->row.rate * (kSaturated - kDeviations * one->row.interval_cv /
                                          std::sqrt(static_cast<double>(one->row.requests)));
  for (RowCase* one : open) {
    double knee = 0;
    for (const RowCase* other : open)
      if (other->saturated && same_system(one->row, other->row))
        knee = std::max(knee, *other->row.measured[Measure::requests]);
    one->near_knee = knee > 0 && one->row.rate > kNearKnee * knee;
  }
}

}  // namespace

std::vector<RowCase> make_cases(std::vector<MeasuredRow> rows, const fs::path& data) {
  std::vector<RowCase> cases;
  for (MeasuredRow& row : rows) {
    RowCase made;
    made.row = std::move(row);
    try {
      make_ready(made, follows_a_stage(cases, made.row), data);
    } catch (const CatalogError&) {
      throw;
    } catch (const ModelError& error) {
      made.not_run = error.what();
    } catch (const InputError& error) {
      made.not_run = error.what();
    }
    if (!made.not_run.empty()) made.scenario.reset();
    cases.push_back(std::move(made));
  }
  mark_load(cases);
  return cases;
}

Measures predicted_measures(const RowCase& row_case, const Report& report) {
  const Loop loop = row_case.row.loop;
  const bool inside = loop == Loop::trace || loop == Loop::static_batch;
  const double overhead =
      inside ? row_case.scenario->fleet.front().placement.engine.request_overhead_seconds : 0;
  const Latencies& latencies = report.summary.latencies;
  Measures predicted;
  const auto latency = [&](Measure measure, const Figures& figures, const Figure& figure,
                           double less) {
    if (figures.count > 0 && !figures.unstable) predicted[measure] = 1e3 * (figure.value - less);
  };
  const Figures &ttft = latencies.ttft_from_sent, &e2e = latencies.e2e_from_sent;
  latency(Measure::ttft_mean, ttft, ttft.mean, overhead);
  latency(Measure::ttft_p50, ttft, ttft.p50, overhead);
  latency(Measure::ttft_p90, ttft, ttft.p90, overhead);
  latency(Measure::ttft_p99, ttft, ttft.p99, overhead);
  latency(Measure::tpot_mean, latencies.tpot, latencies.tpot.mean, 0);
  latency(Measure::e2e_mean, e2e, e2e.mean, overhead);
  latency(Measure::e2e_p50, e2e, e2e.p50, overhead);
  latency(Measure::e2e_p90, e2e, e2e.p90, overhead);
  latency(Measure::e2e_p99, e2e, e2e.p99, overhead);
  const Counts& counts = report.summary.counts;
  const double seconds = report.summary.makespan_seconds - overhead;
  if (seconds > 0 && counts.completed > 0) {
    predicted[Measure::requests] = static_cast<double>(counts.completed) / seconds;
    predicted[Measure::output_tokens] = static_cast<double>(counts.output_tokens) / seconds;
    predicted[Measure::total_tokens] =
        static_cast<double>(counts.input_tokens + counts.output_tokens) / seconds;
  }
  return predicted;
}

Measures measures_of_warm(const RowCase& row_case, const fs::path& requests_csv) {
  std::vector<PredictedRequest> answered = read_predicted(requests_csv, 0);
  const auto warming = std::min(static_cast<std::size_t>(row_case.warming), answered.size());
  answered.erase(answered.begin(), answered.begin() + static_cast<std::ptrdiff_t>(warming));
  std::erase_if(answered, [](const PredictedRequest& one) { return !one.completed; });
  Measures predicted;
  if (answered.empty()) return predicted;
  std::vector<double> ttft, tpot, e2e;
  double end = 0, tokens = 0, inputs = 0;
  for (const PredictedRequest& one : answered) {
    ttft.push_back(1e3 * (one.first_token - one.sent));
    e2e.push_back(1e3 * (one.finished - one.sent));
    if (one.output_tokens > 1)
      tpot.push_back(1e3 * (one.finished - one.first_token) /
                     static_cast<double>(one.output_tokens - 1));
    end = std::max(end, one.finished);
    tokens += static_cast<double>(one.output_tokens);
    inputs += static_cast<double>(one.input_tokens);
  }
  using enum Measure;
  predicted[ttft_mean] = mean_of(ttft);
  predicted[ttft_p50] = percentile_of(ttft, 0.5);
  predicted[ttft_p90] = percentile_of(ttft, 0.9);
  predicted[ttft_p99] = percentile_of(ttft, 0.99);
  if (!tpot.empty()) predicted[tpot_mean] = mean_of(tpot);
  predicted[e2e_mean] = mean_of(e2e);
  predicted[e2e_p50] = percentile_of(e2e, 0.5);
  predicted[e2e_p90] = percentile_of(e2e, 0.9);
  predicted[e2e_p99] = percentile_of(e2e, 0.99);
  const double seconds = end - answered.front().sent;
  if (!(seconds > 0)) return predicted;
  predicted[requests] = static_cast<double>(answered.size()) / seconds;
  predicted[output_tokens] = tokens / seconds;
  predicted[total_tokens] = (inputs + tokens) / seconds;
  return predicted;
}

bool needs_files(const RowCase& row_case) {
  return row_case.row.loop == Loop::trace || row_case.warming > 0;
}

}  // namespace headway
