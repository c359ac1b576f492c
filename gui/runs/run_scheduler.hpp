// The runs of one window, one at a time: the latest request wins.
#pragma once

#include <QObject>
#include <QString>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/runs/run_process.hpp"
#include "gui/runs/run_result.hpp"

namespace headway {

/// Makes the run of the latest request; what went before is given up. A short run comes first where
/// the full one takes long.
class RunScheduler : public QObject {
  Q_OBJECT

 public:
  explicit RunScheduler(QObject* parent = nullptr);
  ~RunScheduler() override;

  /// Starts the run in place of the one that goes. `short_sets` (short_run.hpp) make of the request
  /// a short run; empty: only the full one is made.
  void request(const RunRequest& request, const std::vector<std::string>& short_sets);

  /// Ends what goes, if anything; cancelled() follows.
  void cancel();

  bool running() const { return process_ != nullptr; }
  const RunProcess* process() const { return process_.get(); }

 Q_SIGNALS:
  /// A request was taken: results so far are of another scenario.
  void started();
  /// Of the run that goes; `fraction` is 0 where its end is not known.
  void progressed(double fraction, const QString& text);
  /// The short run (result->request.preliminary), later the full one.
  void result_ready(const headway::RunResultPtr& result);
  void failed(const QString& message, bool wrong_input);
  void cancelled();
  /// Nothing goes any more, after whatever the end was.
  void ended();

 private:
  void start(RunRequest request);
  void give_up();
  void take(const RunResultPtr& result);
  void end();

  std::unique_ptr<RunProcess> process_;
  std::optional<RunRequest> next_;  // the full run that follows the short one
  double full_seconds_;             // that the last full run took
};

}  // namespace headway
