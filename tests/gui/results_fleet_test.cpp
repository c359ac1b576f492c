// What the table of results says of requests that were not answered, of pools, and of replicas.
#include <QAbstractItemModelTester>
#include <QTest>

#include "gui/results/result_table_csv.hpp"
#include "tests/gui/example_result.hpp"
#include "tests/gui/result_cells.hpp"

namespace headway {
namespace {

using enum ResultTableModel::Column;

using Change = void (*)(Summary&);

/// The example, changed.
RunResultPtr changed(Change change) {
  auto result = std::make_shared<RunResult>(*example_result(0.1, 0.01));
  change(result->report.summary);
  return result;
}

PoolUse pool_named(const char* name) {
  PoolUse pool;
  pool.name = name;
  pool.replicas = 2;
  pool.ready = pool.existing = pool.ready_least = pool.ready_most = 2;
  pool.gpu_hours.phase[static_cast<int>(ReplicaPhase::ready)] = 4;
  return pool;
}

PoolUse answering(const char* name, double rate, double ttft) {
  PoolUse pool = pool_named(name);
  PoolRequests& requests = pool.requests.emplace();
  requests.completed = 1000;
  requests.achieved_per_second = rate;
  requests.good_share = 0.98765;
  requests.ttft = figures_of(ttft, 0.001);
  requests.tpot = figures_of(0.01, 0.001);
  requests.e2e = figures_of(10 * ttft, 0.01);
  return pool;
}

void lossy(Summary& summary) {
  Counts& counts = summary.counts;
  counts.arrived = 72'020;
  counts.completed = 70'000;
  counts.rejected = counts.rejected_by_reason[static_cast<int>(Outcome::rejected_queue_full)] = 7;
  counts.timed_out = 2'000;
  counts.hung_up = 3;
  counts.lost = 10;
  counts.retries = 12'345;
}

void canary(Summary& summary) {
  summary.pools = {answering("stable", 38, 0.1), answering("canary", 2, 0.05)};
}

void scaled(Summary& summary) {
  summary.pools = {pool_named("main")};
  PoolUse& pool = summary.pools[0];
  pool.ready = 3.125;
  pool.ready_least = 1;
  pool.ready_most = 6;
  pool.existing = 3.25;
  pool.start_ups = 37;
  pool.gpu_hours.phase[static_cast<int>(ReplicaPhase::ready)] = 75;
  pool.gpu_hours.phase[static_cast<int>(ReplicaPhase::provisioning)] = 0.5;
  pool.gpu_hours.phase[static_cast<int>(ReplicaPhase::weights)] = 1.25;
  pool.availability = {true, 0.98766, true, 0.9, 0.001, 1};
  pool.up_share = 0.995;
  summary.counts.faults[static_cast<std::size_t>(FaultUnit::Kind::node)] = 2;
}

void steady(Summary& summary) {
  summary.pools = {pool_named("main")};
}

}  // namespace

class ResultsFleetTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void requests_are_told_by_how_they_ended() {
    ResultTableModel table;
    table.show(report_of(changed(lossy)), nullptr);
    QCOMPARE(cell(table, "arrived", kRun), QStringLiteral("72,020"));
    QCOMPARE(cell(table, "completed", kRun), QStringLiteral("70,000"));
    QCOMPARE(cell(table, "rejected (queue full)", kRun), QStringLiteral("7"));
    QCOMPARE(cell(table, "timed out", kRun), QStringLiteral("2,000"));
    QCOMPARE(cell(table, "hung up by their clients", kRun), QStringLiteral("3"));
    QCOMPARE(cell(table, "lost with their replicas", kRun), QStringLiteral("10"));
    QCOMPARE(cell(table, "retries", kRun), QStringLiteral("12,345"));
    QCOMPARE(row_of(table, QStringLiteral("escalations")), -1);
    QCOMPARE(row_of(table, QStringLiteral("in flight at the end")), -1);
  }

  void what_only_the_baseline_lost_is_a_zero_here() {
    ResultTableModel table;
    const QAbstractItemModelTester tester(&table);
    table.show(report_of(example_result(0.1, 0.01)), report_of(changed(lossy)));
    QCOMPARE(cell(table, "timed out", kRun), QStringLiteral("0"));
    QCOMPARE(cell(table, "timed out", kBaseline), QStringLiteral("2,000"));
    QCOMPARE(cell(table, "timed out", kDifference), QStringLiteral("\u22122,000"));
    QCOMPARE(cell(table, "timed out", kRelative), QStringLiteral("\u2212100 %"));
    QCOMPARE(row_of(table, QStringLiteral("escalations")), -1);
  }

  void each_pool_that_answered_has_its_latencies() {
    ResultTableModel table;
    table.show(report_of(changed(canary)), nullptr);
    QCOMPARE(cell(table, "pool stable: answered", kRun), QStringLiteral("38 /s"));
    QCOMPARE(cell(table, "pool stable: good requests", kRun), QStringLiteral("98.76 %"));
    QCOMPARE(cell(table, "pool stable: TTFT mean", kRun), QStringLiteral("100 ms ±1"));
    QCOMPARE(cell(table, "pool canary: TTFT mean", kRun), QStringLiteral("50.0 ms ±1.0"));
    QCOMPARE(cell(table, "pool canary: TTFT p90", kNote), QStringLiteral("not converged"));
    QCOMPARE(cell(table, "pool canary: E2E p50", kRun), QStringLiteral("500 ms ±10"));
    QVERIFY(row_of(table, QStringLiteral("pool stable: E2E p99")) <
            row_of(table, QStringLiteral("pool canary: answered")));
    table.show(report_of(changed(steady)), nullptr);
    QCOMPARE(row_of(table, QStringLiteral("pool main: TTFT mean")), -1);
  }

  // The pools of the two runs come in other orders, and each has one that the other lacks.
  void a_pool_is_compared_with_that_of_its_name() {
    ResultTableModel table;
    const QAbstractItemModelTester tester(&table);
    const RunResultPtr other = changed([](Summary& summary) {
      summary.pools = {answering("old", 10, 0.3), answering("canary", 4, 0.1)};
    });
    table.show(report_of(changed(canary)), report_of(other));
    QCOMPARE(cell(table, "pool canary: TTFT mean", kBaseline), QStringLiteral("100 ms ±1"));
    QCOMPARE(cell(table, "pool canary: TTFT mean", kRelative), QStringLiteral("\u221250 %"));
    QCOMPARE(cell(table, "pool stable: answered", kBaseline), QStringLiteral("-"));
    QCOMPARE(cell(table, "pool old: answered", kRun), QStringLiteral("-"));
    QCOMPARE(cell(table, "pool old: answered", kBaseline), QStringLiteral("10 /s"));
    QCOMPARE(cell(table, "pool old: answered", kDifference), QString());
    const std::string csv = result_table_csv(changed(canary)->report, &other->report);
    QVERIFY(csv.find("\npool canary: answered,1/s,2,,,,4,,-2,-0.5,\n") != std::string::npos);
    QVERIFY(csv.find("\npool old: answered,1/s,,,,,10,,,,\n") != std::string::npos);
  }

  void classes_are_told_apart_where_there_are_several() {
    ResultTableModel table;
    table.show(report_of(changed([](Summary& summary) {
                 summary.classes.resize(2);
                 summary.classes[0].name = "chat";
                 summary.classes[0].achieved_per_second = 6;
                 summary.classes[0].slo = {true, 0.9901, 0.95, true};
                 summary.classes[0].latencies = summary.latencies;
                 summary.classes[1].name = "job";
                 summary.classes[1].latencies.e2e = figures_of(3, 0.1);
               })),
               nullptr);
    QCOMPARE(cell(table, "class chat: good requests", kRun), QStringLiteral("99.01 %"));
    QCOMPARE(cell(table, "class chat: TTFT mean", kRun), QStringLiteral("100 ms ±10"));
    QCOMPARE(row_of(table, QStringLiteral("class job: good requests")), -1);
    QCOMPARE(row_of(table, QStringLiteral("class job: TTFT mean")), -1);
    QCOMPARE(cell(table, "class job: E2E mean", kRun), QStringLiteral("3.00 s ±0.10"));
  }

  void replicas_that_come_and_go_are_told_with_their_gpu_hours() {
    ResultTableModel table;
    table.show(report_of(changed(scaled)), nullptr);
    QCOMPARE(cell(table, "pool main: replicas ready", kRun), QStringLiteral("3.125"));
    QCOMPARE(cell(table, "pool main: replicas ready", kNote), QStringLiteral("1 to 6"));
    QCOMPARE(cell(table, "pool main: replicas paid for", kRun), QStringLiteral("3.25"));
    QCOMPARE(cell(table, "pool main: start-ups", kRun), QStringLiteral("37"));
    QCOMPARE(cell(table, "pool main: ready", kRun), QStringLiteral("75 GPU-h"));
    QCOMPARE(cell(table, "pool main: starting", kRun), QStringLiteral("1.75 GPU-h"));
    QCOMPARE(row_of(table, QStringLiteral("pool main: draining")), -1);
    QCOMPARE(row_of(table, QStringLiteral("pool main: failures")), -1);
    QCOMPARE(cell(table, "pool main: up in the long run", kRun), QStringLiteral("98.76 %"));
    QVERIFY(cell(table, "pool main: up in the long run", kNote)
                .contains(QStringLiteral("all 2 for 90 % of the time")));
    QCOMPARE(cell(table, "pool main: up in this run", kRun), QStringLiteral("99.5 %"));
    QCOMPARE(cell(table, "node faults", kRun), QStringLiteral("2"));
    const std::string csv = result_table_csv(changed(scaled)->report, nullptr);
    QVERIFY(csv.find("\npool main: start-ups,count,37,") != std::string::npos);
    QVERIFY(csv.find("\npool main: starting,GPU-h,1.75,") != std::string::npos);
  }

  void a_fleet_that_stays_says_nothing_of_replicas_but_beside_one_that_scales() {
    ResultTableModel table;
    table.show(report_of(changed(steady)), nullptr);
    QCOMPARE(row_of(table, QStringLiteral("pool main: replicas ready")), -1);
    QCOMPARE(row_of(table, QStringLiteral("pool main: ready")), -1);
    table.show(report_of(changed(steady)), report_of(changed(scaled)));
    QCOMPARE(cell(table, "pool main: replicas ready", kRun), QStringLiteral("2"));
    QCOMPARE(cell(table, "pool main: replicas ready", kBaseline), QStringLiteral("3.125"));
    QCOMPARE(cell(table, "pool main: ready", kDifference), QStringLiteral("\u221271 GPU-h"));
  }

  void the_front_tells_how_busy_its_stations_are() {
    ResultTableModel table;
    table.show(report_of(changed([](Summary& summary) {
                 summary.front = {{"tokenizer", 4, 0.5, 1.25, 0.01}};
               })),
               nullptr);
    QCOMPARE(cell(table, "tokenizer: busy", kRun), QStringLiteral("50 %"));
    QCOMPARE(cell(table, "tokenizer: requests in line", kRun), QStringLiteral("1.25"));
  }
};

}  // namespace headway

QTEST_MAIN(headway::ResultsFleetTest)
#include "results_fleet_test.moc"
