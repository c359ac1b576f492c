// What all plots have in common: looks that follow the palette, zoom by mouse and keys, a read-out
// under the pointer, words where there is nothing to show, and their bytes as PNG, SVG and CSV.
#pragma once

#include <QByteArray>
#include <QString>
#include <string>

#include "gui/results/custom_plot.hpp"

namespace headway {

/// A unit of an axis: values are divided by it.
struct AxisUnit {
  QString name;        // "ms"
  double seconds = 1;  // of one unit
};
/// The unit of times in which the largest reads best.
AxisUnit latency_unit(double largest_seconds);  // us, ms, s, min
AxisUnit duration_unit(double seconds);         // s, min, h, d

/// A plot. Wheel and drag zoom and move, a double click or Home shows all, + and − zoom, arrows
/// move.
class PlotView : public QCustomPlot {
  Q_OBJECT

 public:
  explicit PlotView(QWidget* parent = nullptr);

  /// The picture in this size in pixels, in the colours of the screen; empty where it is too large.
  QByteArray png(QSize size);
  QByteArray svg(QSize size);
  /// The figures that are drawn, with format, version and units; empty: nothing is drawn.
  virtual std::string csv() const = 0;

  /// The words in place of a plot; empty while there is one.
  const QString& empty_text() const { return empty_; }
  /// What is drawn in words: also its accessible description.
  const QString& words() const { return words_; }

  /// Shows all again.
  void reset_zoom();

 protected:
  /// Draws what is there, from nothing: calls show_empty() or, at its end, show_plot(). The
  /// implementation holds the data.
  virtual void draw_plot() = 0;
  /// Sets the ranges of all axes so that everything is seen.
  virtual void show_all() = 0;
  /// What is under the pointer, in a few lines; empty: nothing.
  virtual QString read_out(QPointF position) const = 0;

  /// Data or look changed.
  void redraw();
  void show_empty(const QString& words);
  /// The plot is complete; `words` describe it.
  void show_plot(const QString& words);

  /// Colours that can be told apart on the palette's ground, by people who see red and green alike
  /// too.
  QColor run_colour() const;
  QColor baseline_colour() const;
  QColor third_colour() const;
  QColor fourth_colour() const;
  QColor limit_colour() const;
  QColor faint_colour() const;
  bool dark() const;

  void style_axes(QCPAxisRect* rect);
  QCPGraph* add_line(QCPAxisRect* rect, const QString& name, const QPen& pen);
  /// A line through the whole rectangle at a value of one axis, with a label at its end: above a
  /// level line, to the right of an upright one or, where `before`, to its left.
  void add_limit(QCPAxisRect* rect, Qt::Orientation orientation, double at, const QString& label,
                 const QPen& pen, int label_row = 0, bool before = false);
  /// The legend in a row of its own above the plots; call it after the plottables are there.
  void place_legend(int wrap);

  void changeEvent(QEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void scale_all(double factor);
  void move_all(double horizontal, double vertical);

  QString empty_, words_;
  bool zoomed_ = false;   // the ranges are the user's
  bool drawing_ = false;  // a change of the palette comes from within
};

}  // namespace headway
