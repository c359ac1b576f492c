#include "gui/runs/run_process.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>
#include <QTimer>
#include <csignal>

#include "sim/report/summary_json.hpp"
#include "sim/report/timeseries_csv.hpp"
#include "sim/scenario/input_error.hpp"

namespace headway {

namespace {

constexpr int kEndMilliseconds = 2000;
constexpr int kBackgroundNiceness = 10;

QString text_of(const std::string& text) {
  return QString::fromStdString(text);
}

// Of what a process that gave no answer wrote on its standard error: the last line.
QString last_words(QProcess& process) {
  const QString text = QString::fromUtf8(process.readAllStandardError()).trimmed();
  return text.section(QLatin1Char('\n'), -1);
}

}  // namespace

QString headway_program() {
  const QString named = qEnvironmentVariable("HEADWAY");
  if (!named.isEmpty()) return named;
  const QDir here(QCoreApplication::applicationDirPath());
  for (const char* path : {"headway", "../headway"}) {
    const QFileInfo file(here.filePath(QLatin1String(path)));
    if (file.isFile() && file.isExecutable()) return file.canonicalFilePath();
  }
  return QStandardPaths::findExecutable(QStringLiteral("headway"));
}

RunProcess::RunProcess(RunRequest request, QObject* parent)
    : QObject(parent), result_(std::make_shared<RunResult>()) {
  result_->request = std::move(request);
  connect(&process_, &QProcess::readyReadStandardOutput, this, &RunProcess::read_lines);
  connect(&process_, &QProcess::finished, this, &RunProcess::end);
  connect(&process_, &QProcess::errorOccurred, this, &RunProcess::start_failed);
  // A run whose desktop is gone is no use to anyone.
  const bool background = result_->request.background;
  process_.setChildProcessModifier([background] {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (background) static_cast<void>(::nice(kBackgroundNiceness));
  });
}

RunProcess::~RunProcess() {
  process_.disconnect(this);
  if (process_.state() == QProcess::NotRunning) return;
  stop_at_once();
  if (!process_.waitForFinished(kEndMilliseconds)) {
    process_.kill();
    process_.waitForFinished(kEndMilliseconds);
  }
}

// One signal asks for the results so far, a second one for an end at once, which takes the run's
// own process along and leaves no file. Two of a kind might count as one.
void RunProcess::stop_at_once() {
  const auto process = static_cast<pid_t>(process_.processId());
  if (process <= 0) return;
  ::kill(process, SIGTERM);
  ::kill(process, SIGINT);
}

void RunProcess::start() {
  const QString program = headway_program();
  if (program.isEmpty())
    return fail(tr("the program headway was not found; expected it beside headway-gui, on PATH, "
                   "or named by the variable HEADWAY"),
                false);
  const RunRequest& wanted = request();
  QStringList arguments = {QStringLiteral("run"), QStringLiteral("-"),
                           QStringLiteral("--protocol")};
  if (!wanted.background) {
    auto folder = std::make_shared<QTemporaryDir>();
    if (!folder->isValid())
      return fail(tr("no temporary folder for a run: %1").arg(folder->errorString()), false);
    result_->folder = folder;
    arguments << QStringLiteral("--out") << folder->path();
  }
  if (!wanted.file.empty()) arguments << QStringLiteral("--as") << text_of(wanted.file);
  for (const std::string& set : wanted.sets) arguments << QStringLiteral("--set") << text_of(set);
  process_.start(program, arguments);
  process_.write(wanted.scenario_text.data(), static_cast<qint64>(wanted.scenario_text.size()));
  process_.closeWriteChannel();
}

void RunProcess::cancel() {
  if (told_ || process_.state() == QProcess::NotRunning) return;
  cancelled_ = true;
  stop_at_once();
}

void RunProcess::abandon() {
  told_ = true;
  if (process_.state() == QProcess::NotRunning) return deleteLater();
  setParent(QCoreApplication::instance());
  process_.disconnect(this);
  connect(&process_, &QProcess::finished, this, &QObject::deleteLater);
  connect(&process_, &QProcess::errorOccurred, this, &QObject::deleteLater);
  stop_at_once();
  QTimer::singleShot(kEndMilliseconds, &process_, &QProcess::kill);
}

void RunProcess::read_lines() {
  pending_ += process_.readAllStandardOutput();
  qsizetype begin = 0;
  for (qsizetype line_end; (line_end = pending_.indexOf('\n', begin)) >= 0; begin = line_end + 1)
    take(parse_run_line(std::string_view(pending_.constData() + begin,
                                         static_cast<std::size_t>(line_end - begin))));
  pending_.remove(0, begin);
}

void RunProcess::take(const RunMessage& message) {
  if (message.progress && !cancelled_) Q_EMIT progressed(*message.progress);
  if (message.result) summary_json_ = *message.result;
  if (message.error) error_ = *message.error;
}

void RunProcess::end(int exit_code, QProcess::ExitStatus status) {
  read_lines();
  if (told_) return;
  if (cancelled_) {
    told_ = true;
    Q_EMIT cancelled();
  } else if (!error_.text.empty()) {
    fail(text_of(error_.text), error_.wrong_input);
  } else if (status == QProcess::CrashExit) {
    fail(tr("the run's process was killed or crashed before it gave a result"), false);
  } else if (summary_json_.empty()) {
    const QString words = last_words(process_);
    fail(tr("the run's process ended with exit code %1 and without a result%2")
             .arg(exit_code)
             .arg(words.isEmpty() ? QString() : QStringLiteral(": ") + words),
         false);
  } else {
    read_result(summary_json_);
  }
}

void RunProcess::start_failed(QProcess::ProcessError error) {
  if (error == QProcess::FailedToStart)
    fail(tr("%1 cannot be started: %2").arg(process_.program(), process_.errorString()), false);
}

void RunProcess::read_result(const std::string& summary_json) {
  try {
    result_->report = parse_summary(summary_json, "the run's result");
    if (result_->folder) read_time_line();
  } catch (const InputError& error) {
    return fail(text_of(error.what()), false);
  }
  told_ = true;
  Q_EMIT finished(result_);
}

void RunProcess::read_time_line() {
  // The trace is for another program, and the largest of the files.
  QFile::remove(result_->folder->filePath(QStringLiteral("trace.json")));
  QFile series(result_->timeseries_csv());
  if (!series.open(QIODevice::ReadOnly))
    throw InputError(
        (series.fileName() + QStringLiteral(": ") + series.errorString()).toStdString());
  result_->report.summary.timeline =
      parse_timeseries(series.readAll().toStdString(), series.fileName().toStdString());
}

void RunProcess::fail(const QString& message, bool wrong_input) {
  if (told_) return;
  told_ = true;
  // Where the process was killed, its child ends in a moment, and may be writing until then.
  QTimer::singleShot(kEndMilliseconds, QCoreApplication::instance(),
                     [folder = std::exchange(result_->folder, nullptr)] {});
  Q_EMIT failed(message, wrong_input);
}

}  // namespace headway
