// Plots and tables as files, whole or absent.
#pragma once

#include <QSize>
#include <QString>
#include <string_view>

#include "gui/results/plot_view.hpp"

namespace headway {

/// The size of a picture in pixels, and of a drawing in points.
inline constexpr QSize kPictureSize{1280, 800};

/// Writes bytes under a temporary name and gives them theirs. Throws RunError with the path.
void write_file(const QString& path, std::string_view bytes);

/// Writes a plot in the form that the name's end says: .png, .svg or .csv. Throws InputError for
/// another one, RunError where there is nothing to write or the file cannot be written.
void write_plot(PlotView& plot, const QString& path, QSize size = kPictureSize);

}  // namespace headway
