#include "gui/window/main_window.hpp"

#include <QCloseEvent>
#include <QFileDialog>
#include <QMessageBox>
#include <QMimeData>
#include <QSettings>
#include <QStatusBar>
#include <QVBoxLayout>

#include "gui/runs/short_run.hpp"
#include "gui/scenario/new_scenario.hpp"
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
  start_new();
  resize(1280, 800);
}

void MainWindow::make_panes() {
  auto* const centre = new QWidget(this);
  warning_ = new QLabel(centre);
  warning_->setAccessibleName(tr("Warning"));
  warning_->setWordWrap(true);
  warning_->setTextFormat(Qt::PlainText);
  warning_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  warning_->setMargin(6);
  warning_->setFrameStyle(QFrame::StyledPanel);
  warning_->hide();
  split_ = new QSplitter(Qt::Horizontal, centre);
  scenario_ = new ScenarioPane(&document_, split_);
  results_ = new ResultsPane(split_);
  runs_ = new RunsPane(split_);
  split_->setSizes({400, 580, 300});
  split_->setStretchFactor(0, 1);
  split_->setStretchFactor(1, 3);
  split_->setStretchFactor(2, 1);
  split_->setChildrenCollapsible(false);
  auto* const layout = new QVBoxLayout(centre);
  layout->setContentsMargins(4, 4, 4, 0);
  layout->addWidget(warning_);
  layout->addWidget(split_, 1);
  setCentralWidget(centre);
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
    warn({});
    results_->set_stale(true);
    results_->set_busy(true);
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
    show_whether_stale();
    if (!result->request.preliminary) runs_->add_result(result);
    tell(result->request.preliminary ? tr("First answer, from a short run") : tr("Done"));
  });
  connect(&scheduler_, &RunScheduler::failed, this, [this](const QString& message) {
    tell(tr("The run failed"));
    warn(message);
  });
  connect(&scheduler_, &RunScheduler::cancelled, this, [this] { tell(tr("Cancelled")); });
  connect(&scheduler_, &RunScheduler::ended, this, [this] {
    cancel_->setEnabled(false);
    progress_->hide();
    results_->set_busy(false);
    show_whether_stale();
  });
  connect(&runs_->store(), &RunStore::baseline_changed, this,
          [this] { results_->show_baseline(runs_->store().baseline()); });
  connect(runs_, &RunsPane::run_picked, this, [this](const RunResultPtr& result) {
    results_->show_result(result);
    show_whether_stale();
  });
}

void MainWindow::show_whether_stale() {
  results_->set_stale(results_->result() &&
                      results_->result()->request.scenario_text != document_.text());
}

bool MainWindow::open_file(const QString& path) {
  try {
    document_.open(path);
  } catch (const InputError& error) {
    tell(tr("The file was not opened"));
    warn(QString::fromStdString(error.what()));
    return false;
  }
  warn({});
  add_recent_file(path);
  scenario_->start();
  return true;
}

void MainWindow::start_new() {
  document_.set_text(new_scenario(), {});
  warn({});
  scenario_->start();
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
  if (!may_discard()) return event->ignore();
  QSettings settings;
  settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
  settings.setValue(QStringLiteral("window/split"), split_->saveState());
  event->accept();
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
  show_whether_stale();
  if (automatic_->isChecked() && document_.scenario() && document_.text() != run_text_)
    change_.start();
}

void MainWindow::run_now() {
  change_.stop();
  if (!document_.scenario()) {
    tell(tr("Not run: the scenario has a fault"));
    if (document_.fault()) warn(document_.fault()->message);
    return;
  }
  run_text_ = document_.text();
  scheduler_.request({.scenario_text = run_text_, .file = document_.path().toStdString()},
                     short_run_sets(*document_.scenario()));
}

void MainWindow::restore_layout() {
  const QSettings settings;
  restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
  split_->restoreState(settings.value(QStringLiteral("window/split")).toByteArray());
}

void MainWindow::set_automatic(bool automatic) {
  automatic_->setChecked(automatic);
}

void MainWindow::tell(const QString& message) {
  status_->setText(message);
  status_->setToolTip(message);
}

void MainWindow::warn(const QString& message) {
  warning_->setText(message);
  warning_->setVisible(!message.isEmpty());
}

}  // namespace headway
