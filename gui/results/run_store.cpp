#include "gui/results/run_store.hpp"

#include <QFont>
#include <algorithm>

#include "sim/report/table_text.hpp"

namespace headway {

namespace {

constexpr TableStyle kStyle{.colour = false, .unicode = true};

QString text_of(const std::string& text) {
  return QString::fromStdString(text);
}

// TTFT where there is one.
QString latency_text(const Summary& summary) {
  const bool tokens = summary.latencies.tpot.count > 0;
  const Figures& figures = tokens ? summary.latencies.ttft : summary.latencies.e2e;
  if (figures.unstable) return RunStore::tr("unstable");
  return figures.count > 0 ? text_of(seconds_text(figures.p99.value, {}, kStyle))
                           : QStringLiteral("-");
}

QString cost_text(const Cost& cost) {
  return cost.known && cost.gpus > 0 ? text_of(number_text(cost.usd_per_hour))
                                     : QStringLiteral("-");
}

QString description(const RunRecord& record, bool baseline) {
  const Report& report = record.result->report;
  QString text = RunStore::tr("%1\n%2, seed %3\n%4: %5")
                     .arg(record.name, text_of(report.summary.scenario))
                     .arg(report.facts.seed)
                     .arg(QLatin1String(verdict_name(report.summary.stability.verdict)),
                          text_of(report.summary.stability.reason));
  if (record.kept) text += RunStore::tr("\nkept until it is deleted");
  if (baseline) text += RunStore::tr("\nthe baseline");
  return text;
}

}  // namespace

void RunStore::add(const RunResultPtr& result) {
  RunRecord record{result, new_name(result), QDateTime::currentDateTime()};
  beginInsertRows({}, 0, 0);
  records_.push_front(std::move(record));
  endInsertRows();
  make_room();
}

QString RunStore::new_name(const RunResultPtr& result) const {
  const QString plain = text_of(result->report.summary.scenario);
  const RunResultPtr& from = baseline_           ? baseline_
                             : !records_.empty() ? records_.back().result
                                                 : result;
  if (from->report.summary.scenario != result->report.summary.scenario) return plain;
  const QString changes =
      changed_values(from->request.scenario_text, result->request.scenario_text);
  return changes.isEmpty() ? plain : changes;
}

void RunStore::make_room() {
  int unkept = 0;
  for (const RunRecord& record : records_) unkept += record.kept ? 0 : 1;
  for (int row = rowCount() - 1; row > 0 && unkept > kMostUnkept; --row) {
    if (record(row).kept) continue;
    remove(row);
    --unkept;
  }
}

void RunStore::rename(int row, const QString& name) {
  records_[static_cast<std::size_t>(row)].name = name;
  row_changed(row);
}

void RunStore::set_kept(int row, bool kept) {
  RunRecord& record = records_[static_cast<std::size_t>(row)];
  record.kept = kept || record.result == baseline_;
  row_changed(row);
}

void RunStore::remove(int row) {
  const bool was_baseline = row == baseline_row();
  beginRemoveRows({}, row, row);
  records_.erase(records_.begin() + row);
  if (was_baseline) baseline_.reset();
  endRemoveRows();
  if (was_baseline) Q_EMIT baseline_changed();
}

void RunStore::set_baseline(int row) {
  const int before = baseline_row();
  if (row == before) return;
  baseline_ = row < 0 ? nullptr : record(row).result;
  if (row >= 0) set_kept(row, true);
  if (before >= 0) row_changed(before);
  Q_EMIT baseline_changed();
}

int RunStore::baseline_row() const {
  if (!baseline_) return -1;
  const auto found = std::find_if(records_.begin(), records_.end(), [&](const RunRecord& record) {
    return record.result == baseline_;
  });
  return found == records_.end() ? -1 : static_cast<int>(found - records_.begin());
}

void RunStore::row_changed(int row) {
  Q_EMIT dataChanged(index(row, 0), index(row, kColumns - 1));
}

int RunStore::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(records_.size());
}

int RunStore::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QVariant RunStore::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
    return {};
  const RunRecord& at = record(index.row());
  const bool baseline = index.row() == baseline_row();
  if (role == Qt::ToolTipRole || role == Qt::AccessibleDescriptionRole)
    return description(at, baseline);
  if (role == Qt::FontRole && baseline) {
    QFont font;
    font.setBold(true);
    return font;
  }
  if (role == Qt::TextAlignmentRole && index.column() != kName)
    return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
  if (role == Qt::EditRole && index.column() == kName) return at.name;
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case kName:
      return (baseline  ? tr("baseline: %1")
              : at.kept ? tr("kept: %1")
                        : QStringLiteral("%1"))
          .arg(at.name);
    case kFinished:
      return at.finished.toString(QStringLiteral("HH:mm:ss"));
    case kLatency:
      return latency_text(at.result->report.summary);
    default:
      return cost_text(at.result->report.summary.cost);
  }
}

bool RunStore::setData(const QModelIndex& index, const QVariant& value, int role) {
  const QString name = value.toString().trimmed();
  if (role != Qt::EditRole || index.column() != kName || name.isEmpty() || !checkIndex(index))
    return false;
  rename(index.row(), name);
  return true;
}

Qt::ItemFlags RunStore::flags(const QModelIndex& index) const {
  const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
  return index.column() == kName ? flags | Qt::ItemIsEditable : flags;
}

QVariant RunStore::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::ToolTipRole && section == kLatency)
    return tr("p99 of TTFT; of E2E where there are no tokens");
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case kName:
      return tr("Run");
    case kFinished:
      return tr("Ended");
    case kLatency:
      return tr("p99");
    default:
      return tr("USD/h");
  }
}

}  // namespace headway
