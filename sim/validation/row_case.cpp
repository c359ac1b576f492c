#include "sim/validation/row_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "models/catalog.hpp"
#include "sim/scenario/input_error.hpp"
#include "sim/scenario/load.hpp"
#include "sim/validation/recipe.hpp"
#include "sim/validation/row_scenario.hpp"

namespace headway {
namespace {

namespace fs = std::filesystem;

/// Below this share of the offered rate, requests were left behind: a stage of a minute whose last
/// answer comes a second late shows 0.983.
constexpr double kSaturated = 0.98;
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

void make_ready(RowCase& made, const fs::path& data) {
  const Recipe recipe = recipe_of(made.row);
  made.not_run = recipe.not_run;
  made.unscored = recipe.unscored;
  made.engine = recipe.engine;
  made.gpu = recipe.gpu;
  if (!made.not_run.empty()) return;
  const fs::path trace =
      data / "traces" / fmt::format("sharegpt-{}-{}.csv", made.row.requests, recipe.model);
  made.scenario_text = scenario_text(made.row, recipe, fs::absolute(trace).lexically_normal());
  made.scenario = parse_scenario(made.scenario_text, made.row.id + ".yaml", "");
  made.kind = kind_of(*made.scenario);
  const std::int64_t longest = made.scenario->fleet.front().max_model_len;
  if (made.row.input_tokens + made.row.output_tokens > static_cast<double>(longest))
    made.not_run = fmt::format("{} takes at most {} tokens", recipe.model, longest);
  const auto& fitted = made.scenario->fleet.front().placement.engine.fitted_on;
  made.fitted = std::find(fitted.begin(), fitted.end(), made.row.id) != fitted.end();
}

/// Marks the rows past the knee: systems that are alike in all but the rate.
void mark_load(std::vector<RowCase>& cases) {
  const auto same_system = [](const MeasuredRow& a, const MeasuredRow& b) {
    const auto key = [](const MeasuredRow& row) {
      return std::tie(row.group, row.engine, row.engine_version, row.gpu, row.model, row.precision,
                      row.tensor, row.output_tokens, row.max_num_seqs, row.chunked_prefill,
                      row.prefix_caching, row.note);
    };
    return key(a) == key(b);
  };
  std::vector<RowCase*> open;
  for (RowCase& one : cases)
    if (one.row.loop == Loop::open_constant && one.row.measured[Measure::requests])
      open.push_back(&one);
  for (RowCase* one : open)
    one->saturated = *one->row.measured[Measure::requests] < kSaturated * one->row.rate;
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
  std::vector<RowCase> cases(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    cases[i].row = std::move(rows[i]);
    try {
      make_ready(cases[i], data);
    } catch (const CatalogError&) {
      throw;
    } catch (const ModelError& error) {
      cases[i].not_run = error.what();
    } catch (const InputError& error) {
      cases[i].not_run = error.what();
    }
    if (!cases[i].not_run.empty()) cases[i].scenario.reset();
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

}  // namespace headway
