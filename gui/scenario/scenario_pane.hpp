// The left of the window: the scenario, and what is wrong with it.
#pragma once

#include <QLabel>
#include <QSplitter>
#include <QWidget>

#include "gui/scenario/scenario_document.hpp"
#include "gui/scenario/yaml_editor.hpp"

namespace headway {

class ScenarioPane : public QWidget {
  Q_OBJECT

 public:
  explicit ScenarioPane(ScenarioDocument* document, QWidget* parent = nullptr);

  YamlEditor* editor() { return editor_; }

 private:
  void show_fault();

  ScenarioDocument* document_;
  YamlEditor* editor_;
  QLabel* fault_;
};

}  // namespace headway
