#include "gui/window/main_window.hpp"

#include <QCloseEvent>
#include <QFileDialog>
#include <QMessageBox>
#include <QMimeData>
#include <QSplitter>
#include <QStatusBar>

#include "gui/runs/short_run.hpp"
#include "gui/window/recent_files.hpp"
#include "sim/scenario/input_error.hpp"

namespace headway {

namespace {

// Long enough that a drag of a lever does not start a process at every pixel.
constexpr int kPauseMilliseconds = 120;

QString file_filter() {
  return MainWindow::tr("Scenarios (*.yaml *.yml);;All files (*)");
}

}  // namespace

MainWindow::MainWindow(QWidget* parent) : QMainWindow(parent) {
  setAcceptDrops(true);
  make_panes();
  make_file_menu();
  make_edit_menu();
  make_run_menu();
  make_view_menu();
  make_help_menu();
  make_status_bar();
  connect_runs();
  change_.setSingleShot(true);
  change_.setInterval(kPauseMilliseconds);
  connect(&change_, &QTimer::timeout, this, &MainWindow::run_now);
  connect(&document_, &ScenarioDocument::changed, this, &MainWindow::scenario_changed);
  connect(&document_, &ScenarioDocument::path_changed, this, &MainWindow::show_title);
  connect(&document_, &ScenarioDocument::modified_changed, this, &MainWindow::setWindowModified);
  show_title();
  resize(1280, 800);
}

void MainWindow::make_panes() {
  auto* split = new QSplitter(Qt::Horizontal, this);
  scenario_ = new ScenarioPane(&document_, split);
  results_ = new ResultsPane(split);
  runs_ = new RunsPane(split);
  split->setSizes({400, 580, 300});
  split->setStretchFactor(1, 1);
  split->setChildrenCollapsible(false);
  setCentralWidget(split);
}

void MainWindow::make_status_bar() {
  status_ = new QLabel(this);
  status_->setAccessibleName(tr("Status"));
  progress_ = new QProgressBar(this);
  progress_->setAccessibleName(tr("Progress of the run"));
  progress_->setRange(0, 1000);
  progress_->setMaximumWidth(240);
  progress_->setTextVisible(false);
  progress_->hide();
  statusBar()->addWidget(status_, 1);
  statusBar()->addPermanentWidget(progress_);
}

void MainWindow::connect_runs() {
  connect(&scheduler_, &RunScheduler::started, this, [this] {
    results_->set_stale(true);
    cancel_->setEnabled(true);
    progress_->setRange(0, 0);
    progress_->show();
    tell(tr("Running …"));
  });
  connect(&scheduler_, &RunScheduler::progressed, this,
          [this](double fraction, const QString& text) {
            progress_->setRange(0, fraction > 0 ? 1000 : 0);
            progress_->setValue(static_cast<int>(fraction * 1000));
            tell(text);
          });
  connect(&scheduler_, &RunScheduler::result_ready, this, [this](const RunResultPtr& result) {
    results_->show_result(result);
    results_->set_stale(result->request.scenario_text != document_.text());
    if (!result->request.preliminary) runs_->add_result(result);
    tell(result->request.preliminary ? tr("First answer, from a short run") : tr("Done"));
  });
  connect(&scheduler_, &RunScheduler::failed, this,
          [this](const QString& message) { tell(message); });
  connect(&scheduler_, &RunScheduler::cancelled, this, [this] { tell(tr("Cancelled")); });
  connect(&scheduler_, &RunScheduler::ended, this, [this] {
    cancel_->setEnabled(false);
    progress_->hide();
  });
}

bool MainWindow::open_file(const QString& path) {
  try {
    document_.open(path);
  } catch (const InputError& error) {
    tell(QString::fromStdString(error.what()));
    return false;
  }
  add_recent_file(path);
  scenario_->start();
  return true;
}

void MainWindow::choose_file() {
  if (!may_discard()) return;
  const QString path =
      QFileDialog::getOpenFileName(this, tr("Open a scenario"), document_.path(), file_filter());
  if (!path.isEmpty()) open_file(path);
}

bool MainWindow::save() {
  return document_.path().isEmpty() ? save_as() : write(document_.path());
}

bool MainWindow::save_as() {
  const QString path = QFileDialog::getSaveFileName(
      this, tr("Save the scenario"),
      document_.path().isEmpty() ? document_.file_name() : document_.path(), file_filter());
  return !path.isEmpty() && write(path);
}

bool MainWindow::write(const QString& path) {
  try {
    document_.save(path);
  } catch (const RunError& error) {
    QMessageBox::warning(this, tr("The scenario was not saved"),
                         QString::fromStdString(error.what()));
    return false;
  }
  add_recent_file(path);
  tell(tr("Saved"));
  return true;
}

bool MainWindow::may_discard() {
  if (!document_.is_modified()) return true;
  const auto answer = QMessageBox::question(
      this, tr("Unsaved changes"), tr("Save the changes of %1?").arg(document_.file_name()),
      QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, QMessageBox::Save);
  return answer == QMessageBox::Discard || (answer == QMessageBox::Save && save());
}

void MainWindow::closeEvent(QCloseEvent* event) {
  may_discard() ? event->accept() : event->ignore();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  const QList<QUrl> urls = event->mimeData()->urls();
  if (urls.size() == 1 && urls.constFirst().isLocalFile()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  const QString path = event->mimeData()->urls().constFirst().toLocalFile();
  event->acceptProposedAction();
  if (may_discard()) open_file(path);
}

void MainWindow::show_title() {
  setWindowTitle(tr("%1[*] – Headway").arg(document_.file_name()));
}

void MainWindow::scenario_changed() {
  results_->set_stale(document_.text() != run_text_);
  if (automatic_->isChecked() && document_.scenario() && document_.text() != run_text_)
    change_.start();
}

void MainWindow::run_now() {
  change_.stop();
  if (!document_.scenario()) {
    if (document_.fault()) tell(document_.fault()->message);
    return;
  }
  run_text_ = document_.text();
  scheduler_.request({.scenario_text = run_text_, .file = document_.path().toStdString()},
                     short_run_sets(*document_.scenario()));
}

void MainWindow::set_automatic(bool automatic) {
  automatic_->setChecked(automatic);
}

void MainWindow::tell(const QString& message) {
  status_->setText(message);
  status_->setToolTip(message);
}

}  // namespace headway
