// headway-gui --export: table and plots without a display, with the command line's figures.
#include <fmt/format.h>

#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "gui/runs/run_process.hpp"
#include "sim/report/summary_json.hpp"
#include "tests/gui/example_result.hpp"

namespace headway {
namespace {

struct Ended {
  int code = -1;
  QString errors;
};

// The program as from a shell without a display.
Ended desktop(const QStringList& arguments) {
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
    environment.remove(QLatin1String(name));
  process.setProcessEnvironment(environment);
  process.start(qEnvironmentVariable("HEADWAY_GUI"), arguments);
  process.waitForFinished(90000);
  return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
          QString::fromUtf8(process.readAllStandardError())};
}

QByteArray bytes_of(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// The value of a figure in table.csv.
double value_in(const QByteArray& table, const char* figure) {
  for (const QByteArray& line : table.split('\n'))
    if (line.startsWith(QByteArray(figure) + ',')) return line.split(',')[2].toDouble();
  return -1;
}

}  // namespace

class ResultsExportTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QFile file(scenario());
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(station_text()));
  }

  void the_figures_are_those_of_the_command_line() {
    const QString out = folder_.filePath(QStringLiteral("out"));
    const Ended ended = desktop({scenario(), QStringLiteral("--export"), out});
    QVERIFY2(ended.code == 0, qPrintable(ended.errors));
    QVERIFY(ended.errors.contains(QStringLiteral("trade-off curve: run 1 of 9")));
    QCOMPARE(QDir(out).entryList(QDir::Files | QDir::Hidden),
             (QStringList{QStringLiteral("distribution.csv"), QStringLiteral("distribution.png"),
                          QStringLiteral("distribution.svg"), QStringLiteral("table.csv"),
                          QStringLiteral("timeline.csv"), QStringLiteral("timeline.png"),
                          QStringLiteral("timeline.svg"), QStringLiteral("tradeoff.csv"),
                          QStringLiteral("tradeoff.png"), QStringLiteral("tradeoff.svg")}));
    QProcess process;
    process.start(headway_program(), {QStringLiteral("run"), scenario(), QStringLiteral("--json")});
    process.waitForFinished();
    const Summary summary =
        parse_summary(process.readAllStandardOutput().toStdString(), "the command line").summary;
    const QByteArray table = bytes_of(out + QStringLiteral("/table.csv"));
    QCOMPARE(value_in(table, "E2E mean"), summary.latencies.e2e.mean.value);
    QCOMPARE(value_in(table, "E2E p99"), summary.latencies.e2e.p99.value);
    QCOMPARE(value_in(table, "queue time p50"), summary.latencies.queue.p50.value);
    QCOMPARE(value_in(table, "requests achieved"), summary.achieved_per_second);
    QCOMPARE(value_in(table, "good requests"), summary.good_share);
    const QByteArray curve = bytes_of(out + QStringLiteral("/tradeoff.csv"));
    QVERIFY(curve.contains(
        QByteArray::fromStdString(fmt::format(",{},", summary.latencies.e2e.p99.value))));
  }

  void wrong_input_and_a_folder_that_cannot_be_written_have_their_exit_codes() {
    const QString out = folder_.filePath(QStringLiteral("none"));
    Ended ended = desktop({QStringLiteral("missing.yaml"), QStringLiteral("--export"), out});
    QCOMPARE(ended.code, 2);
    QVERIFY(ended.errors.contains(QStringLiteral("headway-gui: missing.yaml: ")));
    QVERIFY(!QDir(out).exists());
    ended = desktop({scenario(), QStringLiteral("--export"), scenario() + QStringLiteral("/x")});
    QCOMPARE(ended.code, 3);
    ended = desktop({QStringLiteral("--export"), out});
    QCOMPARE(ended.code, 2);
    QVERIFY(ended.errors.contains(QStringLiteral("--export needs a SCENARIO")));
  }

 private:
  QString scenario() const { return folder_.filePath(QStringLiteral("station.yaml")); }

  QTemporaryDir folder_;
};

}  // namespace headway

QTEST_MAIN(headway::ResultsExportTest)
#include "results_export_test.moc"
