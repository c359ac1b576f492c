// Looking up the cells of a result table by the names of their rows.
#pragma once

#include <QString>
#include <memory>

#include "gui/results/result_table_model.hpp"
#include "gui/runs/run_result.hpp"

namespace headway {

inline std::shared_ptr<const Report> report_of(const RunResultPtr& result) {
  return {result, &result->report};
}

/// -1 where no row has this name.
inline int row_of(const ResultTableModel& table, const QString& figure) {
  for (int row = 0; row < table.rowCount(); ++row)
    if (table.index(row, ResultTableModel::kFigure).data().toString() == figure) return row;
  return -1;
}

/// Empty where no row has this name.
inline QString cell(const ResultTableModel& table, const char* figure, int column) {
  return table.index(row_of(table, QLatin1String(figure)), column).data().toString();
}

}  // namespace headway
