#include "gui/results/results_pane.hpp"

#include <QVBoxLayout>

namespace headway {

ResultsPane::ResultsPane(QWidget* parent) : QWidget(parent), headline_(new QLabel(this)) {
  headline_->setAccessibleName(tr("Verdict"));
  headline_->setWordWrap(true);
  headline_->setText(tr("No run yet."));
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(headline_);
  layout->addStretch();
}

void ResultsPane::show_result(const RunResultPtr& result) {
  const Stability& stability = result->report.summary.stability;
  headline_->setText(tr("%1: %2").arg(QLatin1String(verdict_name(stability.verdict)),
                                      QString::fromStdString(stability.reason)));
}

void ResultsPane::set_stale(bool stale) {
  headline_->setEnabled(!stale);
}

}  // namespace headway
