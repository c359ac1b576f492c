#include "report_run.hpp"

#include <fmt/format.h>

#include "sim/engine/engine.hpp"
#include "sim/metrics/recorder.hpp"
#include "sim/scenario/load.hpp"

namespace headway {

Load sharegpt_at_once(int requests) {
  return {fmt::format("{{closed: {{users: {0}, requests: {0}}}}}", requests),
          "{lognormal: {mean: 217.4, cv: 1}, max: 1024}",
          "{lognormal: {mean: 201.4, cv: 1}, max: 1024}"};
}

Load at_once(int requests, int input_tokens, int output_tokens) {
  return {fmt::format("{{closed: {{users: {0}, requests: {0}}}}}", requests),
          std::to_string(input_tokens), std::to_string(output_tokens)};
}

Summary run_report(const Deployment& d, const Load& load) {
  const std::string text = fmt::format(
      "headway: 1\nworkload:\n  - class: report\n    arrivals: {}\n    input_tokens: {}\n"
      "    output_tokens: {}\nfleet:\n  - pool: main\n    model: {}\n    gpu: {}\n    engine: {}\n"
      "    precision: {}\n    parallel: {}\n    batching: {{continuous: {}}}\n    kv: {}\n"
      "    replicas: {}\nrun: {}\n",
      load.arrivals, load.input_tokens, load.output_tokens, d.model, d.gpu, d.engine, d.precision,
      d.parallel, d.batching, d.kv, d.replicas, load.run);
  const Scenario scenario = parse_scenario(text, "report.yaml", "");
  Recorder recorder(scenario);
  const RunTotals totals = run_scenario(scenario, recorder);
  return recorder.summarise(scenario, totals);
}

double total_tokens_per_second(const Summary& summary) {
  return static_cast<double>(summary.counts.input_tokens + summary.counts.output_tokens) /
         summary.makespan_seconds;
}

}  // namespace headway
