#include "measured_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "sim/engine/engine.hpp"
#include "sim/metrics/fanout.hpp"
#include "sim/metrics/recorder.hpp"
#include "sim/scenario/load.hpp"

namespace headway {
namespace {

class RecordKeeper final : public Observer {
 public:
  std::vector<RequestRecord> records;

  void on_arrival(Time, std::uint32_t) override {}
  void on_departure(Time, const RequestRecord& record) override { records.push_back(record); }
  void on_token_gaps(Time, std::int64_t) override {}
  void on_steps(const StepSpan&) override {}
  void on_preemption(Time, std::uint32_t) override {}
};

}  // namespace

Summary run_ready_scenario(const std::string& file, std::vector<std::string> sets,
                           std::vector<RequestRecord>* records) {
  sets.push_back("run.engine=heap");
  const Scenario scenario =
      load_scenario(std::string(HEADWAY_SOURCE_DIR) + "/scenarios/" + file, sets);
  Recorder recorder(scenario);
  RecordKeeper keeper;
  std::vector<Observer*> observers = {&recorder};
  if (records) observers.push_back(&keeper);
  Fanout fanout(observers);
  const RunTotals totals = run_scenario(scenario, fanout);
  if (records) {
    *records = std::move(keeper.records);
    std::sort(records->begin(), records->end(),
              [](const RequestRecord& a, const RequestRecord& b) { return a.id < b.id; });
  }
  return recorder.summarise(scenario, totals);
}

double print_beside(const std::string& what, double predicted, double measured,
                    const std::string& unit, const std::string& remark) {
  const double error = predicted == measured ? 0 : predicted / measured - 1;
  std::cout << fmt::format("{:<56} predicted {:>9.2f}  measured {:>9.2f} {:<8} {:>+6.1f} %  {}\n",
                           what, predicted, measured, unit, 100 * error, remark);
  return error;
}

}  // namespace headway
