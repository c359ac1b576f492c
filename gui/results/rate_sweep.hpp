// Makes trade-off curves: one run after the other as child processes of low priority, which give
// way to the runs of the window.
#pragma once

#include <QObject>
#include <QString>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "gui/results/rate_curve.hpp"
#include "gui/runs/run_process.hpp"

namespace headway {

/// Load and bound of a scenario, from `headway check --json` as a child process. Tells its end by
/// exactly one of finished and failed; destroyed before, the process is killed.
class CheckProcess : public QObject {
  Q_OBJECT

 public:
  explicit CheckProcess(const RunRequest& request, QObject* parent = nullptr);
  ~CheckProcess() override;

 Q_SIGNALS:
  void finished(const headway::CheckReport& check);
  void failed(const QString& message);

 private:
  void end(QProcess::ExitStatus status);

  QProcess process_;
};

using RateCurvePtr = std::shared_ptr<const RateCurve>;

/// One curve at a time; curves that were made are kept by the text of their scenario.
class RateSweep : public QObject {
  Q_OBJECT

 public:
  explicit RateSweep(QObject* parent = nullptr);
  ~RateSweep() override;

  /// Makes the curve of a scenario, in place of the one that is being made; one that is complete is
  /// told of again.
  void start(const RunRequest& request);
  /// Ends it; the points so far stay as they were told.
  void cancel();
  /// Waits with the next point, and gives up the one that goes, while true.
  void set_paused(bool paused);

  bool running() const { return scenario_ != nullptr; }
  /// Of this scenario text, complete; null: none.
  RateCurvePtr curve(const std::string& scenario_text) const;

 Q_SIGNALS:
  /// A point was added (or all are there: curve->complete).
  void changed(const headway::RateCurvePtr& curve);
  void progressed(int done, int all);
  void failed(const QString& message);
  /// Nothing goes any more, after whatever the end was.
  void ended();

 private:
  void check();
  void take_check(const CheckReport& check);
  void next_point();
  void take_point(double factor, const RunResultPtr& result);
  void fail(const QString& message);
  void finish();
  void stop_children();

  RunRequest request_;
  std::shared_ptr<const Scenario> scenario_;  // null: nothing goes
  std::optional<CheckReport> check_;
  RateCurve curve_;
  std::vector<double> waiting_;  // factors still to be run, rising
  int refined_ = 0;
  bool paused_ = false;
  std::unique_ptr<CheckProcess> checking_;
  std::unique_ptr<RunProcess> process_;
  std::deque<RateCurvePtr> made_;  // latest first
};

}  // namespace headway
