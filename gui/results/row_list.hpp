// The rows of one result as they are put together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gui/results/result_rows.hpp"

namespace headway {

class RowList {
 public:
  explicit RowList(const Summary& summary) : summary_(summary) {}

  /// A figure without an interval; one that is absent or not finite does not exist.
  void add(const QString& label, FigureUnit unit, const std::optional<double>& value);
  void add_words(const QString& label, const QString& words, const QString& note = {});
  /// A number that is worth a row where it is not 0, here or in the baseline.
  void add_unless_zero(const QString& label, FigureUnit unit, double value);
  /// Mean, p50, p90 and p99, each with its interval or why it has none.
  void add_latency(const QString& name, const Figures& figures);
  /// TTFT and TPOT, where tokens are answered, and E2E, of a class or a pool.
  void add_latencies(const QString& prefix, const Figures& ttft, const Figures& tpot,
                     const Figures& e2e);
  /// The row that was added last: for its note, and whether it is worth showing.
  ResultRow& last() { return rows_.back(); }

  const Summary& summary() const { return summary_; }
  std::vector<ResultRow> take() { return std::move(rows_); }

 private:
  ResultFigure figure_of(const Figure& figure) const;

  const Summary& summary_;
  std::vector<ResultRow> rows_;
};

}  // namespace headway
