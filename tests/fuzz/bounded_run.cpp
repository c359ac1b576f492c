#include "bounded_run.hpp"

#include "sim/engine/engine.hpp"
#include "sim/metrics/recorder.hpp"
#include "sim/report/summary_json.hpp"
#include "sim/scenario/input_error.hpp"

namespace headway {

std::string bounded_run(Scenario scenario) {
  scenario.run.engine = Run::Engine::heap;
  try {
    Recorder recorder(scenario);
    int asked = 0;
    const RunTotals totals =
        run_scenario(scenario, recorder, [&](const RunProgress&) { return ++asked < 2; });
    Report report;
    report.summary = recorder.summarise(scenario, totals);
    parse_summary(summary_json(report), "summary.json");
    return totals.cancelled ? "cancelled" : "completed";
  } catch (const InputError& error) {
    return error.what();
  } catch (const RunError& error) {
    return error.what();
  }
}

}  // namespace headway
