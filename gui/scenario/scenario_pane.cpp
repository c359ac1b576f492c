#include "gui/scenario/scenario_pane.hpp"

#include <QVBoxLayout>

namespace headway {

ScenarioPane::ScenarioPane(ScenarioDocument* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      editor_(new YamlEditor(document, this)),
      fault_(new QLabel(this)) {
  fault_->setAccessibleName(tr("What is wrong with the scenario"));
  fault_->setWordWrap(true);
  fault_->setTextFormat(Qt::PlainText);
  fault_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  fault_->hide();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(editor_, 1);
  layout->addWidget(fault_);
  connect(document, &ScenarioDocument::changed, this, &ScenarioPane::show_fault);
  show_fault();
}

void ScenarioPane::show_fault() {
  const std::optional<ScenarioFault>& fault = document_->fault();
  fault_->setVisible(fault.has_value());
  fault_->setText(fault ? fault->message : QString());
}

}  // namespace headway
