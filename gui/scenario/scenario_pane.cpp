#include "gui/scenario/scenario_pane.hpp"

#include <QVBoxLayout>

namespace headway {

ScenarioPane::ScenarioPane(ScenarioDocument* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      model_(document),
      levers_(new LeverPanel(&model_, this)),
      form_(new FormView(&model_, this)),
      editor_(new YamlEditor(document, this)),
      fault_(new QLabel(this)) {
  fault_->setAccessibleName(tr("What is wrong with the scenario"));
  fault_->setWordWrap(true);
  fault_->setTextFormat(Qt::PlainText);
  fault_->setMargin(4);
  fault_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  fault_->hide();

  auto* const split = new QSplitter(Qt::Vertical, this);
  split->addWidget(form_);
  split->addWidget(editor_);
  split->setSizes({400, 260});
  split->setChildrenCollapsible(false);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(levers_);
  layout->addWidget(split, 1);
  layout->addWidget(fault_);

  connect(document, &ScenarioDocument::changed, this, &ScenarioPane::show_fault);
  connect(form_, &FormView::pin_wanted, levers_, &LeverPanel::pin);
  connect(&model_, &ScenarioModel::refused, fault_, [this](const QString& message) {
    fault_->setText(message);
    fault_->show();
  });
  show_fault();
}

void ScenarioPane::start() {
  form_->unfold_given();
  levers_->clear();
  levers_->pin_usual();
}

void ScenarioPane::show_fault() {
  const std::optional<ScenarioFault>& fault = document_->fault();
  fault_->setVisible(fault.has_value());
  fault_->setText(fault ? fault->message : QString());
}

}  // namespace headway
