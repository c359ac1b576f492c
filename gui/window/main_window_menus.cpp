// The window's menus: everything that the window can do, each with a key.
#include <QApplication>
#include <QMenuBar>
#include <QMessageBox>

#include "gui/window/main_window.hpp"
#include "gui/window/recent_files.hpp"
#include "sim/report/version.hpp"

namespace headway {

namespace {

QAction* add(QMenu* menu, const QString& text, const QKeySequence& keys) {
  QAction* action = menu->addAction(text);
  action->setShortcut(keys);
  return action;
}

}  // namespace

void MainWindow::make_file_menu() {
  QMenu* menu = menuBar()->addMenu(tr("&File"));
  connect(add(menu, tr("&New"), QKeySequence::New), &QAction::triggered, this, [this] {
    if (may_discard()) start_new();
  });
  connect(add(menu, tr("&Open …"), QKeySequence::Open), &QAction::triggered, this,
          &MainWindow::choose_file);
  recent_ = menu->addMenu(tr("Open &recent"));
  connect(recent_, &QMenu::aboutToShow, this, &MainWindow::fill_recent_menu);
  menu->addSeparator();
  connect(add(menu, tr("&Save"), QKeySequence::Save), &QAction::triggered, this, &MainWindow::save);
  connect(add(menu, tr("Save &as …"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S)),
          &QAction::triggered, this, &MainWindow::save_as);
  menu->addSeparator();
  connect(add(menu, tr("&Export the plot …"), QKeySequence(Qt::CTRL | Qt::Key_E)),
          &QAction::triggered, this, [this] { results_->export_plot(); });
  connect(add(menu, tr("Export the &table …"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E)),
          &QAction::triggered, this, [this] { results_->export_table(); });
  menu->addSeparator();
  connect(add(menu, tr("&Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q)), &QAction::triggered, this,
          &MainWindow::close);
}

void MainWindow::fill_recent_menu() {
  recent_->clear();
  for (const QString& path : recent_files())
    connect(recent_->addAction(path), &QAction::triggered, this, [this, path] {
      if (may_discard()) open_file(path);
    });
  if (recent_->isEmpty()) recent_->addAction(tr("None yet"))->setEnabled(false);
  recent_->addSeparator();
  connect(recent_->addAction(tr("&Forget these")), &QAction::triggered, this, forget_recent_files);
}

void MainWindow::make_edit_menu() {
  QMenu* menu = menuBar()->addMenu(tr("&Edit"));
  QTextDocument* text = document_.text_document();
  QAction* undo = add(menu, tr("&Undo"), QKeySequence::Undo);
  QAction* redo = add(menu, tr("&Redo"), QKeySequence::Redo);
  connect(undo, &QAction::triggered, text, [text] { text->undo(); });
  connect(redo, &QAction::triggered, text, [text] { text->redo(); });
  connect(text, &QTextDocument::undoAvailable, undo, &QAction::setEnabled);
  connect(text, &QTextDocument::redoAvailable, redo, &QAction::setEnabled);
  undo->setEnabled(false);
  redo->setEnabled(false);
}

void MainWindow::make_run_menu() {
  QMenu* menu = menuBar()->addMenu(tr("&Run"));
  connect(add(menu, tr("&Run"), QKeySequence(Qt::Key_F5)), &QAction::triggered, this,
          &MainWindow::run_now);
  cancel_ = add(menu, tr("&Cancel"), QKeySequence(Qt::Key_Escape));
  cancel_->setEnabled(false);
  connect(cancel_, &QAction::triggered, &scheduler_, &RunScheduler::cancel);
  menu->addSeparator();
  automatic_ = add(menu, tr("Run at every c&hange"), QKeySequence(Qt::CTRL | Qt::Key_R));
  automatic_->setCheckable(true);
  automatic_->setChecked(true);
  connect(automatic_, &QAction::toggled, &change_, &QTimer::stop);
}

void MainWindow::make_view_menu() {
  QMenu* menu = menuBar()->addMenu(tr("&View"));
  const auto go = [&](const QString& text, Qt::Key key, auto focus) {
    connect(add(menu, text, QKeySequence(Qt::CTRL | key)), &QAction::triggered, this, focus);
  };
  go(tr("Go to the &form"), Qt::Key_1, [this] { scenario_->form()->setFocus(); });
  go(tr("Go to the &YAML"), Qt::Key_2, [this] { scenario_->editor()->setFocus(); });
  go(tr("Go to the r&esults"), Qt::Key_3, [this] { results_->setFocus(); });
  go(tr("Go to the r&uns"), Qt::Key_4, [this] { runs_->setFocus(); });
  go(tr("Go to the &plot"), Qt::Key_5, [this] { results_->current_plot()->setFocus(); });
  go(tr("Find a &key"), Qt::Key_F, [this] { scenario_->form()->find_key(); });
  menu->addSeparator();
  connect(add(menu, tr("Go to the f&ault"), QKeySequence(Qt::Key_F8)), &QAction::triggered, this,
          [this] { scenario_->editor()->go_to_fault(); });
}

void MainWindow::make_help_menu() {
  QMenu* menu = menuBar()->addMenu(tr("&Help"));
  connect(add(menu, tr("&About Headway"), {}), &QAction::triggered, this, &MainWindow::show_about);
  connect(menu->addAction(tr("About &Qt")), &QAction::triggered, qApp, &QApplication::aboutQt);
}

void MainWindow::show_about() {
  QMessageBox::about(
      this, tr("About Headway"),
      tr("Headway %1\n\nHow many GPUs, of which kind, run how, for a load and a promise to users, "
         "and what a request costs.\n\nThis program uses Qt (LGPL) and QCustomPlot (GPL), and is "
         "distributed under the GNU General Public License, version 3 or later. The sources of "
         "Headway are under the Apache License 2.0.")
          .arg(QLatin1String(kVersion)));
}

}  // namespace headway
