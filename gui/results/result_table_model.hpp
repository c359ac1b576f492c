// The result table: figures of a run beside those of the baseline, and their differences.
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <memory>
#include <vector>

#include "gui/results/result_rows.hpp"

namespace headway {

/// A row for each figure that the run or the baseline has. The columns of the baseline are empty
/// without one.
class ResultTableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kFigure, kRun, kBaseline, kDifference, kRelative, kNote, kColumns };

  explicit ResultTableModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

  /// Either may be null.
  void show(std::shared_ptr<const Report> run, std::shared_ptr<const Report> baseline);
  bool has_baseline() const { return baseline_ != nullptr; }

  /// The table as text in columns, or as CSV: format `headway.table` (gui/README.md).
  QString text() const;
  QString csv() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Row : ComparedRow {
    std::optional<FigureDifference> difference;
  };
  static std::vector<Row> rows_of(const Report* run, const Report* baseline);
  static QString note_of(const Row& row);
  QString cell(const Row& row, int column) const;

  std::shared_ptr<const Report> run_, baseline_;
  std::vector<Row> rows_;
};

}  // namespace headway
