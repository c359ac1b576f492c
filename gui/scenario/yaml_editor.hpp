// The scenario as YAML, with line numbers and the fault underlined.
#pragma once

#include <QPlainTextEdit>

#include "gui/scenario/scenario_document.hpp"
#include "gui/scenario/yaml_highlighter.hpp"

namespace headway {

class YamlEditor : public QPlainTextEdit {
  Q_OBJECT

 public:
  explicit YamlEditor(ScenarioDocument* document, QWidget* parent = nullptr);

  /// Moves the cursor to the fault, if there is one.
  void go_to_fault();

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  class LineNumbers;
  void show_fault();
  void place_line_numbers();
  int line_numbers_width() const;
  void paint_line_numbers(QPaintEvent* event);

  ScenarioDocument* document_;
  YamlHighlighter* highlighter_;
  QWidget* line_numbers_;
};

}  // namespace headway
