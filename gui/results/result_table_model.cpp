#include "gui/results/result_table_model.hpp"

#include <QFont>
#include <QSize>

#include "gui/results/figure_text.hpp"
#include "gui/results/result_table_csv.hpp"
#include "sim/report/table_text.hpp"

namespace headway {

std::vector<ResultTableModel::Row> ResultTableModel::rows_of(const Report* run,
                                                             const Report* baseline) {
  std::vector<Row> rows;
  if (run == nullptr) return rows;
  for (ComparedRow& row : compared_rows(*run, baseline)) {
    const auto change = difference(row.run, row.baseline);
    rows.push_back({std::move(row), change});
  }
  return rows;
}

void ResultTableModel::show(std::shared_ptr<const Report> run,
                            std::shared_ptr<const Report> baseline) {
  std::vector<Row> rows = rows_of(run.get(), baseline.get());
  run_ = std::move(run);
  const bool other_columns = (baseline != nullptr) != (baseline_ != nullptr);
  baseline_ = std::move(baseline);
  if (rows.size() == rows_.size() && !rows.empty()) {  // selection and scroll position stay
    rows_ = std::move(rows);
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
  } else {
    beginResetModel();
    rows_ = std::move(rows);
    endResetModel();
  }
  if (other_columns) Q_EMIT headerDataChanged(Qt::Horizontal, 0, kColumns - 1);
}

QString ResultTableModel::note_of(const Row& row) {
  QStringList notes;
  using Meaning = FigureDifference::Meaning;
  if (row.difference && row.difference->absolute != 0 && row.difference->meaning == Meaning::within)
    notes << tr("within the intervals");
  if (!row.run.note.isEmpty()) notes << row.run.note;
  if (!row.baseline.note.isEmpty() && row.baseline.note != row.run.note)
    notes << tr("baseline: %1").arg(row.baseline.note);
  return notes.join(QStringLiteral("; "));
}

QString ResultTableModel::cell(const Row& row, int column) const {
  switch (column) {
    case kFigure:
      return row.label;
    case kRun:
      return figure_text(row.run, row.unit);
    case kBaseline:
      return baseline_ ? figure_text(row.baseline, row.unit) : QString();
    case kDifference:
      return row.difference ? difference_text(*row.difference, row.unit) : QString();
    case kRelative:
      return row.difference ? relative_text(*row.difference) : QString();
    default:
      return note_of(row);
  }
}

QString ResultTableModel::text() const {
  std::string text;
  const int last = baseline_ ? kNote : kRun;
  const auto line = [&](auto&& cell_text) {
    std::string out;
    for (int column = 0; column <= last; ++column) {
      const std::string cell = cell_text(column).toStdString();
      out +=
          column == kFigure || column == kNote ? left("  " + cell, 32).substr(2) : right(cell, 20);
      if (column == kRelative) out += "  ";
    }
    while (out.ends_with(' ')) out.pop_back();
    text += out + "\n";
  };
  line([&](int column) { return headerData(column, Qt::Horizontal, Qt::DisplayRole).toString(); });
  for (const Row& row : rows_) line([&](int column) { return cell(row, column); });
  return QString::fromStdString(text);
}

QString ResultTableModel::csv() const {
  return run_ ? QString::fromStdString(result_table_csv(*run_, baseline_.get())) : QString();
}

int ResultTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int ResultTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QVariant ResultTableModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
    return {};
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  const int column = index.column();
  switch (role) {
    case Qt::DisplayRole:
      return cell(row, column);
    case Qt::ToolTipRole: {
      const QString note = note_of(row);
      return note.isEmpty() ? cell(row, column) : cell(row, column) + QLatin1Char('\n') + note;
    }
    case Qt::AccessibleTextRole:
      return QStringList{row.label, cell(row, column), note_of(row)}.join(QStringLiteral(", "));
    case Qt::TextAlignmentRole: {
      const bool words = column == kFigure || column == kNote;
      return QVariant::fromValue(
          Qt::Alignment((words ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    }
    case Qt::SizeHintRole:  // words do not widen a column of figures: they stand in the headline
                            // too
      return row.unit == FigureUnit::words && column != kFigure ? QVariant(QSize(40, 1))
                                                                : QVariant();
    case Qt::FontRole: {
      QFont font;
      const bool counts =
          row.difference && row.difference->meaning == FigureDifference::Meaning::significant;
      font.setBold(counts && (column == kDifference || column == kRelative));
      font.setItalic(column == kRun && row.run.half_width && !row.run.converged);
      return font;
    }
    default:
      return {};
  }
}

QVariant ResultTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case kFigure:
      return tr("Figure");
    case kRun:
      return tr("This run");
    case kBaseline:
      return tr("Baseline");
    case kDifference:
      return tr("Difference");
    case kRelative:
      return tr("in %");
    default:
      return tr("To be known");
  }
}

}  // namespace headway
