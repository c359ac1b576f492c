// The window: scenario at the left, results in the centre, runs at the right.
#pragma once

#include <QAction>
#include <QLabel>
#include <QMainWindow>
#include <QMenu>
#include <QProgressBar>
#include <QSplitter>
#include <QTimer>

#include "gui/results/results_pane.hpp"
#include "gui/results/runs_pane.hpp"
#include "gui/runs/run_scheduler.hpp"
#include "gui/scenario/scenario_document.hpp"
#include "gui/scenario/scenario_pane.hpp"

namespace headway {

class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  explicit MainWindow(QWidget* parent = nullptr);

  /// Opens a scenario in place of the one that is there. False, with a message in the window, where
  /// the file cannot be read.
  bool open_file(const QString& path);

  ScenarioDocument& document() { return document_; }
  RunScheduler& scheduler() { return scheduler_; }
  ScenarioPane& scenario_pane() { return *scenario_; }
  ResultsPane& results_pane() { return *results_; }
  RunsPane& runs_pane() { return *runs_; }
  /// What the window last said of a run, and what it warns of.
  QString status() const { return status_->text(); }
  QString warning() const { return warning_->text(); }

  /// Runs the scenario as it is now; a message tells what is wrong with it where it cannot be run.
  void run_now();
  /// Size and places of the panes as they were left; saved when the window closes.
  void restore_layout();
  /// Whether a change of the scenario starts a run by itself.
  void set_automatic(bool automatic);

 protected:
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void make_panes();
  void make_file_menu();
  void make_edit_menu();
  void make_run_menu();
  void make_view_menu();
  void make_help_menu();
  void make_status_bar();
  void connect_runs();

  void start_new();
  void choose_file();
  bool save();
  bool save_as();
  bool write(const QString& path);
  /// False where the user wants to keep what is there.
  bool may_discard();
  void fill_recent_menu();
  void show_title();
  void scenario_changed();
  void show_whether_stale();
  void show_about();
  /// In the status bar, until the next.
  void tell(const QString& message);
  /// Above the panes, until the next run or scenario; an empty one goes.
  void warn(const QString& message);

  ScenarioDocument document_;
  RunScheduler scheduler_;
  QTimer change_;  // runs out when edits pause
  ScenarioPane* scenario_ = nullptr;
  ResultsPane* results_ = nullptr;
  RunsPane* runs_ = nullptr;
  QSplitter* split_ = nullptr;
  QLabel* warning_ = nullptr;
  QMenu* recent_ = nullptr;
  QAction* automatic_ = nullptr;
  QAction* cancel_ = nullptr;
  QLabel* status_ = nullptr;
  QProgressBar* progress_ = nullptr;
  std::string run_text_;  // of the latest request
};

}  // namespace headway
