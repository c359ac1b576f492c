// Plots: the figures that they draw are those of the result files, at any size and look, and where
// there are none they say what to do.
#include <fmt/format.h>

#include <QImage>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

#include "gui/results/distribution_plot.hpp"
#include "gui/results/export_file.hpp"
#include "gui/results/rate_sweep.hpp"
#include "gui/results/results_pane.hpp"
#include "gui/results/runs_pane.hpp"
#include "gui/results/timeline_plot.hpp"
#include "gui/results/tradeoff_plot.hpp"
#include "sim/scenario/input_error.hpp"
#include "tests/gui/example_result.hpp"

namespace headway {
namespace {

RunResultPtr run(const RunRequest& request) {
  RunProcess process(request);
  QSignalSpy finished(&process, &RunProcess::finished);
  process.start();
  return finished.wait(20000) ? finished[0][0].value<RunResultPtr>() : nullptr;
}

RunRequest station(std::vector<std::string> sets = {}) {
  return {.scenario_text = station_text(), .file = "station.yaml", .sets = std::move(sets)};
}

std::shared_ptr<const Report> report_of(const RunResultPtr& result) {
  return {result, &result->report};
}

// Colours that a picture has.
qsizetype colours_of(const QByteArray& png) {
  const QImage image = QImage::fromData(png).convertToFormat(QImage::Format_RGB32);
  QSet<QRgb> colours;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) colours.insert(image.pixel(x, y));
  return colours.size();
}

bool is_xml(const QByteArray& text) {
  QXmlStreamReader reader(text);
  while (!reader.atEnd()) reader.readNext();
  return !text.isEmpty() && !reader.hasError();
}

}  // namespace

class ResultsPlotsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    result_ = run(station());
    QVERIFY(result_);
  }

  void a_plot_without_a_run_says_what_to_do() {
    TradeoffPlot tradeoff;
    DistributionPlot distribution;
    TimelinePlot timeline;
    for (PlotView* plot : std::initializer_list<PlotView*>{&tradeoff, &distribution, &timeline}) {
      QVERIFY(plot->empty_text().contains(QStringLiteral("F5")));
      QVERIFY(!plot->accessibleName().isEmpty());
      QCOMPARE(plot->accessibleDescription(), plot->empty_text());
      QVERIFY(plot->csv().empty());
      QVERIFY(!plot->png(QSize(320, 200)).isEmpty());
    }
  }

  // Of 1,000 samples of 1 s to 1,000 s, 990 are at most 990 s long.
  void a_curve_of_shares_ends_with_the_largest_sample() {
    std::vector<double> samples;
    for (int i = 1000; i > 0; --i) samples.push_back(i);
    const CumulativeCurve curve = cumulative_curve(samples);
    QCOMPARE(curve.count, std::int64_t{1000});
    QCOMPARE(curve.seconds.front(), 1.0);
    QCOMPARE(curve.seconds.back(), 1000.0);
    QCOMPARE(curve.share.back(), 1.0);
    for (std::size_t i = 0; i < curve.seconds.size(); ++i)
      QCOMPARE(curve.share[i], curve.seconds[i] / 1000);
    const CumulativeCurve large = cumulative_curve(std::vector<double>(1000000, 1.0));
    QVERIFY(large.seconds.size() < 4000);
    QCOMPARE(large.share.back(), 1.0);
    QVERIFY(cumulative_curve({}).seconds.empty());
  }

  void the_distribution_is_of_the_samples_that_the_summary_is_made_of() {
    const LatencyDistribution distribution = read_distribution(*result_);
    const Figures& e2e = result_->report.summary.latencies.e2e;
    QCOMPARE(distribution.e2e.count, e2e.count);
    QVERIFY(std::abs(distribution.e2e.seconds.back() - e2e.max) < 1e-9);
    const auto at =
        std::lower_bound(distribution.e2e.share.begin(), distribution.e2e.share.end(), 0.99) -
        distribution.e2e.share.begin();
    QVERIFY(std::abs(distribution.e2e.seconds[at] / e2e.p99.value - 1) < 0.005);
    QCOMPARE(distribution.tpot.count, std::int64_t{0});
  }

  void the_distribution_plot_has_curves_of_run_and_baseline() {
    const auto read = std::make_shared<const LatencyDistribution>(read_distribution(*result_));
    DistributionPlot plot;
    plot.show_kind(LatencyKind::e2e);
    plot.show_run({result_, read});
    QCOMPARE(plot.graphCount(), 1);
    QVERIFY(plot.words().contains(QStringLiteral("p99")));
    plot.show_baseline({result_, read});
    QCOMPARE(plot.graphCount(), 2);
    QVERIFY(plot.csv().find("\nbaseline,") != std::string::npos);
    plot.show_kind(LatencyKind::tpot);
    QVERIFY(plot.empty_text().contains(QStringLiteral("TPOT")));
  }

  void the_time_line_draws_every_bucket_of_the_file() {
    TimelinePlot plot;
    plot.show_result(report_of(result_));
    const Timeline& line = result_->report.summary.timeline;
    QCOMPARE(plot.graphCount(), 5);  // a station has no KV memory
    QCOMPARE(static_cast<std::size_t>(plot.graph(0)->dataCount()), line.buckets.size());
    double arrivals = 0;
    for (int i = 0; i < plot.graph(0)->dataCount(); ++i)
      arrivals += plot.graph(0)->dataMainValue(i) * line.bucket_seconds;
    QVERIFY(std::abs(arrivals - static_cast<double>(result_->report.summary.counts.arrived)) <
            0.01);
  }

  void the_time_line_shows_replicas_that_come_and_go_and_what_fails() {
    TimelinePlot plot;
    Report report = result_->report;
    std::vector<Timeline::Bucket>& buckets = report.summary.timeline.buckets;
    buckets[1].ready = 0;
    buckets[2].timeouts = buckets[2].losses = 5;
    plot.show_result(std::make_shared<const Report>(report));
    QCOMPARE(plot.graphCount(), 8);  // failures, replicas ready, replicas paid for
    const std::string start = fmt::format("\n{},", 2 * report.summary.timeline.bucket_seconds);
    const std::string csv = plot.csv(), line = csv.substr(csv.find(start) + 1);
    QVERIFY(line.substr(0, line.find('\n'))
                .ends_with(fmt::format(",{},1,1", 10 / report.summary.timeline.bucket_seconds)));
  }

  void pictures_are_drawn_light_and_dark() {
    TimelinePlot plot;
    plot.show_result(report_of(result_));
    const QByteArray light = plot.png(QSize(640, 400));
    QVERIFY(colours_of(light) > 20);
    QVERIFY(is_xml(plot.svg(QSize(640, 400))));
    QPalette dark;
    dark.setColor(QPalette::Base, QColor(30, 30, 30));
    dark.setColor(QPalette::Text, Qt::white);
    plot.setPalette(dark);
    const QByteArray night = plot.png(QSize(640, 400));
    QCOMPARE(QImage::fromData(night).pixelColor(2, 2), QColor(30, 30, 30));
    QVERIFY(light != night);
    QVERIFY(plot.png(QSize(100000, 100000)).isEmpty());
  }

  void zoom_is_taken_back_by_a_key() {
    TimelinePlot plot;
    plot.show_result(report_of(result_));
    QCPAxis* time = plot.axisRects().first()->axis(QCPAxis::atBottom);
    const QCPRange all = time->range();
    QTest::keyClick(&plot, Qt::Key_Plus);
    QVERIFY(time->range().size() < all.size());
    QCOMPARE(plot.axisRects().last()->axis(QCPAxis::atBottom)->range(), time->range());
    QTest::keyClick(&plot, Qt::Key_Home);
    QCOMPARE(time->range(), all);
  }

  // An M/M/1 queue at 1/(1 ms) takes 1/(1000 − rate) s: 2 ms at its own load, and more at each
  // larger one, up to the bound of 1,000 a second.
  void the_curve_of_a_station_rises_to_its_bound() {
    RateSweep sweep;
    QSignalSpy changed(&sweep, &RateSweep::changed), ended(&sweep, &RateSweep::ended),
        failed(&sweep, &RateSweep::failed);
    sweep.start(station());
    QVERIFY(ended.wait(60000));
    QCOMPARE(failed.size(), 0);
    const RateCurvePtr curve = changed.back()[0].value<RateCurvePtr>();
    QVERIFY(curve->complete);
    QCOMPARE(curve->bound_per_second, 1000.0);
    QCOMPARE(curve->scenario_text, station_text());
    QVERIFY(curve->points.size() >= 9);
    double before = 0;
    for (const RatePoint& point : curve->points) {
      const Summary& summary = point.report->summary;
      const double rate = 500 * point.factor;
      QVERIFY(std::abs(summary.offered_per_second / rate - 1) < 0.05);
      if (rate <= 860)
        QVERIFY(std::abs(summary.latencies.e2e.mean.value * (1000 - rate) - 1) < 0.25);
      QVERIFY(summary.latencies.e2e.mean.value > before);
      before = summary.latencies.e2e.mean.value;
    }
    QCOMPARE(sweep.curve(station_text()), curve);

    TradeoffPlot plot;
    plot.show_choice(LatencyKind::e2e, LatencyStatistic::p99, ThroughputKind::requests);
    plot.show_run({curve, report_of(result_), false}, scenario_of(station()));
    QVERIFY(plot.words().contains(QStringLiteral("requests/s, E2E p99")));
    const QString csv = QString::fromStdString(plot.csv());
    QCOMPARE(csv.count(QStringLiteral("\ncurve,")), static_cast<qsizetype>(curve->points.size()));
    QCOMPARE(csv.count(QStringLiteral("\nrun,1,")), 1);
    QVERIFY(is_xml(plot.svg(kPictureSize)));
  }

  void a_curve_waits_while_the_window_runs_and_can_be_ended() {
    RateSweep sweep;
    QSignalSpy changed(&sweep, &RateSweep::changed), ended(&sweep, &RateSweep::ended);
    sweep.set_paused(true);
    sweep.start(station());
    QTest::qWait(300);
    QCOMPARE(changed.size(), 0);
    QVERIFY(sweep.running());
    sweep.set_paused(false);
    QVERIFY(changed.wait(20000));
    sweep.cancel();
    QCOMPARE(ended.size(), 1);
    QVERIFY(!sweep.running());
    QVERIFY(!sweep.curve(station_text()));
  }

  void what_is_wrong_with_a_curve_is_told() {
    RateSweep sweep;
    QSignalSpy failed(&sweep, &RateSweep::failed), ended(&sweep, &RateSweep::ended);
    RunRequest wrong = station();
    wrong.scenario_text += "rnu: 1\n";
    sweep.start(wrong);
    QVERIFY(ended.size() == 1 || ended.wait());
    QVERIFY(failed[0][0].toString().contains(QStringLiteral("unknown key 'rnu'")));
  }

  void plots_are_written_in_the_form_of_the_name() {
    TimelinePlot plot;
    const QTemporaryDir folder;
    QVERIFY_THROWS_EXCEPTION(RunError, write_plot(plot, folder.filePath(QStringLiteral("x.csv"))));
    plot.show_result(report_of(result_));
    for (const char* name : {"x.png", "x.svg", "x.csv"}) {
      write_plot(plot, folder.filePath(QLatin1String(name)));
      QVERIFY(QFileInfo(folder.filePath(QLatin1String(name))).size() > 1000);
    }
    QVERIFY_THROWS_EXCEPTION(InputError, write_plot(plot, QStringLiteral("x.pdf")));
    QVERIFY_THROWS_EXCEPTION(RunError, write_plot(plot, QStringLiteral("/nonexistent/x.png")));
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden).size(), 3);
  }

  void the_panes_show_a_result_and_its_baseline() {
    ResultsPane pane;
    RunsPane runs;
    connect(&runs.store(), &RunStore::baseline_changed, &pane,
            [&] { pane.show_baseline(runs.store().baseline()); });
    pane.resize(600, 700);
    pane.show();
    pane.show_result(result_);
    runs.add_result(result_);
    runs.view()->setCurrentIndex(runs.store().index(0, 0));
    QVERIFY(pane.table_view()->isColumnHidden(ResultTableModel::kBaseline));
    runs.switch_baseline();
    QVERIFY(!pane.table_view()->isColumnHidden(ResultTableModel::kBaseline));
    pane.tabs()->setCurrentWidget(pane.distribution());
    QSignalSpy drawn(pane.distribution(), &DistributionPane::drawn);
    QVERIFY(drawn.size() == 1 || drawn.wait());
    runs.switch_baseline();
    QVERIFY(pane.table_view()->isColumnHidden(ResultTableModel::kBaseline));
    pane.copy_table_as_text();
    pane.copy_table_as_csv();
  }

 private:
  RunResultPtr result_;
};

}  // namespace headway

QTEST_MAIN(headway::ResultsPlotsTest)
#include "results_plots_test.moc"
