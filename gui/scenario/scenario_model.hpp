// The scenario as a tree of keys and values for Qt's views.
#pragma once

#include <QAbstractItemModel>
#include <memory>

#include "gui/scenario/form_item.hpp"
#include "gui/scenario/scenario_document.hpp"

namespace headway {

/// Every key of the schema, with its value in the text or its default. Values are changed in the
/// text, and come back from it; rows that stay keep their indexes.
class ScenarioModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Column { kKey, kValue, kRange, kColumns };
  enum Role {
    kGivenRole = Qt::UserRole,  // bool: stands in the text, rather than at its default
    kFaultRole                  // QString: what is wrong with the value; empty: nothing
  };

  explicit ScenarioModel(ScenarioDocument* document, QObject* parent = nullptr);
  ~ScenarioModel() override;

  const FormItem& item(const QModelIndex& index) const;
  /// The row of a value by its place; invalid where there is none.
  QModelIndex find(const NodePath& path) const;

  /// Changes a value; false, with refused(), where that cannot be done in the text as it is
  /// written. `merge` as in ScenarioDocument::apply.
  bool set_value(const QModelIndex& index, const QString& value, const QString& merge = {});
  /// Takes a key out of the text.
  bool reset_to_default(const QModelIndex& index);
  bool can_reset(const QModelIndex& index) const;
  /// For items of lists.
  bool duplicate(const QModelIndex& index);
  bool remove(const QModelIndex& index);
  bool can_duplicate(const QModelIndex& index) const;
  bool can_remove(const QModelIndex& index) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& child) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation,
                      int role = Qt::DisplayRole) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 Q_SIGNALS:
  /// A change was not made; why, for people.
  void refused(const QString& message);

 private:
  void refresh();
  void update(FormItem& old, FormItem& fresh, const QModelIndex& index);
  void update_children(FormItem& old, FormItem& fresh, const QModelIndex& index);
  void find_fault();
  QString fault_of(const FormItem& item) const;
  QModelIndex index_of(const FormItem& item, int column = 0) const;
  QVariant display(const FormItem& item, int column) const;
  bool make(const std::function<TextEdit()>& edit, const QString& merge = {});

  ScenarioDocument* document_;
  std::unique_ptr<FormItem> root_;
  const FormItem* faulty_ = nullptr;
};

}  // namespace headway
