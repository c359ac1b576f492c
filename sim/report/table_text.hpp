// The pieces that tables for people are made of: numbers, cells, wrapped lines.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/report/table.hpp"

namespace headway {

inline constexpr int kTableColumns = 80;

enum class Ink { plain, bold, dim, red, green, yellow };

/// The text in this ink, or as it is where the style has no colour.
std::string inked(const TableStyle& style, Ink ink, const std::string& text);

/// "19,366".
std::string grouped(std::int64_t count);

/// Four significant digits at most, grouped, without an exponent: "4,219", "0.0312".
std::string number_text(double value);

/// "83 %"; "0.3 %" below ten per cent.
std::string share_text(double share);

/// A share of good requests, or of time: rounded down at the second decimal, so that a promise
/// missed by little never reads as one that was kept.
std::string good_text(double share);

/// "99.87 % of its replicas up in the long run, by mean times; all 2 for 97.5 % of the time, …".
std::string availability_text(const ExpectedAvailability& expected, std::int32_t replicas);

/// Seconds in the best-sized unit, with a half-width in the same one: "42.1 ms +-0.3".
std::string seconds_text(double seconds, const std::optional<double>& half_width,
                         const TableStyle& style);

/// Columns that a text takes on a terminal: code points, ANSI sequences left out.
int text_columns(std::string_view text);

/// The text in a cell of this width, to the right or to the left; one that is longer stays whole.
std::string right(const std::string& text, int width);
std::string left(const std::string& text, int width);

inline constexpr int kLabelColumns = 13;

/// `label` in a column of its own, then `text` wrapped at 80 columns; lines end with "\n".
std::string labelled(const std::string& label, const std::string& text, Ink label_ink = Ink::plain,
                     const TableStyle& style = {}, int label_columns = kLabelColumns);

}  // namespace headway
