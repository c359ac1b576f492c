// usage: gui_screenshots SCENARIO FOLDER
// Opens a scenario, waits for its full run and its trade-off curve, and writes pictures of the
// window at two sizes, light and dark, and beside a baseline of its other plots and of the end of
// its table. A person looks at them; one stands in the README.
#include <QApplication>
#include <QDir>
#include <QEventLoop>
#include <QSplitter>
#include <QTableView>
#include <QTimer>
#include <cstdio>

#include "gui/window/main_window.hpp"

namespace {

QPalette dark_palette() {
  QPalette palette(QColor(45, 45, 48), QColor(37, 37, 40));
  palette.setColor(QPalette::Base, QColor(30, 30, 32));
  palette.setColor(QPalette::AlternateBase, QColor(38, 38, 41));
  palette.setColor(QPalette::Link, QColor(110, 170, 255));
  palette.setColor(QPalette::Highlight, QColor(38, 100, 180));
  palette.setColor(QPalette::HighlightedText, Qt::white);
  palette.setColor(QPalette::ToolTipBase, QColor(60, 60, 64));
  palette.setColor(QPalette::ToolTipText, Qt::white);
  return palette;
}

void wait(int milliseconds) {
  QEventLoop loop;
  QTimer::singleShot(milliseconds, &loop, &QEventLoop::quit);
  loop.exec();
}

bool save(QWidget& window, const QDir& folder, const QString& name) {
  wait(300);
  if (window.grab().save(folder.filePath(name))) return true;
  std::fprintf(stderr, "gui_screenshots: %s cannot be written\n", qPrintable(name));
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  QApplication::setStyle(QStringLiteral("Fusion"));
  if (argc != 3) {
    std::fprintf(stderr, "usage: gui_screenshots SCENARIO FOLDER\n");
    return 2;
  }
  const QDir folder(QString::fromLocal8Bit(argv[2]));
  const QPalette light = QApplication::palette();
  for (const bool dark : {false, true}) {
    QApplication::setPalette(dark ? dark_palette() : light);
    headway::MainWindow window;
    window.show();
    QEventLoop loop;
    QObject::connect(&window.scheduler(), &headway::RunScheduler::ended, &loop, &QEventLoop::quit);
    QTimer::singleShot(30000, &loop, &QEventLoop::quit);
    if (!window.open_file(QString::fromLocal8Bit(argv[1]))) return 2;
    loop.exec();
    headway::ResultsPane& results = window.results_pane();
    QObject::connect(&results.tradeoff()->sweep(), &headway::RateSweep::ended, &loop,
                     &QEventLoop::quit);
    loop.exec();
    const QString look = dark ? QStringLiteral("dark") : QStringLiteral("light");
    for (const QSize size : {QSize(1280, 800), QSize(1920, 1080)}) {
      window.resize(size);
      const QString name =
          QStringLiteral("%1x%2-%3.png").arg(size.width()).arg(size.height()).arg(look);
      if (!save(window, folder, name)) return 3;
    }
    window.resize(1280, 800);
    window.runs_pane().store().set_baseline(0);
    for (int tab = 1; tab < results.tabs()->count(); ++tab) {
      results.tabs()->setCurrentIndex(tab);
      if (!save(window, folder, QStringLiteral("plot%1-%2.png").arg(tab + 1).arg(look))) return 3;
    }
    results.findChild<QSplitter*>()->setSizes({1000, 1});
    results.findChild<QTableView*>()->scrollToBottom();
    if (!save(window, folder, QStringLiteral("table-%1.png").arg(look))) return 3;
  }
  return 0;
}
