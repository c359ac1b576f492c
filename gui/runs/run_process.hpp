// One run as a child process: `headway run - --protocol`, told of by signals.
#pragma once

#include <QObject>
#include <QProcess>
#include <QString>
#include <memory>
#include <string>

#include "gui/runs/run_result.hpp"
#include "sim/report/run_protocol.hpp"

namespace headway {

/// The `headway` program: the environment's HEADWAY, else the one beside this program or where the
/// build puts it, else the one on PATH. Empty when there is none.
QString headway_program();

/// A run that goes. Tells its end by exactly one of finished, failed and cancelled, unless it is
/// destroyed before: then its process is killed. The process ends when this one does.
class RunProcess : public QObject {
  Q_OBJECT

 public:
  explicit RunProcess(RunRequest request, QObject* parent = nullptr);
  ~RunProcess() override;

  const RunRequest& request() const { return result_->request; }

  /// Starts the process; failed() may come at once.
  void start();

  /// Ends the run; cancelled() follows within some 10 ms, failed() where it ended by itself before.
  void cancel();

  /// Ends the run and tells nothing more; the object deletes itself when the process has ended.
  void abandon();

  /// Of the process; 0 while there is none.
  qint64 process_id() const { return process_.processId(); }

 Q_SIGNALS:
  void progressed(const headway::ChildProgress& progress);
  void finished(const headway::RunResultPtr& result);
  /// `message` is for people; `wrong_input` where the scenario is to blame, with its place.
  void failed(const QString& message, bool wrong_input);
  void cancelled();

 private:
  void stop_at_once();
  void read_lines();
  void take(const RunMessage& message);
  void end(int exit_code, QProcess::ExitStatus status);
  void start_failed(QProcess::ProcessError error);
  void read_result(const std::string& summary_json);
  void read_time_line();
  void fail(const QString& message, bool wrong_input);

  std::shared_ptr<RunResult> result_;
  QProcess process_;
  QByteArray pending_;  // of a line whose end has not come
  std::string summary_json_;
  RunMessage::Error error_;
  bool cancelled_ = false, told_ = false;
};

}  // namespace headway
