#include "gui/scenario/form_view.hpp"

#include <QAction>
#include <QHeaderView>
#include <QMenu>
#include <QVBoxLayout>

#include "gui/scenario/value_delegate.hpp"

namespace headway {

FormView::FormView(ScenarioModel* model, QWidget* parent)
    : QWidget(parent),
      model_(model),
      filter_(new QSortFilterProxyModel(this)),
      find_(new QLineEdit(this)),
      tree_(new QTreeView(this)) {
  filter_->setSourceModel(model);
  filter_->setRecursiveFilteringEnabled(true);
  filter_->setAutoAcceptChildRows(true);
  filter_->setFilterCaseSensitivity(Qt::CaseInsensitive);
  find_->setPlaceholderText(tr("Find a key"));
  find_->setAccessibleName(tr("Find a key"));
  find_->setClearButtonEnabled(true);
  connect(find_, &QLineEdit::textChanged, this, [this](const QString& text) {
    filter_->setFilterFixedString(text);
    text.isEmpty() ? unfold_given() : tree_->expandAll();
  });

  tree_->setModel(filter_);
  tree_->setItemDelegateForColumn(ScenarioModel::kValue, new ValueDelegate(tree_));
  tree_->setAccessibleName(tr("Scenario as a form"));
  tree_->setAlternatingRowColors(true);
  tree_->setUniformRowHeights(true);
  tree_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::SelectedClicked |
                         QAbstractItemView::EditKeyPressed | QAbstractItemView::AnyKeyPressed);
  tree_->setIndentation(14);
  tree_->header()->setSectionResizeMode(ScenarioModel::kKey, QHeaderView::Interactive);
  tree_->header()->resizeSection(ScenarioModel::kKey, 165);
  tree_->header()->resizeSection(ScenarioModel::kValue, 110);
  tree_->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(tree_, &QTreeView::customContextMenuRequested, this, &FormView::show_menu);
  connect(tree_->selectionModel(), &QItemSelectionModel::currentChanged, this, [this] {
    // The keyboard is always on the value, which is what can be edited.
    const QModelIndex at = tree_->currentIndex();
    if (at.isValid() && at.column() != ScenarioModel::kValue)
      tree_->setCurrentIndex(at.siblingAtColumn(ScenarioModel::kValue));
    update_actions();
  });
  connect(model, &ScenarioModel::dataChanged, this, [this](const QModelIndex& changed) {
    update_actions();
    if (!changed.data(ScenarioModel::kFaultRole).toString().isEmpty()) unfold_to(changed);
  });
  // The keys of a member or a part that was just chosen are what is wanted next.
  connect(filter_, &QAbstractItemModel::rowsInserted, tree_, &QTreeView::expand);

  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  layout->addWidget(find_);
  layout->addWidget(tree_);
  setFocusProxy(tree_);
  make_actions();
  unfold_given();
}

void FormView::make_actions() {
  const auto add = [this](const QString& text, const QKeySequence& keys, auto act) {
    auto* const action = new QAction(text, this);
    action->setShortcut(keys);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(action, &QAction::triggered, this, act);
    addAction(action);
    return action;
  };
  pin_ = add(tr("&Pin as a lever"), QKeySequence(Qt::CTRL | Qt::Key_L),
             [this] { Q_EMIT pin_wanted(current()); });
  reset_ = add(tr("Back to the &default"), QKeySequence(Qt::Key_Delete),
               [this] { model_->reset_to_default(current()); });
  duplicate_ = add(tr("Add a &copy"), QKeySequence(Qt::CTRL | Qt::Key_D),
                   [this] { model_->duplicate(current()); });
  remove_ = add(tr("&Remove"), QKeySequence(Qt::CTRL | Qt::Key_Delete),
                [this] { model_->remove(current()); });
  update_actions();
}

void FormView::update_actions() {
  const QModelIndex at = current();
  const bool number = at.isValid() && model_->item(at).schema->kind == Schema::Kind::number;
  pin_->setEnabled(number);
  reset_->setEnabled(model_->can_reset(at));
  duplicate_->setEnabled(model_->can_duplicate(at));
  remove_->setEnabled(model_->can_remove(at));
}

void FormView::show_menu(const QPoint& at) {
  QMenu menu(this);
  menu.addActions({pin_, reset_, duplicate_, remove_});
  menu.exec(tree_->viewport()->mapToGlobal(at));
}

QModelIndex FormView::current() const {
  return filter_->mapToSource(tree_->currentIndex());
}

void FormView::find_key() {
  find_->setFocus();
  find_->selectAll();
}

void FormView::unfold_given() {
  tree_->collapseAll();
  unfold({});
}

void FormView::unfold_to(const QModelIndex& index) {
  for (QModelIndex above = filter_->mapFromSource(index).parent(); above.isValid();
       above = above.parent())
    tree_->expand(above);
}

void FormView::unfold(const QModelIndex& parent) {
  for (int row = 0; row < filter_->rowCount(parent); ++row) {
    const QModelIndex index = filter_->index(row, ScenarioModel::kKey, parent);
    if (!index.data(ScenarioModel::kGivenRole).toBool()) continue;
    tree_->expand(index);
    unfold(index);
  }
}

}  // namespace headway
