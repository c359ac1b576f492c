// Figures and their differences as text, in the words of the command line's table.
#pragma once

#include <QString>

#include "gui/results/result_rows.hpp"

namespace headway {

/// The figure as the command line's table writes it: "~315 ms ±8", "29.95 /s", "-".
QString figure_text(const ResultFigure& figure, FigureUnit unit);
/// "+12.3 ms", "−0.5 USD".
QString difference_text(const FigureDifference& difference, FigureUnit unit);
/// "+4.1 %"; empty where there is none.
QString relative_text(const FigureDifference& difference);
/// "s", "1/s", "USD", "1", "count", "GPU-h", "".
QString unit_name(FigureUnit unit);

}  // namespace headway
