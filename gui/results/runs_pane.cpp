#include "gui/results/runs_pane.hpp"

#include <QVBoxLayout>

namespace headway {

RunsPane::RunsPane(QWidget* parent) : QWidget(parent), runs_(new QListWidget(this)) {
  runs_->setAccessibleName(tr("Runs"));
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(runs_);
}

void RunsPane::add_result(const RunResultPtr& result) {
  runs_->insertItem(0, QString::fromStdString(result->report.summary.scenario));
}

}  // namespace headway
