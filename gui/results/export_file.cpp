#include "gui/results/export_file.hpp"

#include <QFileInfo>

#include "sim/report/atomic_file.hpp"
#include "sim/scenario/input_error.hpp"

namespace headway {

void write_file(const QString& path, std::string_view bytes) {
  AtomicFile file(path.toStdString());
  file.write(bytes);
  file.commit();
}

void write_plot(PlotView& plot, const QString& path, QSize size) {
  const QString form = QFileInfo(path).suffix().toLower();
  QByteArray bytes;
  if (form == QLatin1String("png"))
    bytes = plot.png(size);
  else if (form == QLatin1String("svg"))
    bytes = plot.svg(size);
  else if (form == QLatin1String("csv"))
    bytes = QByteArray::fromStdString(plot.csv());
  else
    throw InputError(path.toStdString() + ": no form of a plot; expected .png, .svg or .csv");
  if (bytes.isEmpty()) throw RunError(path.toStdString() + ": there is nothing to write");
  write_file(path, {bytes.constData(), static_cast<std::size_t>(bytes.size())});
}

}  // namespace headway
