// A session at the window, as a person has it: open, edit, run, cancel, and what goes wrong.
#include <QAccessible>
#include <QDropEvent>
#include <QMessageBox>
#include <QMimeData>
#include <QSignalSpy>
#include <QTest>
#include <csignal>

#include "gui/window/main_window.hpp"
#include "gui/window/recent_files.hpp"
#include "sim/report/summary_json.hpp"

namespace headway {
namespace {

QString chatbot() {
  return QStringLiteral(HEADWAY_SOURCE_DIR "/scenarios/chatbot.yaml");
}

/// A window with a scenario in a folder of its own.
struct OpenWindow {
  QTemporaryDir folder;
  QString path = folder.filePath(QStringLiteral("chat.yaml"));
  MainWindow window;
  QSignalSpy ready{&window.scheduler(), &RunScheduler::result_ready};
  QSignalSpy ended{&window.scheduler(), &RunScheduler::ended};

  OpenWindow() {
    QFile::copy(chatbot(), path);
    QFile(path).setPermissions(QFile::ReadOwner | QFile::WriteOwner);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    window.set_automatic(false);
    QVERIFY(window.open_file(path));
  }

  /// Keys go to the window that is in front; without a display it is not told that it is.
  void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
    for (QAction* action : window.findChildren<QAction*>())
      if (action->shortcut() == QKeySequence(modifiers | key)) return action->trigger();
    QFAIL("no such shortcut");
  }
  void set(const QString& path_of_value, const QString& value) {
    ScenarioModel& model = *window.scenario_pane().model();
    std::function<bool(const QModelIndex&)> search = [&](const QModelIndex& parent) {
      for (int row = 0; row < model.rowCount(parent); ++row) {
        const QModelIndex index = model.index(row, ScenarioModel::kKey, parent);
        if (model.item(index).set_path() == path_of_value) {
          return model.setData(index.siblingAtColumn(ScenarioModel::kValue), value);
        }
        if (search(index)) return true;
      }
      return false;
    };
    QVERIFY(search({}));
  }
  /// The figures of the full run that comes next.
  Report next_result() {
    while (ended.isEmpty() && ended.wait(60000)) {
    }
    if (ended.isEmpty() || ready.isEmpty()) return {};
    const Report report = ready.last()[0].value<RunResultPtr>()->report;
    ready.clear();
    ended.clear();
    return report;
  }
};

/// What `headway run` says of a file.
Report by_command_line(const QString& path) {
  QProcess process;
  process.start(headway_program(), {QStringLiteral("run"), path, QStringLiteral("--json")});
  process.waitForFinished(60000);
  return parse_summary(process.readAllStandardOutput().toStdString(), "the command line");
}

/// Answers the next question that the window asks.
void answer(QMessageBox::StandardButton button) {
  QTimer::singleShot(200, qApp, [button] {
    auto* const box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
    if (box) box->button(button)->click();
  });
}

}  // namespace

class SessionTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void what_is_edited_and_run_has_the_figures_of_the_command_line() {
    OpenWindow session;
    session.set(QStringLiteral("fleet.main.replicas"), QStringLiteral("3"));
    session.set(QStringLiteral("run.duration"), QStringLiteral("10 min"));
    session.press(Qt::Key_F5);
    const Summary mine = session.next_result().summary;
    QCOMPARE(session.window.status(), QStringLiteral("Done"));
    QVERIFY(session.window.isWindowModified());
    session.press(Qt::Key_S, Qt::ControlModifier);
    QVERIFY(!session.window.isWindowModified());
    const Summary theirs = by_command_line(session.path).summary;
    QCOMPARE(mine.pools[0].replicas, 3);
    QCOMPARE(mine.latencies.ttft.mean.value, theirs.latencies.ttft.mean.value);
    QCOMPARE(mine.latencies.e2e.p99.value, theirs.latencies.e2e.p99.value);
    QCOMPARE(*mine.cost.usd_per_request, *theirs.cost.usd_per_request);
  }

  void a_lever_starts_a_run_by_itself() {
    OpenWindow session;
    session.window.set_automatic(true);
    session.window.scenario_pane().levers()->slider(0)->setValue(20);
    const Summary slower = session.next_result().summary;
    QVERIFY(slower.offered_per_second > 15 && slower.offered_per_second < 25);
  }

  void a_run_is_cancelled_by_escape() {
    OpenWindow session;
    session.set(QStringLiteral("run.duration"), QStringLiteral("100 d"));
    session.press(Qt::Key_F5);
    QTest::qWait(300);
    session.press(Qt::Key_Escape);
    QVERIFY(!session.ended.isEmpty() || session.ended.wait(20000));
    QCOMPARE(session.window.status(), QStringLiteral("Cancelled"));
    QVERIFY(!session.window.scheduler().running());
  }

  void a_killed_run_is_told_of_and_the_next_one_works() {
    OpenWindow session;
    session.set(QStringLiteral("run.duration"), QStringLiteral("100 d"));
    session.press(Qt::Key_F5);
    QTest::qWait(300);
    QVERIFY(session.window.scheduler().running());
    ::kill(static_cast<pid_t>(session.window.scheduler().process()->process_id()), SIGKILL);
    QVERIFY(!session.ended.isEmpty() || session.ended.wait(20000));
    QVERIFY2(session.window.warning().contains(QStringLiteral("killed")),
             qPrintable(session.window.warning()));
    session.ended.clear();
    session.set(QStringLiteral("run.duration"), QStringLiteral("1 min"));
    session.press(Qt::Key_F5);
    QVERIFY(session.next_result().summary.counts.arrived > 1000);
    QVERIFY(session.window.warning().isEmpty());
  }

  void a_file_that_is_no_scenario_is_told_of() {
    OpenWindow session;
    const QString before = QString::fromStdString(session.window.document().text());
    QVERIFY(!session.window.open_file(session.folder.filePath(QStringLiteral("none.yaml"))));
    QVERIFY(session.window.warning().endsWith(QStringLiteral("none.yaml: no such file")));
    QCOMPARE(QString::fromStdString(session.window.document().text()), before);

    const QString picture = session.folder.filePath(QStringLiteral("picture.png"));
    QFile file(picture);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16));
    file.close();
    QVERIFY(session.window.open_file(picture));
    session.press(Qt::Key_F5);
    QVERIFY2(session.window.warning().contains(QStringLiteral("expected a YAML file")),
             qPrintable(session.window.warning()));
    QVERIFY(session.ready.isEmpty());
  }

  void unsaved_changes_are_asked_about() {
    OpenWindow session;
    session.set(QStringLiteral("fleet.main.replicas"), QStringLiteral("3"));
    answer(QMessageBox::Cancel);
    QVERIFY(!session.window.close());
    answer(QMessageBox::Save);
    QVERIFY(session.window.close());
    ScenarioDocument saved;
    saved.open(session.path);
    QCOMPARE(saved.scenario()->fleet[0].replicas, 3);
  }

  void a_file_that_is_dropped_is_opened() {
    OpenWindow session;
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(chatbot())});
    QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&session.window, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&session.window, &drop);
    QCOMPARE(session.window.document().path(), chatbot());
    QVERIFY(session.window.windowTitle().startsWith(QStringLiteral("chatbot.yaml")));
    QCOMPARE(recent_files().first(), chatbot());
  }

  void a_scenario_stays_whole_where_it_cannot_be_saved() {
    OpenWindow session;
    session.set(QStringLiteral("fleet.main.replicas"), QStringLiteral("3"));
    try {
      session.window.document().save(QStringLiteral("/nonexistent/chat.yaml"));
      QFAIL("saved");
    } catch (const RunError& error) {
      QVERIFY(
          QString::fromLatin1(error.what()).startsWith(QStringLiteral("/nonexistent/chat.yaml:")));
    }
    QVERIFY(session.window.document().is_modified());
  }

  void everything_that_takes_the_keyboard_has_a_name() {
    OpenWindow session;
    for (const QWidget* widget : session.window.findChildren<QWidget*>()) {
      const QByteArray type = widget->metaObject()->className();
      const bool inner = type.startsWith("qt_") || type == "QScrollBar" ||
                         widget->objectName().startsWith(QStringLiteral("qt_")) ||
                         qobject_cast<const QAbstractSpinBox*>(widget->parentWidget());
      if (widget->focusPolicy() == Qt::NoFocus || inner || widget->focusProxy()) continue;
      QAccessibleInterface* const told = QAccessible::queryAccessibleInterface(
          const_cast<QWidget*>(widget));  // as a screen reader is told
      QVERIFY2(told && !told->text(QAccessible::Name).isEmpty(), type.constData());
    }
  }
};

}  // namespace headway

QTEST_MAIN(headway::SessionTest)
#include "session_test.moc"
