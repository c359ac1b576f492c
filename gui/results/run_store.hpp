// The runs that are kept: a Qt model over plain records, newest first.
#pragma once

#include <QAbstractTableModel>
#include <QDateTime>
#include <QString>
#include <deque>

#include "gui/runs/run_result.hpp"

namespace headway {

/// A full run that ended with figures. Scenario text, seed and summary are in its result.
struct RunRecord {
  RunResultPtr result;
  QString name;
  QDateTime finished;
  bool kept = false;  // stays until it is deleted; others make room for newer ones
};

/// The name of a run by what its scenario says otherwise than another one's: "rate 40 /s, replicas
/// 3". Empty where nothing differs, where more than three values do, or where a text is no
/// document.
QString changed_values(const std::string& from, const std::string& to);

/// Runs by row, newest first; the result files of a run go with its row. One may be the baseline,
/// which is kept too.
class RunStore : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kName, kFinished, kLatency, kCost, kColumns };
  /// Runs that are not kept: at most so many, since each holds its result files.
  static constexpr int kMostUnkept = 12;

  explicit RunStore(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

  /// Takes a run as the first row, named by what differs from the baseline's scenario, or from the
  /// oldest run's. Runs that are too many go, oldest first.
  void add(const RunResultPtr& result);

  const RunRecord& record(int row) const { return records_[static_cast<std::size_t>(row)]; }
  void rename(int row, const QString& name);
  void set_kept(int row, bool kept);
  /// Also the baseline: then there is none.
  void remove(int row);

  /// Makes a run the baseline; -1: none.
  void set_baseline(int row);
  /// -1: none.
  int baseline_row() const;
  /// Null: none.
  const RunResultPtr& baseline() const { return baseline_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  /// Names can be edited.
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 Q_SIGNALS:
  void baseline_changed();

 private:
  QString new_name(const RunResultPtr& result) const;
  void make_room();
  void row_changed(int row);

  std::deque<RunRecord> records_;
  RunResultPtr baseline_;
};

}  // namespace headway
