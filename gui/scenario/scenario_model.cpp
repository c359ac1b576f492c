#include "gui/scenario/scenario_model.hpp"

#include <QBrush>
#include <QFont>
#include <QGuiApplication>
#include <QPalette>
#include <algorithm>
#include <functional>

#include "gui/scenario/form_edit.hpp"

namespace headway {

namespace {

using Kind = Schema::Kind;

/// The same row of the schema: what it holds may have changed.
bool same_row(const FormItem& a, const FormItem& b) {
  return a.name == b.name && a.schema == b.schema && a.field == b.field;
}

bool shows_the_same(const FormItem& a, const FormItem& b) {
  return a.value == b.value && a.given == b.given && a.set == b.set && a.member == b.member &&
         a.children.size() == b.children.size();
}

bool is_item_of_list(const FormItem& item) {
  return !item.path.empty() && std::holds_alternative<std::size_t>(item.path.back());
}

/// The list that an item stands in: of a one-of with a list, its member's.
const Schema& list_of(const FormItem& item) {
  const FormItem& parent = *item.parent;
  return parent.member ? *parent.member->schema : *parent.schema;
}

}  // namespace

ScenarioModel::ScenarioModel(ScenarioDocument* document, QObject* parent)
    : QAbstractItemModel(parent),
      document_(document),
      root_(form_items(scenario_schema(), document->tree() ? document->tree()->root : Node{})) {
  connect(document, &ScenarioDocument::changed, this, &ScenarioModel::refresh);
  find_fault();
}

ScenarioModel::~ScenarioModel() = default;

const FormItem& ScenarioModel::item(const QModelIndex& index) const {
  return index.isValid() ? *static_cast<const FormItem*>(index.internalPointer()) : *root_;
}

QModelIndex ScenarioModel::index_of(const FormItem& item, int column) const {
  return item.parent ? createIndex(item.row(), column, &item) : QModelIndex();
}

QModelIndex ScenarioModel::find(const NodePath& path) const {
  std::function<const FormItem*(const FormItem&)> search = [&](const FormItem& in) {
    for (const auto& child : in.children) {
      if (child->path == path && child->is_leaf()) return static_cast<const FormItem*>(child.get());
      if (const FormItem* const found = search(*child)) return found;
    }
    return static_cast<const FormItem*>(nullptr);
  };
  const FormItem* const found = search(*root_);
  return found ? index_of(*found) : QModelIndex();
}

void ScenarioModel::refresh() {
  const FormItem* const before = faulty_;
  faulty_ = nullptr;
  if (document_->tree_is_current()) {
    const auto fresh = form_items(scenario_schema(), document_->tree()->root);
    update(*root_, *fresh, {});
  }
  find_fault();
  // `before` may be gone with its row: every row that is still there is looked at.
  const auto tell = [&](const FormItem* changed) {
    if (changed) Q_EMIT dataChanged(index_of(*changed), index_of(*changed, kColumns - 1));
  };
  std::function<bool(const FormItem&)> is_there = [&](const FormItem& in) {
    return &in == before || std::any_of(in.children.begin(), in.children.end(),
                                        [&](const auto& child) { return is_there(*child); });
  };
  if (before && before != faulty_ && is_there(*root_)) tell(before);
  tell(faulty_);
}

void ScenarioModel::update(FormItem& old, FormItem& fresh, const QModelIndex& index) {
  const bool same = shows_the_same(old, fresh);
  old.path = std::move(fresh.path);
  old.member = fresh.member;
  old.sibling = fresh.sibling;
  old.given = fresh.given;
  old.set = fresh.set;
  old.value = fresh.value;
  old.key_at = fresh.key_at;
  old.value_at = fresh.value_at;
  update_children(old, fresh, index);
  if (!same && index.isValid()) Q_EMIT dataChanged(index, index.sibling(index.row(), kColumns - 1));
}

void ScenarioModel::update_children(FormItem& old, FormItem& fresh, const QModelIndex& index) {
  auto& rows = old.children;
  auto& wanted = fresh.children;
  const std::size_t shorter = std::min(rows.size(), wanted.size());
  std::size_t head = 0, tail = 0;
  while (head < shorter && same_row(*rows[head], *wanted[head])) ++head;
  while (tail < shorter - head &&
         same_row(*rows[rows.size() - 1 - tail], *wanted[wanted.size() - 1 - tail]))
    ++tail;

  const auto at = [](auto& list, std::size_t index_of) {
    return list.begin() + static_cast<std::ptrdiff_t>(index_of);
  };
  if (rows.size() - tail > head) {
    beginRemoveRows(index, static_cast<int>(head), static_cast<int>(rows.size() - tail) - 1);
    rows.erase(at(rows, head), at(rows, rows.size() - tail));
    endRemoveRows();
  }
  const std::size_t added = wanted.size() - tail - head;
  if (added > 0) {
    beginInsertRows(index, static_cast<int>(head), static_cast<int>(head + added) - 1);
    for (std::size_t row = head; row < head + added; ++row) {
      wanted[row]->parent = &old;
      rows.insert(at(rows, row), std::move(wanted[row]));
    }
    endInsertRows();
  }
  for (std::size_t row = 0; row < rows.size(); ++row)
    if (wanted[row])
      update(*rows[row], *wanted[row], createIndex(static_cast<int>(row), 0, rows[row].get()));
}

/// The row at which the fault stands: the innermost that starts there or before, on the same line.
void ScenarioModel::find_fault() {
  faulty_ = nullptr;
  const std::optional<ScenarioFault>& fault = document_->fault();
  if (!fault || fault->line == 0 || !document_->tree_is_current()) return;
  const auto starts = [&](const Position& at) {
    return at.line == fault->line && at.column <= fault->column ? at.column : 0;
  };
  int nearest = 0;
  std::function<void(const FormItem&)> search = [&](const FormItem& in) {
    for (const auto& child : in.children) {
      const int column = std::max(starts(child->key_at), starts(child->value_at));
      if (child->given && column > 0 && column >= nearest) {
        nearest = column;
        faulty_ = child.get();
      }
      search(*child);
    }
  };
  search(*root_);
}

QString ScenarioModel::fault_of(const FormItem& item) const {
  return &item == faulty_ && document_->fault() ? document_->fault()->message : QString();
}

bool ScenarioModel::make(const std::function<TextEdit()>& edit, const QString& merge) {
  if (!document_->tree_is_current()) {
    Q_EMIT refused(tr("The text is no YAML at the moment: %1")
                       .arg(document_->fault() ? document_->fault()->message : QString()));
    return false;
  }
  try {
    document_->apply(edit(), merge);
    return true;
  } catch (const InputError& error) {
    Q_EMIT refused(QString::fromStdString(error.what()));
    return false;
  }
}

bool ScenarioModel::set_value(const QModelIndex& index, const QString& value,
                              const QString& merge) {
  const FormItem& row = item(index);
  if (value.isEmpty()) return can_reset(index) && reset_to_default(index);
  if (row.given && value == row.value) return true;
  return make(
      [&] {
        return edit_value(document_->text(), document_->tree()->root, row, value.toStdString());
      },
      merge);
}

bool ScenarioModel::can_reset(const QModelIndex& index) const {
  const FormItem& row = item(index);
  return index.isValid() && row.given && row.is_optional();
}

bool ScenarioModel::reset_to_default(const QModelIndex& index) {
  return make(
      [&] { return edit_to_default(document_->text(), document_->tree()->root, item(index)); });
}

bool ScenarioModel::can_duplicate(const QModelIndex& index) const {
  return index.isValid() && is_item_of_list(item(index)) && item(index).given;
}

bool ScenarioModel::can_remove(const QModelIndex& index) const {
  if (!can_duplicate(index)) return false;
  const FormItem& row = item(index);
  const auto items = std::count_if(row.parent->children.begin(), row.parent->children.end(),
                                   [](const auto& child) { return is_item_of_list(*child); });
  return static_cast<std::size_t>(items) > list_of(row).at_least;
}

bool ScenarioModel::duplicate(const QModelIndex& index) {
  return make(
      [&] { return edit_duplicate(document_->text(), document_->tree()->root, item(index)); });
}

bool ScenarioModel::remove(const QModelIndex& index) {
  return make([&] { return remove_value(document_->text(), item(index).path); });
}

QModelIndex ScenarioModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  return createIndex(row, column, item(parent).children[static_cast<std::size_t>(row)].get());
}

QModelIndex ScenarioModel::parent(const QModelIndex& child) const {
  return child.isValid() ? index_of(*item(child).parent) : QModelIndex();
}

int ScenarioModel::rowCount(const QModelIndex& parent) const {
  return parent.column() > 0 ? 0 : static_cast<int>(item(parent).children.size());
}

int ScenarioModel::columnCount(const QModelIndex&) const {
  return kColumns;
}

QVariant ScenarioModel::display(const FormItem& item, int column) const {
  if (column == kKey) return item.name;
  if (column == kRange) return item.range();
  if (item.schema->kind == Kind::list && item.set)
    return item.children.size() == 1 ? tr("1 item") : tr("%1 items").arg(item.children.size());
  if (item.schema->kind == Kind::record && item.set) return {};
  return item.value.isEmpty() && !item.set ? tr("not given") : item.value;
}

QVariant ScenarioModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const FormItem& row = item(index);
  const QString fault = fault_of(row);
  switch (role) {
    case Qt::DisplayRole:
      if (index.column() == kValue && row.is_boolean()) return {};
      return display(row, index.column());
    case Qt::EditRole:
      return index.column() == kValue ? (row.set ? row.value : QString())
                                      : display(row, index.column());
    case Qt::CheckStateRole:
      if (index.column() != kValue || !row.is_boolean()) return {};
      return row.value == QStringLiteral("true") ? Qt::Checked : Qt::Unchecked;
    case Qt::ToolTipRole:
      return fault.isEmpty() ? row.help()
                             : QStringLiteral("<p>%1</p>").arg(fault.toHtmlEscaped()) + row.help();
    case Qt::AccessibleDescriptionRole:
      return fault;
    case Qt::ForegroundRole:
      if (!fault.isEmpty()) return QBrush(Qt::red);
      if (index.column() == kRange || !row.given)
        return QGuiApplication::palette().brush(QPalette::PlaceholderText);
      return {};
    case kGivenRole:
      return row.given;
    case kFaultRole:
      return fault;
    default:
      return {};
  }
}

QVariant ScenarioModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case kKey:
      return tr("Key");
    case kValue:
      return tr("Value");
    case kRange:
      return tr("Unit and range");
    default:
      return {};
  }
}

bool ScenarioModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!index.isValid() || index.column() != kValue) return false;
  if (role == Qt::CheckStateRole && item(index).is_boolean())
    return set_value(
        index, value.toInt() == Qt::Checked ? QStringLiteral("true") : QStringLiteral("false"));
  return role == Qt::EditRole && set_value(index, value.toString());
}

Qt::ItemFlags ScenarioModel::flags(const QModelIndex& index) const {
  Qt::ItemFlags flags = QAbstractItemModel::flags(index);
  if (index.column() != kValue) return flags;
  const FormItem& row = item(index);
  if (row.is_boolean()) return flags | Qt::ItemIsUserCheckable;
  return row.is_leaf() || row.is_choice() ? flags | Qt::ItemIsEditable : flags;
}

}  // namespace headway
