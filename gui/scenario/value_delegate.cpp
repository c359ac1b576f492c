#include "gui/scenario/value_delegate.hpp"

#include <QComboBox>
#include <QCompleter>
#include <QLineEdit>
#include <QSortFilterProxyModel>

#include "gui/scenario/quantity_box.hpp"

namespace headway {

namespace {

/// The model's own row, through the filter that the view has before it.
const FormItem& row_of(const QModelIndex& index) {
  if (const auto* const filter = qobject_cast<const QSortFilterProxyModel*>(index.model()))
    return row_of(filter->mapToSource(index));
  return qobject_cast<const ScenarioModel*>(index.model())->item(index);
}

QString shown_choice(const QString& choice) {
  return choice.isEmpty() ? ValueDelegate::tr("not given") : choice;
}

}  // namespace

QWidget* ValueDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&,
                                     const QModelIndex& index) const {
  const FormItem& row = row_of(index);
  const QStringList choices = row.choices();
  QWidget* editor = nullptr;
  if (row.schema->kind == Schema::Kind::number) {
    editor = new QuantityBox(row.schema, parent);
  } else if (row.is_choice() || !choices.isEmpty()) {
    auto* const box = new QComboBox(parent);
    for (const QString& choice : choices) box->addItem(shown_choice(choice), choice);
    box->setEditable(!row.is_choice());  // of a model's name a path may stand there
    if (box->completer()) box->completer()->setFilterMode(Qt::MatchContains);
    // A choice from the list is the answer; no further key is needed.
    connect(box, &QComboBox::activated, this, [this, box] {
      auto* const self = const_cast<ValueDelegate*>(this);
      Q_EMIT self->commitData(box);
      Q_EMIT self->closeEditor(box);
    });
    editor = box;
  } else {
    editor = new QLineEdit(parent);
  }
  editor->setAccessibleName(row.set_path());
  editor->setAutoFillBackground(true);
  return editor;
}

void ValueDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const {
  const QString text = index.data(Qt::EditRole).toString();
  if (auto* const box = qobject_cast<QuantityBox*>(editor)) {
    box->set_quantity(text);
    box->selectAll();
  } else if (auto* const choice = qobject_cast<QComboBox*>(editor)) {
    const int at = choice->findData(text);
    choice->setCurrentIndex(at);
    if (choice->isEditable() && at < 0) choice->setEditText(text);
  } else if (auto* const line = qobject_cast<QLineEdit*>(editor)) {
    line->setText(text);
  }
}

void ValueDelegate::setModelData(QWidget* editor, QAbstractItemModel* model,
                                 const QModelIndex& index) const {
  QString text;
  if (const auto* const box = qobject_cast<QuantityBox*>(editor)) {
    text = box->quantity().trimmed();
  } else if (const auto* const choice = qobject_cast<QComboBox*>(editor)) {
    const bool typed = choice->isEditable() && choice->findText(choice->currentText()) < 0;
    text = typed ? choice->currentText().trimmed() : choice->currentData().toString();
    if (!typed && choice->isEditable()) text = choice->currentText();
  } else if (const auto* const line = qobject_cast<QLineEdit*>(editor)) {
    text = line->text();
  }
  // Looking at a default does not write it down.
  if (text != index.data(Qt::EditRole).toString()) model->setData(index, text);
}

void ValueDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                                         const QModelIndex&) const {
  editor->setGeometry(option.rect);
}

}  // namespace headway
