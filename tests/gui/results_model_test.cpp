// Tables of results and of runs: which figures, how far from the baseline, and what is not to be
// trusted.
#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include "gui/results/rate_curve.hpp"
#include "gui/results/result_table_csv.hpp"
#include "gui/results/run_store.hpp"
#include "sim/scenario/load.hpp"
#include "tests/gui/example_result.hpp"
#include "tests/gui/result_cells.hpp"

namespace headway {
namespace {

ResultFigure figure(double value, std::optional<double> half_width) {
  ResultFigure of;
  of.value = value;
  of.half_width = half_width;
  of.converged = half_width.has_value();
  return of;
}

RatePoint point(double factor, Verdict verdict) {
  auto report = std::make_shared<Report>();
  report->summary.stability.verdict = verdict;
  return {factor, report};
}

}  // namespace

class ResultsModelTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_figure_stands_with_its_interval_in_the_command_lines_words() {
    ResultTableModel table;
    const QAbstractItemModelTester tester(&table);
    table.show(report_of(example_result(0.077, 0.0017)), nullptr);
    QCOMPARE(cell(table, "TTFT mean", ResultTableModel::kRun), QStringLiteral("77.0 ms ±1.7"));
    QCOMPARE(cell(table, "requests achieved", ResultTableModel::kRun), QStringLiteral("9.5 /s"));
    QCOMPARE(cell(table, "good requests", ResultTableModel::kRun), QStringLiteral("99.99 %"));
    QCOMPARE(cell(table, "cost / hour", ResultTableModel::kRun), QStringLiteral("5.98 USD"));
    QCOMPARE(cell(table, "bottleneck", ResultTableModel::kRun), QStringLiteral("compute of main"));
    QCOMPARE(cell(table, "TTFT mean", ResultTableModel::kBaseline), QString());
  }

  void what_has_not_converged_is_marked() {
    ResultTableModel table;
    table.show(report_of(example_result(0.1, 0.01)), nullptr);
    QCOMPARE(cell(table, "TTFT p90", ResultTableModel::kRun), QStringLiteral("~200 ms ±10"));
    QCOMPARE(cell(table, "TTFT p90", ResultTableModel::kNote), QStringLiteral("not converged"));
    QVERIFY(
        cell(table, "TTFT p99", ResultTableModel::kNote).startsWith(QStringLiteral("no interval")));
    QCOMPARE(cell(table, "TTFT mean", ResultTableModel::kNote), QString());
  }

  void a_replay_says_why_it_has_no_interval_and_an_overload_why_it_has_no_figure() {
    auto replay = std::make_shared<RunResult>(*example_result(0.1, 0.01));
    replay->report.summary.interval_note = "single trace, no interval";
    replay->report.summary.latencies.ttft.mean.half_width.reset();
    replay->report.summary.latencies.e2e = {};
    replay->report.summary.latencies.e2e.count = 10;
    replay->report.summary.latencies.e2e.unstable = true;
    ResultTableModel table;
    table.show(report_of(replay), nullptr);
    QCOMPARE(cell(table, "TTFT mean", ResultTableModel::kNote),
             QStringLiteral("no interval: single trace"));
    QCOMPARE(cell(table, "E2E p99", ResultTableModel::kRun), QStringLiteral("-"));
    QCOMPARE(cell(table, "E2E p99", ResultTableModel::kNote),
             QStringLiteral("no finite value: unstable"));
  }

  // ±3 and ±4 allow a difference of 5.
  void a_difference_counts_where_it_is_larger_than_both_intervals_allow() {
    using Meaning = FigureDifference::Meaning;
    QCOMPARE(difference(figure(14.9, 3), figure(10, 4))->meaning, Meaning::within);
    QCOMPARE(difference(figure(15.1, 3), figure(10, 4))->meaning, Meaning::significant);
    QCOMPARE(difference(figure(4.9, 3), figure(10, 4))->meaning, Meaning::significant);
    QCOMPARE(difference(figure(15.1, {}), figure(10, 4))->meaning, Meaning::unknown);
    QVERIFY(!difference(ResultFigure(), figure(10, 4)));
    QVERIFY(!difference(figure(1, 1), figure(0, 1))->relative);
  }

  void the_baseline_stands_beside_with_difference_in_units_and_in_per_cent() {
    ResultTableModel table;
    const QAbstractItemModelTester tester(&table);
    table.show(report_of(example_result(0.125, 0.001)), report_of(example_result(0.1, 0.001)));
    QCOMPARE(cell(table, "TTFT mean", ResultTableModel::kBaseline), QStringLiteral("100 ms ±1"));
    QCOMPARE(cell(table, "TTFT mean", ResultTableModel::kDifference), QStringLiteral("+25.0 ms"));
    QCOMPARE(cell(table, "TTFT mean", ResultTableModel::kRelative), QStringLiteral("+25 %"));
    QCOMPARE(cell(table, "TTFT mean", ResultTableModel::kNote), QString());
    table.show(report_of(example_result(0.101, 0.001)), report_of(example_result(0.1, 0.001)));
    QCOMPARE(cell(table, "TTFT mean", ResultTableModel::kRelative), QStringLiteral("+1.0 %"));
    QCOMPARE(cell(table, "TTFT mean", ResultTableModel::kNote),
             QStringLiteral("within the intervals"));
    QVERIFY(table.text().contains(QStringLiteral("within the intervals")));
  }

  void the_csv_has_the_values_as_they_are() {
    const std::string csv = result_table_csv(example_result(0.125, 0.001)->report, nullptr);
    QVERIFY(csv.starts_with("# headway.table version 1;"));
    QVERIFY(csv.find("\nTTFT mean,s,0.125,0.001,yes,,,,,,\n") != std::string::npos);
    QVERIFY(csv.find("\nTTFT p90,s,0.25,0.001,no,not converged,,,,,\n") != std::string::npos);
    QVERIFY(csv.find("\ncost / hour,USD,5.98,,") != std::string::npos);
  }

  void runs_come_newest_first_and_unkept_ones_make_room() {
    RunStore store;
    const QAbstractItemModelTester tester(&store);
    store.add(example_result(0.1, 0.01));
    store.set_kept(0, true);
    const RunResultPtr first = store.record(0).result;
    for (int i = 0; i < RunStore::kMostUnkept + 5; ++i) store.add(example_result(0.2, 0.01));
    QCOMPARE(store.rowCount(), RunStore::kMostUnkept + 1);
    QCOMPARE(store.record(store.rowCount() - 1).result, first);
  }

  void the_baseline_is_kept_and_is_gone_when_it_is_deleted() {
    RunStore store;
    const QAbstractItemModelTester tester(&store);
    QSignalSpy changed(&store, &RunStore::baseline_changed);
    store.add(example_result(0.1, 0.01));
    store.add(example_result(0.2, 0.01));
    store.set_baseline(1);
    QCOMPARE(store.baseline(), store.record(1).result);
    QVERIFY(store.record(1).kept);
    store.add(example_result(0.3, 0.01));
    QCOMPARE(store.baseline_row(), 2);
    store.remove(2);
    QCOMPARE(store.baseline_row(), -1);
    QVERIFY(!store.baseline());
    QCOMPARE(changed.size(), 2);
  }

  void a_run_is_named_by_what_its_scenario_says_otherwise() {
    RunStore store;
    store.add(example_result(0.1, 0.01));
    QCOMPARE(store.record(0).name, QStringLiteral("example"));
    std::string faster = station_text();
    faster.replace(faster.find("500 /s"), 6, "600 /s");
    store.add(example_result(0.2, 0.01, faster));
    QCOMPARE(store.record(0).name, QStringLiteral("rate 600 /s"));
    QVERIFY(store.setData(store.index(0, 0), QStringLiteral(" mine "), Qt::EditRole));
    QCOMPARE(store.record(0).name, QStringLiteral("mine"));
    QVERIFY(!store.setData(store.index(0, 0), QStringLiteral(" "), Qt::EditRole));
    QCOMPARE(changed_values(station_text(), "a: [1"), QString());
  }

  void every_kind_of_load_can_be_multiplied() {
    const auto rates = [](const std::string& arrivals, double factor) {
      std::string text = station_text();
      text.replace(text.find("{poisson: {rate: 500 /s}}"), 25, arrivals);
      const Scenario scenario = parse_scenario(text, "x.yaml", ".");
      return parse_scenario(text, "x.yaml", ".", load_sets(scenario, factor)).workload[0].arrivals;
    };
    QCOMPARE(rates("{poisson: {rate: 500 /s}}", 0.5).rate, 250.0);
    QCOMPARE(rates("{constant: {rate: 36 /h}}", 2).rate, 0.02);
    QCOMPARE(rates("{gamma: {rate: 10 /s, cv: 2}}", 3).rate, 30.0);
    QCOMPARE(rates("{diurnal: {rate: 10 /s, amplitude: 0.5}}", 3).rate, 30.0);
    QCOMPARE(rates("{closed: {users: 10, think: {fixed: 1 s}}}", 0.25).users, std::int64_t{3});
    QCOMPARE(rates("{closed: {users: 10, think: {fixed: 1 s}}}", 0.01).users, std::int64_t{1});
    const Arrivals stages =
        rates("{stages: [{rate: 1 /s, for: 10 s}, {rate: 4 /s, for: 10 s}]}", 2);
    QCOMPARE(stages.stages[1].rate, 8.0);
    const Arrivals mmpp =
        rates("{mmpp: {states: [{rate: 1 /s, mean: 10 s}, {rate: 4 /s, mean: 10 s}]}}", 2);
    QCOMPARE(mmpp.states[0].rate, 2.0);
  }

  // 500 requests/s of at most 1,000: from a tenth of the bound to just below it.
  void the_loads_of_a_curve_end_below_the_bound() {
    CheckReport check;
    check.offered_per_second = 500;
    check.bound_per_second = 1000;
    const std::vector<double> factors = curve_factors(check);
    QCOMPARE(factors.front(), 0.2);
    QVERIFY(factors.back() > 1.8 && factors.back() < 2);
    check.offered_per_second.reset();
    QCOMPARE(curve_factors(check).back(), 1.4);
  }

  void the_curve_is_refined_between_the_last_stable_load_and_the_first_unstable_one() {
    using enum Verdict;
    QCOMPARE(refining_factor({point(1, stable), point(1.5, stable), point(2, unstable)}), 1.75);
    QVERIFY(!refining_factor({point(1, stable), point(1.03, unstable)}));
    QVERIFY(!refining_factor({point(1, stable), point(1.5, undecided)}));
    QVERIFY(!refining_factor({}));
  }

  // 30,000 requests at twice 500 a second: 30 s; a quarter of the rate would take longer than the
  // scenario's own 100 s.
  void the_runs_of_a_curve_are_no_longer_than_needed() {
    const Scenario scenario = parse_scenario(station_text(), "x.yaml", ".");
    QCOMPARE(length_sets(scenario, 500.0, 2), std::vector<std::string>{"run.duration=30 s"});
    QVERIFY(length_sets(scenario, 500.0, 0.25).empty());
    QVERIFY(length_sets(scenario, {}, 1).empty());
  }
};

}  // namespace headway

QTEST_MAIN(headway::ResultsModelTest)
#include "results_model_test.moc"
