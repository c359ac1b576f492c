#include "gui/results/plot_view.hpp"

#include <QBuffer>
#include <QKeyEvent>
#include <QSvgGenerator>
#include <QToolTip>
#include <cmath>

namespace headway {

namespace {

constexpr double kKeyZoom = 0.8, kKeyMove = 0.1;
constexpr int kMostPixels = 16384;  // of a side: QImage and the servers of windows end near there

}  // namespace

AxisUnit latency_unit(double largest_seconds) {
  if (largest_seconds >= 120) return {QStringLiteral("min"), 60};
  if (largest_seconds >= 1) return {QStringLiteral("s"), 1};
  if (largest_seconds >= 1e-3) return {QStringLiteral("ms"), 1e-3};
  return {QStringLiteral("µs"), 1e-6};
}

AxisUnit duration_unit(double seconds) {
  if (seconds >= 4 * 86400) return {QStringLiteral("d"), 86400};
  if (seconds >= 4 * 3600) return {QStringLiteral("h"), 3600};
  if (seconds >= 4 * 60) return {QStringLiteral("min"), 60};
  return {QStringLiteral("s"), 1};
}

PlotView::PlotView(QWidget* parent) : QCustomPlot(parent) {
  setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setMinimumSize(240, 160);
  setNoAntialiasingOnDrag(true);
}

QByteArray PlotView::png(QSize size) {
  if (size.isEmpty() || size.width() > kMostPixels || size.height() > kMostPixels) return {};
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  return toPixmap(size.width(), size.height()).save(&buffer, "PNG") ? bytes : QByteArray();
}

QByteArray PlotView::svg(QSize size) {
  QBuffer buffer;
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setSize(size);
  generator.setViewBox(QRect(QPoint(0, 0), size));
  generator.setTitle(accessibleName());
  generator.setDescription(words_);
  QCPPainter painter;
  if (size.isEmpty() || !painter.begin(&generator)) return {};
  painter.setMode(QCPPainter::pmVectorized);
  painter.setMode(QCPPainter::pmNoCaching);
  toPainter(&painter, size.width(), size.height());
  painter.end();
  return buffer.data();
}

bool PlotView::dark() const {
  return palette().color(QPalette::Base).lightness() < 128;
}

// From the Okabe–Ito colours, which people with any colour vision tell apart.
QColor PlotView::run_colour() const {
  return dark() ? QColor(0x56, 0xb4, 0xe9) : QColor(0x00, 0x72, 0xb2);
}

QColor PlotView::baseline_colour() const {
  return dark() ? QColor(0xe6, 0x9f, 0x00) : QColor(0xb3, 0x5c, 0x00);
}

QColor PlotView::third_colour() const {
  return dark() ? QColor(0x2f, 0xc7, 0x9b) : QColor(0x00, 0x7d, 0x5c);
}

QColor PlotView::fourth_colour() const {
  return dark() ? QColor(0xdf, 0x9a, 0xc0) : QColor(0x8f, 0x3d, 0x72);
}

QColor PlotView::limit_colour() const {
  return dark() ? QColor(0xff, 0x80, 0x66) : QColor(0xb0, 0x1e, 0x00);
}

QColor PlotView::faint_colour() const {
  const QColor text = palette().color(QPalette::Text), base = palette().color(QPalette::Base);
  const auto mix = [](int a, int b) { return (a + 2 * b) / 3; };
  return {mix(text.red(), base.red()), mix(text.green(), base.green()),
          mix(text.blue(), base.blue())};
}

void PlotView::redraw() {
  if (drawing_) return;
  drawing_ = true;
  setBackground(palette().brush(QPalette::Base));
  clearItems();
  clearPlottables();
  plotLayout()->clear();
  legend = nullptr;
  draw_plot();
  if (empty_.isEmpty()) {
    if (!zoomed_) show_all();
  }
  replot(QCustomPlot::rpQueuedReplot);
  drawing_ = false;
}

void PlotView::reset_zoom() {
  zoomed_ = false;
  if (empty_.isEmpty()) show_all();
  replot(QCustomPlot::rpQueuedReplot);
}

void PlotView::show_empty(const QString& words) {
  empty_ = words_ = words;
  zoomed_ = false;
  auto* text = new QCPTextElement(this, words, font());
  text->setTextFlags(Qt::AlignCenter | Qt::TextWordWrap);
  text->setTextColor(palette().color(QPalette::Text));
  plotLayout()->addElement(0, 0, text);
  setAccessibleDescription(words);
}

void PlotView::show_plot(const QString& words) {
  empty_.clear();
  words_ = words;
  setAccessibleDescription(words);
}

void PlotView::style_axes(QCPAxisRect* rect) {
  const QColor ink = palette().color(QPalette::Text);
  QPen grid(faint_colour(), 0, Qt::DotLine);
  for (QCPAxis* axis : rect->axes()) {
    axis->setBasePen(QPen(ink));
    axis->setTickPen(QPen(ink));
    axis->setSubTickPen(QPen(ink));
    axis->setLabelColor(ink);
    axis->setTickLabelColor(ink);
    axis->setLabelFont(font());
    axis->setTickLabelFont(font());
    axis->grid()->setPen(grid);
    axis->grid()->setZeroLinePen(grid);
    axis->setLayer(QStringLiteral("axes"));
    axis->grid()->setLayer(QStringLiteral("grid"));
  }
}

QCPGraph* PlotView::add_line(QCPAxisRect* rect, const QString& name, const QPen& pen) {
  QCPGraph* line = addGraph(rect->axis(QCPAxis::atBottom), rect->axis(QCPAxis::atLeft));
  line->setName(name);
  line->setPen(pen);
  line->setAdaptiveSampling(true);
  return line;
}

void PlotView::add_limit(QCPAxisRect* rect, Qt::Orientation orientation, double at,
                         const QString& label, const QPen& pen, int label_row, bool before) {
  const bool level = orientation == Qt::Horizontal;
  QCPAxis* key = rect->axis(QCPAxis::atBottom);
  QCPAxis* value = rect->axis(QCPAxis::atLeft);
  const auto place = [&](QCPItemPosition* position, double along) {
    position->setAxes(key, value);
    position->setAxisRect(rect);
    position->setTypeX(level ? QCPItemPosition::ptAxisRectRatio : QCPItemPosition::ptPlotCoords);
    position->setTypeY(level ? QCPItemPosition::ptPlotCoords : QCPItemPosition::ptAxisRectRatio);
    position->setCoords(level ? along : at, level ? at : along);
  };
  auto* line = new QCPItemLine(this);
  line->setClipAxisRect(rect);
  place(line->start, 0);
  place(line->end, 1);
  line->setPen(pen);
  auto* text = new QCPItemText(this);
  text->setClipAxisRect(rect);
  text->setText(label);
  text->setFont(font());
  text->setColor(pen.color());
  text->setPadding(QMargins(4, 1, 4, 1));
  const Qt::Alignment side = before ? Qt::AlignRight : Qt::AlignLeft;
  text->setPositionAlignment(level ? Qt::AlignRight | Qt::AlignBottom : side | Qt::AlignTop);
  place(text->position, level ? 1 : 0.02 + 0.09 * label_row);
}

void PlotView::place_legend(int wrap) {
  legend = new QCPLegend;
  plotLayout()->insertRow(0);
  plotLayout()->addElement(0, 0, legend);
  legend->setLayer(QStringLiteral("legend"));
  legend->setFillOrder(QCPLegend::foColumnsFirst);
  legend->setWrap(wrap);
  legend->setFont(font());
  legend->setTextColor(palette().color(QPalette::Text));
  legend->setBrush(Qt::NoBrush);
  legend->setBorderPen(Qt::NoPen);
  legend->setIconSize(22, fontMetrics().height());
  legend->setMargins(QMargins(8, 4, 8, 2));
  plotLayout()->setRowStretchFactor(0, 0.001);
  for (int i = 0; i < plottableCount(); ++i)
    if (!plottable(i)->name().isEmpty()) plottable(i)->addToLegend();
}

void PlotView::changeEvent(QEvent* event) {
  QCustomPlot::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) redraw();
}

void PlotView::mouseMoveEvent(QMouseEvent* event) {
  QCustomPlot::mouseMoveEvent(event);
  const QString text = empty_.isEmpty() ? read_out(event->position()) : QString();
  if (text.isEmpty())
    QToolTip::hideText();
  else
    QToolTip::showText(event->globalPosition().toPoint(), text, this);
}

void PlotView::mouseReleaseEvent(QMouseEvent* event) {
  if (!empty_.isEmpty()) return;
  QCustomPlot::mouseReleaseEvent(event);
  zoomed_ = true;
}

void PlotView::mouseDoubleClickEvent(QMouseEvent*) {
  reset_zoom();
}

void PlotView::wheelEvent(QWheelEvent* event) {
  zoomed_ = true;
  QCustomPlot::wheelEvent(event);
}

void PlotView::scale_all(double factor) {
  for (QCPAxisRect* rect : axisRects())
    for (QCPAxis* axis : {rect->axis(QCPAxis::atBottom), rect->axis(QCPAxis::atLeft)})
      axis->scaleRange(factor);
}

void PlotView::move_all(double horizontal, double vertical) {
  for (QCPAxisRect* rect : axisRects()) {
    QCPAxis* key = rect->axis(QCPAxis::atBottom);
    QCPAxis* value = rect->axis(QCPAxis::atLeft);
    key->moveRange(horizontal * key->range().size());
    value->moveRange(vertical * value->range().size());
  }
}

void PlotView::keyPressEvent(QKeyEvent* event) {
  if (!empty_.isEmpty()) return QCustomPlot::keyPressEvent(event);
  switch (event->key()) {
    case Qt::Key_Home:
    case Qt::Key_0:
      return reset_zoom();
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      scale_all(kKeyZoom);
      break;
    case Qt::Key_Minus:
      scale_all(1 / kKeyZoom);
      break;
    case Qt::Key_Left:
      move_all(-kKeyMove, 0);
      break;
    case Qt::Key_Right:
      move_all(kKeyMove, 0);
      break;
    case Qt::Key_Up:
      move_all(0, kKeyMove);
      break;
    case Qt::Key_Down:
      move_all(0, -kKeyMove);
      break;
    default:
      return QCustomPlot::keyPressEvent(event);
  }
  zoomed_ = true;
  replot(QCustomPlot::rpQueuedReplot);
}

}  // namespace headway
