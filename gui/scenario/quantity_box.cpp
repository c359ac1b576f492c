#include "gui/scenario/quantity_box.hpp"

#include <QLineEdit>

#include "gui/scenario/quantity.hpp"

namespace headway {

QuantityBox::QuantityBox(const Schema* schema, QWidget* parent)
    : QAbstractSpinBox(parent), schema_(schema) {
  connect(lineEdit(), &QLineEdit::editingFinished, this, [this] {
    if (lineEdit()->isModified()) Q_EMIT changed(quantity());
    lineEdit()->setModified(false);
  });
}

void QuantityBox::set_quantity(const QString& text) {
  if (lineEdit()->text() == text) return;
  lineEdit()->setText(text);
  lineEdit()->setModified(false);
}

void QuantityBox::stepBy(int steps) {
  const QString text = stepped(*schema_, quantity(), steps);
  if (text == quantity()) return;
  set_quantity(text);
  lineEdit()->selectAll();
  Q_EMIT changed(text);
}

QAbstractSpinBox::StepEnabled QuantityBox::stepEnabled() const {
  return parse_written_quantity(quantity()) ? StepUpEnabled | StepDownEnabled : StepNone;
}

}  // namespace headway
