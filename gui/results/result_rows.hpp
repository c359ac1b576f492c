// The figures of a result as rows of a table, and their differences from a baseline: plain data,
// taken from the report as they are.
#pragma once

#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "sim/report/report.hpp"

namespace headway {

enum class FigureUnit { seconds, per_second, usd, share, words };

/// One figure of one run.
struct ResultFigure {
  std::optional<double> value;       // seconds, per second, USD, or a share of 0..1; absent where
                                     // none exists, and for words
  std::optional<double> half_width;  // of the 95 % interval, in the same unit
  bool converged = false;            // of the interval
  QString words;                     // in place of a value; of FigureUnit::words the figure itself
  QString note;  // what is to be known of it: "not converged", "no interval: single trace", "no
                 // finite value: unstable"; empty: nothing
  bool exists() const { return value.has_value() || !words.isEmpty(); }
};

/// A figure with its name. The rows of every report are the same ones in the same order.
struct ResultRow {
  QString label;  // "TTFT p99"
  FigureUnit unit = FigureUnit::seconds;
  ResultFigure figure;  // exists() is false where the scenario has no such thing: TPOT of a station
};
std::vector<ResultRow> result_rows(const Report& report);

/// How far a figure is from the baseline's.
struct FigureDifference {
  double absolute = 0;             // in the figure's unit
  std::optional<double> relative;  // of the baseline's value; absent where that is 0
  enum class Meaning {
    unknown,      // one of the two has no interval
    within,       // no more than the intervals of both allow: sqrt(a² + b²)
    significant,  // more than that
  } meaning = Meaning::unknown;
};
/// Absent unless both have a value. The intervals are taken as independent, which overstates the
/// uncertainty where both runs share their draws.
std::optional<FigureDifference> difference(const ResultFigure& run, const ResultFigure& baseline);

/// The figure as the command line's table writes it: "~315 ms ±8", "29.95 /s", "-".
QString figure_text(const ResultFigure& figure, FigureUnit unit);
/// "+12.3 ms", "−0.5 USD".
QString difference_text(const FigureDifference& difference, FigureUnit unit);
/// "+4.1 %"; empty where there is none.
QString relative_text(const FigureDifference& difference);
/// "s", "1/s", "USD", "1", "".
QString unit_name(FigureUnit unit);

/// table.csv: format `headway.table` version 1 (gui/README.md). Values as summary.json has them.
std::string result_table_csv(const Report& report, const Report* baseline);

}  // namespace headway
