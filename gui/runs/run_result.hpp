// What the desktop asks of a run, and what it has of one that ended: plain data that panes share.
#pragma once

#include <QTemporaryDir>
#include <memory>
#include <string>
#include <vector>

#include "sim/report/report.hpp"

namespace headway {

/// A run to be made.
struct RunRequest {
  std::string scenario_text;      // YAML
  std::string file;               // that the text stands for: in messages; relative paths start
                                  // from its folder. Need not be there
  std::vector<std::string> sets;  // arguments of --set
  bool preliminary = false;       // a shortened run, for a first answer
  bool background = false;        // at low priority, and for its figures alone: no result files
};

/// A run that ended with figures. Never changed once made.
struct RunResult {
  RunRequest request;
  Report report;                                // with the time line
  std::shared_ptr<const QTemporaryDir> folder;  // the result files; removed with the last result;
                                                // null of a background run

  /// Paths of the result files (sim/README.md).
  QString requests_csv() const { return folder->filePath(QStringLiteral("requests.csv")); }
  QString summary_json() const { return folder->filePath(QStringLiteral("summary.json")); }
  QString timeseries_csv() const { return folder->filePath(QStringLiteral("timeseries.csv")); }
};

using RunResultPtr = std::shared_ptr<const RunResult>;

}  // namespace headway
