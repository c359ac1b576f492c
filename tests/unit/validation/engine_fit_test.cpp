// Constants of an engine from results that were simulated with known ones.
#include "sim/validation/engine_fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "example.hpp"
#include "models/catalog.hpp"
#include "sim/validation/engine_fit_file.hpp"
#include "sim/validation/engine_fit_table.hpp"
#include "sim/validation/scratch_folder.hpp"

namespace headway {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

MeasuredRow open_row(const char* id, double rate, std::int64_t requests) {
  MeasuredRow row = example_row();
  row.id = id;
  row.rate = rate;
  row.requests = requests;
  row.input_tokens = 512;
  row.prefix_caching = false;
  row.max_num_seqs = 256;
  row.max_num_batched_tokens = 2048;
  return row;
}

MeasuredRow full_row() {
  MeasuredRow row = open_row("full", 0, 300);
  row.loop = Loop::closed;
  row.concurrency = 128;
  return row;
}

MeasuredRow repeated_row() {
  MeasuredRow row = open_row("repeated", 50, 300);
  row.prefix_caching.reset();
  row.repeated = true;
  return row;
}

/// Many requests and few tokens to prefill.
MeasuredRow short_row() {
  MeasuredRow row = open_row("short", 60, 400);
  row.input_tokens = 32;
  return row;
}

/// The rows with the figures of runs of `truth`.
std::vector<RowCase> measured_with(const Engine& truth, const std::vector<MeasuredRow>& rows) {
  std::vector<RowCase> cases = make_cases(rows, "/nowhere");
  for (RowCase& one : cases) {
    EXPECT_TRUE(one.scenario) << one.not_run;
    one.scenario->fleet.front().placement.engine = truth;
  }
  const ScratchFolder scratch;
  run_cases(cases, scratch.path(), 0, {}, {});
  for (RowCase& one : cases) one.row.measured = one.predicted;
  return cases;
}

Engine vllm(const char* version, bool asynchronous, double step, double sequence, double prefill,
            double mixed, double request) {
  Engine engine = load_engine(version);
  engine.asynchronous = asynchronous;
  engine.step_overhead_seconds = step;
  engine.sequence_overhead_seconds = sequence;
  engine.prefill_token_overhead_seconds = prefill;
  engine.mixed_layer_overhead_seconds = mixed;
  engine.device_step_overhead_seconds = 0;
  engine.request_overhead_seconds = request;
  return engine;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(EngineFit, RecoversTheConstantsOfASynchronousEngineFromFiveLoads) {
  const Engine base = vllm("vllm-0.11", false, 1e-3, 10e-6, 2e-6, 15e-6, 10e-3);
  const Engine truth = vllm("vllm-0.11", false, 2e-3, 24e-6, 5e-6, 45e-6, 17e-3);
  const EngineFit fit =
      fit_engine(base,
                 measured_with(truth, {open_row("idle", 1, 20), open_row("half", 15, 200),
                                       full_row(), repeated_row(), short_row()}),
                 0, {}, {});
  for (const std::size_t p : {kStep, kSequence, kPrefillToken, kMixedLayer, kRequest}) {
    const double right = truth.*engine_constants()[p].seconds;
    EXPECT_EQ(fit.fit.parameters[p].told, Told::yes) << engine_constants()[p].key;
    EXPECT_NEAR(fit.fit.parameters[p].value, right, 0.05 * right) << engine_constants()[p].key;
  }
  EXPECT_TRUE(fit.fit.converged);
  EXPECT_EQ(fit.fit.parameters[kMixedExpert].told, Told::without_effect);  // it has no experts
  // On the GPU or before it: a synchronous engine's step lasts their sum.
  EXPECT_NE(fit.fit.parameters[kDeviceStep].told, Told::yes);
  EXPECT_EQ(fit.fitted.device_step_overhead_seconds, base.device_step_overhead_seconds);
  for (const RowCase& one : fit.after)
    EXPECT_NEAR(*one.predicted[Measure::tpot_mean], *one.row.measured[Measure::tpot_mean],
                0.01 * *one.row.measured[Measure::tpot_mean]);
}

TEST(EngineFit, AnIdleEngineTellsNothingOfSequencesAndPrefills) {
  const Engine base = vllm("vllm-0.11", false, 1e-3, 10e-6, 2e-6, 15e-6, 10e-3);
  const Engine truth = vllm("vllm-0.11", false, 2e-3, 10e-6, 2e-6, 15e-6, 17e-3);
  const EngineFit fit =
      fit_engine(base, measured_with(truth, {open_row("idle", 1, 20)}), 0, {}, {});
  for (const std::size_t p : {kSequence, kPrefillToken, kMixedLayer}) {
    EXPECT_NE(fit.fit.parameters[p].told, Told::yes) << engine_constants()[p].key;
    EXPECT_EQ(fit.fit.parameters[p].value, base.*engine_constants()[p].seconds);
  }
  EXPECT_NEAR(fit.fit.parameters[kStep].value, 2e-3, 0.1e-3);
  EXPECT_NEAR(fit.fit.parameters[kRequest].value, 17e-3, 0.9e-3);
  const std::vector<std::string> next = measure_next(fit);
  EXPECT_THAT(next, Contains(HasSubstr("half load")));
  EXPECT_THAT(next, Contains(HasSubstr("more load than it serves")));
  EXPECT_THAT(next, Not(Contains(HasSubstr("idle"))));
  EXPECT_THAT(fit_text(fit, {}), HasSubstr("measure next"));
}

TEST(EngineFit, AnAsynchronousEngineHidesWhatItsHostDoes) {
  const Engine base = vllm("vllm-0.19", true, 1e-3, 2e-6, 100e-9, 0, 10e-3);
  const Engine truth = vllm("vllm-0.19", true, 2e-3, 2e-6, 100e-9, 0, 7e-3);
  const EngineFit fit = fit_engine(
      base, measured_with(truth, {open_row("idle", 1, 20), open_row("half", 15, 200)}), 0, {}, {});
  EXPECT_EQ(fit.fit.parameters[kStep].told, Told::without_effect);
  EXPECT_EQ(fit.fitted.step_overhead_seconds, base.step_overhead_seconds);
  EXPECT_NEAR(fit.fitted.request_overhead_seconds, 7e-3, 0.35e-3);
  EXPECT_THAT(measure_next(fit), Contains(HasSubstr("a small model with many sequences")));
}

TEST(EngineFit, TheFileHoldsTheFitAndAllElseOfTheBase) {
  EngineFit fit;
  fit.base = load_engine("vllm-0.11");
  fit.fit.parameters.resize(kEngineConstants);
  for (std::size_t p = 0; p < kEngineConstants; ++p) fit.fit.parameters[p].told = Told::mixed_up;
  fit.fit.parameters[kStep] = {.value = 1.5e-3, .told = Told::yes};
  fit.fit.parameters[kDeviceStep] = {.value = 250e-6, .told = Told::yes};
  fit.after.resize(2);
  fit.after[0].row.id = "a-1";
  fit.after[1].row.id = "b-2";
  fit.after[1].row.source = "a bench: #3";
  const ExampleFile file("mine.yaml", fitted_engine_text(text_of(engine_file("vllm-0.11")), fit));
  const Engine read = load_engine(file.path());
  EXPECT_EQ(read.name, "mine");
  EXPECT_EQ(read.kernels_of(), "vllm-0.11");
  EXPECT_DOUBLE_EQ(read.step_overhead_seconds, 1.5e-3);
  EXPECT_DOUBLE_EQ(read.device_step_overhead_seconds, 250e-6);
  EXPECT_EQ(read.request_overhead_seconds, fit.base.request_overhead_seconds);
  EXPECT_EQ(read.sequence_overhead_seconds, fit.base.sequence_overhead_seconds);
  EXPECT_EQ(read.memory_overhead_bytes, fit.base.memory_overhead_bytes);
  EXPECT_THAT(read.fitted_on, testing::ElementsAre("a-1", "b-2"));
  EXPECT_THAT(read.source,
              HasSubstr("step_overhead, device_step_overhead, on a-1, b-2 (a bench: #3)"));
  // A fit that starts from it names the same kernels, and its rows in place of the former ones.
  fit.base = read;
  fit.after.resize(1);
  const ExampleFile again("again.yaml", fitted_engine_text(text_of(file.path()), fit));
  EXPECT_EQ(load_engine(again.path()).kernels_of(), "vllm-0.11");
  EXPECT_THAT(load_engine(again.path()).fitted_on, testing::ElementsAre("a-1"));
}

TEST(EngineFit, OfALoadNearItsKneeTheRateCountsAndNotTheWait) {
  MeasuredRow row = open_row("overload", 100, 600);
  row.measured[Measure::tpot_mean] = 20;
  row.measured[Measure::requests] = 60;
  const RowCase overload = make_cases({row}, "/nowhere").front();
  EXPECT_THAT(fitted_measures(overload),
              testing::ElementsAre(Measure::tpot_mean, Measure::requests));
  row.measured[Measure::requests] = 99.5;
  const RowCase served = make_cases({row}, "/nowhere").front();
  EXPECT_THAT(fitted_measures(served),
              testing::ElementsAre(Measure::ttft_mean, Measure::tpot_mean));
}

TEST(EngineFit, ARowThatTellsNothingIsRefused) {
  MeasuredRow row = open_row("quick", 1, 10);
  row.measured = {};
  row.measured[Measure::requests] = 1;  // as offered: it tells nothing of the engine
  const Engine base = load_engine("vllm-0.11");
  EXPECT_THAT(refusal([&] { fit_engine(base, make_cases({row}, "/nowhere"), 0, {}, {}); }),
              HasSubstr("row quick has no figure to fit on"));
  EXPECT_THAT(refusal([&] { fit_engine(base, {}, 0, {}, {}); }), HasSubstr("at least one"));
}

TEST(EngineFit, OneThatIsStoppedGivesNothing) {
  const Engine base = load_engine("vllm-0.11");
  EXPECT_THROW(fit_engine(base, make_cases({open_row("idle", 1, 20)}, "/nowhere"), 0, {},
                          [] { return Stop::with_results; }),
               RunError);
}

}  // namespace
}  // namespace headway
