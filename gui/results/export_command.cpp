#include "gui/results/export_command.hpp"

#include <fmt/format.h>

#include <QDir>
#include <QEventLoop>

#include "gui/results/distribution_plot.hpp"
#include "gui/results/export_file.hpp"
#include "gui/results/latency_distribution.hpp"
#include "gui/results/rate_sweep.hpp"
#include "gui/results/result_table_csv.hpp"
#include "gui/results/timeline_plot.hpp"
#include "gui/results/tradeoff_pane.hpp"
#include "sim/report/atomic_file.hpp"
#include "sim/scenario/document.hpp"

namespace headway {

namespace {

const std::vector<std::string>& file_names() {
  static const std::vector<std::string> names = {
      "table.csv",        "tradeoff.png",     "tradeoff.svg", "tradeoff.csv", "distribution.png",
      "distribution.svg", "distribution.csv", "timeline.png", "timeline.svg", "timeline.csv"};
  return names;
}

void tell(const std::string& text) {
  fmt::print(stderr, "headway-gui: {}\n", text);
}

RunResultPtr run(const RunRequest& request) {
  tell("running " + request.file);
  RunResultPtr result;
  QString failure;
  bool wrong_input = false;
  QEventLoop loop;
  RunProcess process(request);
  QObject::connect(&process, &RunProcess::finished, &loop, [&](const RunResultPtr& finished) {
    result = finished;
    loop.quit();
  });
  QObject::connect(&process, &RunProcess::failed, &loop, [&](const QString& message, bool wrong) {
    failure = message;
    wrong_input = wrong;
    loop.quit();
  });
  process.start();
  if (!result && failure.isEmpty()) loop.exec();
  if (result) return result;
  if (wrong_input) throw InputError(failure.toStdString());
  throw RunError(failure.toStdString());
}

// Null, with a message, where the load of the scenario cannot be changed.
RateCurvePtr make_curve(const RunRequest& request) {
  try {
    if (const auto scenario = scenario_of(request)) load_sets(*scenario, 1);
  } catch (const InputError& error) {
    tell(std::string("no trade-off curve: ") + error.what());
    return nullptr;
  }
  RateCurvePtr curve;
  QString failure;
  bool ended = false;
  QEventLoop loop;
  RateSweep sweep;
  QObject::connect(&sweep, &RateSweep::changed, &loop,
                   [&](const RateCurvePtr& changed) { curve = changed; });
  QObject::connect(&sweep, &RateSweep::progressed, &loop, [](int done, int all) {
    tell(fmt::format("trade-off curve: run {} of {}", done + 1, all));
  });
  QObject::connect(&sweep, &RateSweep::failed, &loop,
                   [&](const QString& message) { failure = message; });
  QObject::connect(&sweep, &RateSweep::ended, &loop, [&] {
    ended = true;
    loop.quit();
  });
  sweep.start(request);
  if (!ended) loop.exec();
  if (!failure.isEmpty()) throw RunError("the trade-off curve: " + failure.toStdString());
  return curve;
}

// The latency that plots show: TTFT where there are tokens.
LatencyKind kind_of(const Summary& summary) {
  return summary.latencies.tpot.count > 0 ? LatencyKind::ttft : LatencyKind::e2e;
}

// A plot without anything to draw has no figures: its picture says so.
void write_forms(PlotView& plot, const QDir& folder, const QString& name) {
  for (const char* form : {".png", ".svg", ".csv"}) {
    const QString path = folder.filePath(name + QLatin1String(form));
    if (plot.csv().empty() && QLatin1String(form) == QLatin1String(".csv"))
      write_file(path, "# nothing to show: " + plot.words().toStdString() + "\n");
    else
      write_plot(plot, path);
  }
}

}  // namespace

void export_results(const std::string& scenario_path, const std::string& folder) {
  const RunRequest request{.scenario_text = read_scenario_file(scenario_path),
                           .file = scenario_path};
  prepare_folder(folder, file_names());
  const RunResultPtr result = run(request);
  const RateCurvePtr curve = make_curve(request);
  const std::shared_ptr<const Report> report(result, &result->report);
  const LatencyKind kind = kind_of(report->summary);
  const QDir out(QString::fromStdString(folder));

  write_file(out.filePath(QStringLiteral("table.csv")), result_table_csv(*report, nullptr));
  TradeoffPlot tradeoff;
  tradeoff.show_choice(kind, LatencyStatistic::p99, ThroughputKind::requests);
  tradeoff.show_run({curve, report, false}, scenario_of(request));
  write_forms(tradeoff, out, QStringLiteral("tradeoff"));
  DistributionPlot distribution;
  distribution.show_kind(kind);
  distribution.show_run(
      {result, std::make_shared<const LatencyDistribution>(read_distribution(*result))});
  write_forms(distribution, out, QStringLiteral("distribution"));
  TimelinePlot timeline;
  timeline.show_result(report);
  write_forms(timeline, out, QStringLiteral("timeline"));
  tell("wrote " + std::to_string(file_names().size()) + " files into " + folder);
}

}  // namespace headway
