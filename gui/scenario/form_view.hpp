// The scenario as a form: a tree of keys with editors, and a field that finds keys.
#pragma once

#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QTreeView>
#include <QWidget>

#include "gui/scenario/scenario_model.hpp"

namespace headway {

class FormView : public QWidget {
  Q_OBJECT

 public:
  explicit FormView(ScenarioModel* model, QWidget* parent = nullptr);

  QTreeView* tree() { return tree_; }
  QSortFilterProxyModel* filter() { return filter_; }
  /// Moves the keyboard to the field that finds keys.
  void find_key();
  /// Opens the rows that the text has, and closes what is all at its defaults.
  void unfold_given();
  /// The model's row under the cursor.
  QModelIndex current() const;

 Q_SIGNALS:
  /// The user wants this value as a lever.
  void pin_wanted(const QModelIndex& index);

 private:
  void show_menu(const QPoint& at);
  void make_actions();
  void update_actions();
  void unfold(const QModelIndex& parent);
  void unfold_to(const QModelIndex& index);

  ScenarioModel* model_;
  QSortFilterProxyModel* filter_;
  QLineEdit* find_;
  QTreeView* tree_;
  QAction *pin_, *reset_, *duplicate_, *remove_;
};

}  // namespace headway
