#include "gui/results/distribution_pane.hpp"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace headway {

DistributionPane::DistributionPane(QWidget* parent)
    : QWidget(parent), plot_(new DistributionPlot(this)), choice_(new QComboBox(this)) {
  choice_->setAccessibleName(tr("Latency"));
  choice_->setToolTip(tr("Latency"));
  for (const LatencyKind kind : {LatencyKind::ttft, LatencyKind::tpot, LatencyKind::e2e})
    choice_->addItem(latency_name(kind));
  auto* choices = new QHBoxLayout;
  choices->addWidget(choice_);
  choices->addStretch();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 4, 4, 4);
  layout->addLayout(choices);
  layout->addWidget(plot_, 1);
  connect(choice_, &QComboBox::currentIndexChanged, this,
          [this](int index) { plot_->show_kind(static_cast<LatencyKind>(index)); });
  connect(&run_reader_, &DistributionReader::read_done, this,
          [this](const RunResultPtr& result,
                 const std::shared_ptr<const LatencyDistribution>& distribution) {
            plot_->show_run({result, distribution});
            Q_EMIT drawn();
          });
  connect(&baseline_reader_, &DistributionReader::read_done, this,
          [this](const RunResultPtr& result,
                 const std::shared_ptr<const LatencyDistribution>& distribution) {
            plot_->show_baseline({result, distribution});
          });
  for (DistributionReader* reader : {&run_reader_, &baseline_reader_})
    connect(reader, &DistributionReader::failed, this, [this](const QString& message) {
      choice_->setToolTip(message);
      plot_->show_run({});
    });
}

void DistributionPane::show_result(const RunResultPtr& result) {
  run_ = result;
  if (!result) plot_->show_run({});
  read_what_is_missing();
}

void DistributionPane::show_baseline(const RunResultPtr& baseline) {
  baseline_ = baseline;
  if (!baseline) plot_->show_baseline({});
  read_what_is_missing();
}

void DistributionPane::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  read_what_is_missing();
}

void DistributionPane::read_what_is_missing() {
  if (!isVisible()) return;
  if (run_ != run_read_) run_reader_.read(run_read_ = run_);
  if (baseline_ != baseline_read_) baseline_reader_.read(baseline_read_ = baseline_);
}

}  // namespace headway
