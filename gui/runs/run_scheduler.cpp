#include "gui/runs/run_scheduler.hpp"

#include <fmt/format.h>

namespace headway {

namespace {

// A full run that is as quick as this needs no short one before it.
constexpr double kQuickSeconds = 0.5;

QString progress_text(const ChildProgress& progress, bool preliminary) {
  const QString what = preliminary ? RunScheduler::tr("short run") : RunScheduler::tr("full run");
  const QString requests = QLocale(QLocale::English).toString(qlonglong{progress.offered});
  return RunScheduler::tr("%1: %2 simulated, %3 requests")
      .arg(what,
           QString::fromStdString(format_quantity(progress.simulated_seconds, Dimension::time)),
           requests);
}

}  // namespace

RunScheduler::RunScheduler(QObject* parent) : QObject(parent), full_seconds_(2 * kQuickSeconds) {}

RunScheduler::~RunScheduler() = default;

void RunScheduler::request(const RunRequest& request, const std::vector<std::string>& short_sets) {
  give_up();
  Q_EMIT started();
  if (short_sets.empty() || full_seconds_ < kQuickSeconds) {
    next_.reset();
    return start(request);
  }
  next_ = request;
  RunRequest first = request;
  first.preliminary = true;
  first.sets.insert(first.sets.end(), short_sets.begin(), short_sets.end());
  start(std::move(first));
}

void RunScheduler::cancel() {
  next_.reset();
  if (process_) process_->cancel();
}

void RunScheduler::start(RunRequest request) {
  process_ = std::make_unique<RunProcess>(std::move(request));
  connect(process_.get(), &RunProcess::progressed, this, [this](const ChildProgress& progress) {
    Q_EMIT progressed(progress.fraction, progress_text(progress, process_->request().preliminary));
  });
  connect(process_.get(), &RunProcess::finished, this, &RunScheduler::take);
  connect(process_.get(), &RunProcess::failed, this,
          [this](const QString& message, bool wrong_input) {
            end();
            Q_EMIT failed(message, wrong_input);
            Q_EMIT ended();
          });
  connect(process_.get(), &RunProcess::cancelled, this, [this] {
    end();
    Q_EMIT cancelled();
    Q_EMIT ended();
  });
  process_->start();
}

void RunScheduler::take(const RunResultPtr& result) {
  end();
  if (!result->request.preliminary) full_seconds_ = result->report.provenance.wall_seconds;
  Q_EMIT result_ready(result);
  if (running()) return;  // whoever took the result has asked for another
  if (next_) {
    const RunRequest full = *std::exchange(next_, std::nullopt);
    start(full);
  } else {
    Q_EMIT ended();
  }
}

// The process that goes is told to end, and goes when it has: waiting for it would hold the window.
void RunScheduler::give_up() {
  if (process_) process_.release()->abandon();
}

// Called from the process's own signal.
void RunScheduler::end() {
  process_.release()->deleteLater();
}

}  // namespace headway
