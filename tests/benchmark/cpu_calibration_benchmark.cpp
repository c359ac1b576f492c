// How well a profile of this CPU predicts shapes that were not measured: two models are calibrated,
// the products and the attention of a third, whose sizes lie between theirs, are predicted and then
// measured. The counters are errors in per cent of the measured time.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "calibration/calibration_run.hpp"
#include "calibration/device.hpp"
#include "calibration/operator_form.hpp"
#include "calibration/plan.hpp"
#include "calibration/profile_maker.hpp"
#include "models/profile_shapes.hpp"

namespace headway {
namespace {

constexpr double kBudgetSeconds = 90;  // of each model

Architecture model_of(std::int32_t hidden, std::int32_t heads, std::int32_t intermediate) {
  Architecture model;
  model.name = "llama of width " + std::to_string(hidden);
  model.layers = 1;
  model.hidden = hidden;
  model.heads = heads;
  model.kv_heads = heads / 2;
  model.head_dim = 64;
  model.intermediate = intermediate;
  model.vocab = 8192;
  model.max_positions = 2048;
  return model;
}

std::vector<Sample> calibrate(MeasuringDevice& device, const std::vector<OperatorPoint>& plan,
                              double budget_seconds) {
  std::vector<Sample> samples;
  CalibrationLimits limits;
  limits.budget_seconds = budget_seconds;
  run_calibration(device, plan, {}, limits, system_clock(),
                  {[&](const Sample& sample) { samples.push_back(sample); },
                   [](const CalibrationProgress&) {}, [] { return false; }});
  return samples;
}

std::vector<Sample> samples_of(MeasuringDevice& device, const Architecture& model) {
  PlanRequest request;
  request.architecture = model;
  request.limits = {.max_num_seqs = 32,
                    .max_num_batched_tokens = 512,
                    .max_model_len = 2048,
                    .memory_bytes = device.memory_limit_bytes()};
  return calibrate(device, make_plan(request), kBudgetSeconds);
}

// Products of the model in the middle at token counts between those of the plan, and its attention
// at batches, contexts, chunks and prefixes between them.
std::vector<OperatorPoint> held_out(const Architecture& model) {
  std::vector<OperatorPoint> points;
  OperatorPoint base;
  base.format = "bf16";
  const std::int64_t q = model.heads * model.head_dim, kv = model.kv_heads * model.head_dim;
  const std::int64_t products[][2] = {{q + 2 * kv, model.hidden},
                                      {model.hidden, q},
                                      {2 * model.intermediate, model.hidden},
                                      {model.hidden, model.intermediate}};
  for (const auto& [n, k] : products)
    for (const std::int64_t m : {1, 3, 6, 12, 40, 100, 150, 350, 450}) {
      points.push_back(base);
      points.back().op = "gemm";
      points.back().m = m, points.back().n = n, points.back().k = k;
    }
  base.kv = "bf16";
  base.heads = model.heads, base.kv_heads = model.kv_heads, base.head_dim = model.head_dim;
  for (const std::int64_t batch : {1, 3, 8, 24})
    for (const std::int64_t context : {100, 300, 900, 1500}) {
      points.push_back(base);
      points.back().op = "attention_decode";
      points.back().batch = batch, points.back().context = context;
    }
  for (const std::int64_t chunk : {160, 200, 400})
    for (const std::int64_t prefix : {0, 700, 1200}) {
      points.push_back(base);
      points.back().op = "attention_prefill";
      points.back().batch = 1, points.back().chunk = chunk, points.back().prefix = prefix;
    }
  return points;
}

double predicted(const Profile& profile, const OperatorPoint& p) {
  const bool prefill = p.op == "attention_prefill";
  const ProfileFamily* family = profile.find(prefill ? "attention_chunk" : p.op);
  if (family == nullptr) return 0;
  const auto times = p.op == "gemm"
                         ? gemm_times(*family, "bf16", p.n, p.k)
                         : attention_times(*family, {p.heads, p.kv_heads, p.head_dim, p.window});
  if (!times) return 0;
  const auto real = [](std::int64_t value) { return static_cast<double>(value); };
  if (p.op == "gemm") return times->grid.at(real(p.m)).seconds;
  return prefill ? times->grid.at(real(p.chunk), real(p.prefix)).seconds
                 : times->grid.at(real(p.batch), real(p.context)).seconds;
}

// Median and mean of the errors of one operator, in per cent.
void count_errors(benchmark::State& state, const std::string& op, std::vector<double> errors) {
  if (errors.empty()) return;
  std::sort(errors.begin(), errors.end());
  state.counters[op + "_median"] = 100 * errors[errors.size() / 2];
  state.counters[op + "_mean"] =
      100 * std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
  state.counters[op + "_points"] = static_cast<double>(errors.size());
}

void shapes_between(benchmark::State& state) {
  const std::unique_ptr<MeasuringDevice> device = open_device("cpu");
  for (auto _ : state) {
    SampleFile small, large;
    small.samples = samples_of(*device, model_of(256, 4, 704));
    large.samples = samples_of(*device, model_of(1024, 16, 2816));
    const Profile profile = make_profile({small, large}, {"cpu", "headway-cpu", "bf16"});
    const std::vector<Sample> truth =
        calibrate(*device, held_out(model_of(512, 8, 1408)), kBudgetSeconds);
    for (const char* op : {"gemm", "attention_decode", "attention_prefill"}) {
      std::vector<double> errors;
      for (const Sample& sample : truth)
        if (sample.point.op == op)
          errors.push_back(std::abs(predicted(profile, sample.point) / sample.seconds - 1));
      count_errors(state, op, errors);
    }
  }
}
BENCHMARK(shapes_between)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace headway

BENCHMARK_MAIN();
