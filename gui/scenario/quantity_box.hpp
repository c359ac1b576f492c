// A spin box for a number with its unit: "30 /s" goes up to "31 /s".
#pragma once

#include <QAbstractSpinBox>
#include <QLineEdit>

#include "sim/scenario/schema.hpp"

namespace headway {

/// Holds any text, so that what is wrong can be typed, told of and corrected; numbers step.
class QuantityBox : public QAbstractSpinBox {
  Q_OBJECT

 public:
  explicit QuantityBox(const Schema* schema, QWidget* parent = nullptr);

  QString quantity() const { return lineEdit()->text(); }
  /// Shows a quantity, without changed().
  void set_quantity(const QString& text);

  void stepBy(int steps) override;

 Q_SIGNALS:
  /// The user gave another quantity: by a step, or by Enter or leaving after typing.
  void changed(const QString& text);

 protected:
  StepEnabled stepEnabled() const override;

 private:
  const Schema* schema_;
};

}  // namespace headway
