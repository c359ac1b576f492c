// Runs of the desktop as child processes: the same figures as the command line's, the latest
// request wins, and what goes wrong is told.
#include <QSignalSpy>
#include <QTest>
#include <csignal>

#include "gui/runs/run_process.hpp"
#include "gui/runs/run_scheduler.hpp"
#include "sim/report/summary_json.hpp"

namespace headway {
namespace {

constexpr const char* kStation = R"(headway: 1
name: one server
workload:
  - class: work
    arrivals: {poisson: {rate: 500 /s}}
fleet:
  - pool: server
    service: {time: {exponential: {mean: 1 ms}}}
run: {duration: 100 s}
)";

RunRequest station(std::vector<std::string> sets = {}) {
  return {.scenario_text = kStation, .file = "station.yaml", .sets = std::move(sets)};
}

RunRequest endless() {
  return station({"run.duration=100 d"});
}

// What the command line says of the same scenario.
Report by_command_line() {
  QProcess process;
  process.start(headway_program(),
                {QStringLiteral("run"), QStringLiteral("-"), QStringLiteral("--json")});
  process.write(kStation);
  process.closeWriteChannel();
  process.waitForFinished();
  return parse_summary(process.readAllStandardOutput().toStdString(), "the command line");
}

}  // namespace

class RunsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_run_gives_the_figures_of_the_command_line() {
    RunProcess run(station());
    QSignalSpy finished(&run, &RunProcess::finished);
    run.start();
    QVERIFY(finished.wait());
    const auto result = finished[0][0].value<RunResultPtr>();
    const Summary mine = result->report.summary, theirs = by_command_line().summary;
    QCOMPARE(mine.latencies.e2e.mean.value, theirs.latencies.e2e.mean.value);
    QCOMPARE(mine.latencies.e2e.p99.value, theirs.latencies.e2e.p99.value);
    QCOMPARE(mine.counts.arrived, theirs.counts.arrived);
    QVERIFY(!mine.timeline.buckets.empty());
    QVERIFY(QFile::exists(result->requests_csv()));
  }

  void what_is_wrong_with_a_scenario_is_told_with_its_place() {
    RunRequest wrong = station();
    wrong.scenario_text += "rnu: 1\n";
    RunProcess run(wrong);
    QSignalSpy failed(&run, &RunProcess::failed);
    run.start();
    QVERIFY(failed.wait());
    QVERIFY(failed[0][0].toString().startsWith(QStringLiteral("station.yaml:10:1: unknown key")));
    QCOMPARE(failed[0][1].toBool(), true);
  }

  void a_cancelled_run_ends_and_says_so() {
    RunProcess run(endless());
    QSignalSpy progressed(&run, &RunProcess::progressed), cancelled(&run, &RunProcess::cancelled),
        finished(&run, &RunProcess::finished);
    run.start();
    QVERIFY(progressed.wait());
    run.cancel();
    QVERIFY(cancelled.wait());
    QCOMPARE(finished.size(), 0);
  }

  void a_killed_run_is_told_of() {
    RunProcess run(endless());
    QSignalSpy progressed(&run, &RunProcess::progressed), failed(&run, &RunProcess::failed);
    run.start();
    QVERIFY(progressed.wait());
    ::kill(static_cast<pid_t>(run.process_id()), SIGKILL);
    QVERIFY(failed.wait());
    QVERIFY(failed[0][0].toString().contains(QStringLiteral("killed")));
    QCOMPARE(failed[0][1].toBool(), false);
  }

  void without_the_program_there_is_a_message() {
    qputenv("HEADWAY", "/nonexistent/headway");
    RunProcess run(station());
    QSignalSpy failed(&run, &RunProcess::failed);
    run.start();
    QVERIFY(failed.size() == 1 || failed.wait());
    QVERIFY(failed[0][0].toString().startsWith(
        QStringLiteral("/nonexistent/headway cannot be started")));
    qputenv("HEADWAY", program_);
  }

  void the_short_run_comes_before_the_full_one() {
    RunScheduler scheduler;
    QSignalSpy ready(&scheduler, &RunScheduler::result_ready),
        ended(&scheduler, &RunScheduler::ended);
    scheduler.request(station(), {"run.duration=10 s"});
    QVERIFY(ended.wait());
    QCOMPARE(ready.size(), 2);
    const auto first = ready[0][0].value<RunResultPtr>(),
               second = ready[1][0].value<RunResultPtr>();
    QVERIFY(first->request.preliminary && !second->request.preliminary);
    QCOMPARE(first->report.summary.load_seconds, 10.0);
    QCOMPARE(second->report.summary.load_seconds, 100.0);
  }

  void of_two_requests_the_later_one_is_answered() {
    RunScheduler scheduler;
    QSignalSpy ready(&scheduler, &RunScheduler::result_ready),
        failed(&scheduler, &RunScheduler::failed), ended(&scheduler, &RunScheduler::ended);
    scheduler.request(endless(), {});
    QTest::qWait(100);
    scheduler.request(station(), {});
    QVERIFY(ended.wait());
    QCOMPARE(ready.size(), 1);
    QCOMPARE(failed.size(), 0);
    QCOMPARE(ready[0][0].value<RunResultPtr>()->report.summary.load_seconds, 100.0);
  }

  void a_window_that_goes_takes_its_runs_along() {
    qint64 process = 0;
    {
      RunScheduler scheduler;
      QSignalSpy progressed(&scheduler, &RunScheduler::progressed);
      scheduler.request(endless(), {});
      QVERIFY(progressed.wait());
      process = scheduler.process()->process_id();
    }
    QVERIFY(::kill(static_cast<pid_t>(process), 0) != 0);
  }

 private:
  QByteArray program_ = qgetenv("HEADWAY");
};

}  // namespace headway

QTEST_MAIN(headway::RunsTest)
#include "runs_test.moc"
