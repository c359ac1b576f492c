// The figures of a result as rows of a table, and their differences from a baseline: plain data,
// taken from the report as they are.
#pragma once

#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "sim/report/report.hpp"

namespace headway {

enum class FigureUnit { seconds, per_second, usd, share, count, gpu_hours, words };

/// One figure of one run.
struct ResultFigure {
  std::optional<double> value;       // in the row's unit, shares 0..1; absent where none exists,
                                     // and for words
  std::optional<double> half_width;  // of the 95 % interval, in the same unit
  bool converged = false;            // of the interval
  QString words;                     // in place of a value; of FigureUnit::words the figure itself
  QString note;  // what is to be known of it: "not converged", "no interval: single trace", "no
                 // finite value: unstable"; empty: nothing
  bool exists() const { return value.has_value() || !words.isEmpty(); }
};

/// A figure with its name, which no other row of the report has.
struct ResultRow {
  QString label;  // "TTFT p99", "pool main: start-ups"
  FigureUnit unit = FigureUnit::seconds;
  ResultFigure figure;         // exists() is false where there is no such thing: TPOT of a station
  bool worth_showing = false;  // exists, and says something: not 0 requests lost
};
/// Load, cost, bottleneck, latencies of all, of each class and of each pool where there are
/// several, outcomes, replicas: in this order.
std::vector<ResultRow> result_rows(const Report& report);

/// A row beside that of the baseline with the same label.
struct ComparedRow {
  QString label;
  FigureUnit unit = FigureUnit::seconds;
  ResultFigure run, baseline;  // one that the report lacks does not exist
};
/// The rows that are worth showing in one of the two. `baseline` may be null.
std::vector<ComparedRow> compared_rows(const Report& run, const Report* baseline);

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

}  // namespace headway
