// The left of the window: levers, the scenario as a form and as YAML, and what is wrong with it.
#pragma once

#include <QLabel>
#include <QSplitter>
#include <QWidget>

#include "gui/scenario/form_view.hpp"
#include "gui/scenario/lever_panel.hpp"
#include "gui/scenario/scenario_document.hpp"
#include "gui/scenario/scenario_model.hpp"
#include "gui/scenario/yaml_editor.hpp"

namespace headway {

class ScenarioPane : public QWidget {
  Q_OBJECT

 public:
  explicit ScenarioPane(ScenarioDocument* document, QWidget* parent = nullptr);

  YamlEditor* editor() { return editor_; }
  FormView* form() { return form_; }
  LeverPanel* levers() { return levers_; }
  ScenarioModel* model() { return &model_; }

  /// A scenario was opened: the form unfolds, the usual levers are there.
  void start();

 private:
  void show_fault();

  ScenarioDocument* document_;
  ScenarioModel model_;
  LeverPanel* levers_;
  FormView* form_;
  YamlEditor* editor_;
  QLabel* fault_;
};

}  // namespace headway
