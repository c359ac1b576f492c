#include "gui/scenario/quantity.hpp"

#include <QRegularExpression>
#include <algorithm>
#include <cmath>

namespace headway {

namespace {

// Of what a lever or a step sets: three digits are finer than any promise.
constexpr int kDigits = 3;
constexpr double kFarApart = 20;  // ends of a lever, as a ratio

double si_value(const Schema& schema, const QString& text) {
  return parse_quantity(text.trimmed().toStdString(), schema.dimension);
}

/// What the number 1 in this unit is in SI units.
double unit_value(const Schema& schema, const QString& unit) {
  return schema.dimension == Dimension::count ? 1 : si_value(schema, QStringLiteral("1") + unit);
}

double rounded(double number, int digits) {
  if (number == 0) return 0;
  const double scale = std::pow(10.0, digits - 1 - std::floor(std::log10(std::abs(number))));
  return std::round(number * scale) / scale;
}

/// The lowest value that may be written, where the range ends above its low end.
double lowest(const Schema& schema) {
  return schema.whole && schema.above_low ? schema.low + 1 : schema.low;
}

}  // namespace

std::optional<Quantity> parse_written_quantity(const QString& text) {
  static const QRegularExpression shape(
      QStringLiteral("^\\s*(-?[0-9]+(?:\\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)(.*)$"));
  const QRegularExpressionMatch match = shape.match(text);
  if (!match.hasMatch()) return {};
  return Quantity{match.captured(1).toDouble(), match.captured(2)};
}

QString written(double number, const QString& unit, int digits) {
  const double value = rounded(number, digits);
  // The fewest decimals that say all of it.
  for (int decimals = 0; decimals < 12; ++decimals) {
    const QString text = QString::number(value, 'f', decimals);
    if (std::abs(text.toDouble() - value) <= 1e-12 * std::abs(value)) return text + unit;
  }
  return QString::number(value, 'g', digits) + unit;
}

QString stepped(const Schema& schema, const QString& text, int steps) {
  const std::optional<Quantity> old = parse_written_quantity(text);
  if (!old) return text;
  const double size = std::abs(old->number);
  double step = size > 0 ? std::pow(10.0, std::floor(std::log10(size) + 1e-9) - 1) : 1;
  if (schema.whole) step = std::max(1.0, step);
  const double number = std::round(old->number / step + steps) * step;
  try {
    const double unit = unit_value(schema, old->unit);
    const double low = lowest(schema) / unit, high = schema.high / unit;
    const double kept = std::clamp(number, low, high);
    if (schema.above_low && kept * unit <= schema.low) return text;
    return written(kept, old->unit, 15);
  } catch (const UnitError&) {
    return text;
  }
}

std::optional<LeverRange> LeverRange::around(const Schema& schema, const QString& text) {
  const std::optional<Quantity> written_value = parse_written_quantity(text);
  if (schema.kind != Schema::Kind::number || !written_value) return {};
  LeverRange range;
  range.schema_ = &schema;
  range.unit_text_ = written_value->unit;
  try {
    range.unit_ = unit_value(schema, written_value->unit);
    const double value = si_value(schema, text);
    const double one = range.unit_;
    range.low_ = std::max(lowest(schema), value > 0 ? value / 4 : 0.0);
    range.high_ = std::min(schema.high, value > 0 ? value * 4 : 10 * one);
    if (schema.dimension == Dimension::fraction) {
      range.low_ = schema.above_low ? (schema.high - schema.low) / 100 : schema.low;
      range.high_ = schema.high;
    }
    if (schema.whole) {
      range.low_ = std::ceil(range.low_);
      range.high_ = std::max(range.high_, std::min(schema.high, range.low_ + 8));
    }
    if (!(range.high_ > range.low_) || value < range.low_ || value > range.high_) return {};
  } catch (const UnitError&) {
    return {};
  }
  range.logarithmic_ = range.low_ > 0 && range.high_ / range.low_ > kFarApart;
  return range;
}

QString LeverRange::text_at(int position) const {
  const double share = static_cast<double>(std::clamp(position, 0, kPositions)) / kPositions;
  double value =
      logarithmic_ ? low_ * std::pow(high_ / low_, share) : low_ + (high_ - low_) * share;
  if (schema_->whole) value = std::round(value);
  const double number = rounded(value / unit_, kDigits);
  const double kept = std::clamp(number, lowest(*schema_) / unit_, schema_->high / unit_);
  return written(kept, unit_text_, 15);
}

int LeverRange::position_of(const QString& text) const {
  try {
    const double value = std::clamp(si_value(*schema_, text), low_, high_);
    const double share = logarithmic_ ? std::log(value / low_) / std::log(high_ / low_)
                                      : (value - low_) / (high_ - low_);
    return static_cast<int>(std::lround(share * kPositions));
  } catch (const UnitError&) {
    return 0;
  }
}

bool LeverRange::holds(const QString& text) const {
  try {
    const double value = si_value(*schema_, text);
    return value >= low_ && value <= high_;
  } catch (const UnitError&) {
    return false;
  }
}

}  // namespace headway
