// A quantity as a person writes it: a number, and the unit behind it.
#pragma once

#include <QString>
#include <optional>

#include "sim/scenario/schema.hpp"

namespace headway {

/// "30 /s" as 30 and " /s", blanks included.
struct Quantity {
  double number = 0;
  QString unit;
};

/// Nothing where the text does not start with a number.
std::optional<Quantity> parse_written_quantity(const QString& text);

/// With at most `digits` significant digits, never with an exponent below 10^15.
QString written(double number, const QString& unit, int digits);

/// The written quantity `steps` steps up or down, within the schema's range: of whole numbers a
/// step is 1, or 1 of the second digit of large ones; of others 1 of the second digit.
QString stepped(const Schema& schema, const QString& text, int steps);

/// The range of a lever for a value: from a quarter to four times the value, within the schema's
/// range; of shares the whole range. Positions are even in the logarithm where the ends are far
/// apart.
class LeverRange {
 public:
  static constexpr int kPositions = 200;

  /// Nothing where the text is no number of the schema.
  static std::optional<LeverRange> around(const Schema& schema, const QString& text);

  QString text_at(int position) const;  // 0..kPositions
  int position_of(const QString& text) const;
  /// The value lies within the lever's range.
  bool holds(const QString& text) const;
  QString low_text() const { return text_at(0); }
  QString high_text() const { return text_at(kPositions); }

 private:
  const Schema* schema_ = nullptr;
  double low_ = 0, high_ = 1;  // SI
  double unit_ = 1;            // SI value of the number 1 in the unit
  QString unit_text_;
  bool logarithmic_ = false;
};

}  // namespace headway
