#include "gui/results/results_pane.hpp"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QHeaderView>
#include <QMessageBox>
#include <QSplitter>
#include <QVBoxLayout>

#include "gui/results/export_file.hpp"
#include "sim/report/table_text.hpp"

namespace headway {

namespace {

std::shared_ptr<const Report> report_of(const RunResultPtr& result) {
  return result ? std::shared_ptr<const Report>(result, &result->report) : nullptr;
}

}  // namespace

ResultsPane::ResultsPane(QWidget* parent)
    : QWidget(parent),
      headline_(new QLabel(this)),
      view_(new QTableView(this)),
      tabs_(new QTabWidget(this)),
      tradeoff_(new TradeoffPane(tabs_)),
      distribution_(new DistributionPane(tabs_)),
      timeline_(new TimelinePlot(tabs_)) {
  headline_->setAccessibleName(tr("Verdict"));
  headline_->setWordWrap(true);
  headline_->setTextFormat(Qt::PlainText);
  make_table();
  tabs_->addTab(tradeoff_, tr("&Trade-off"));
  tabs_->addTab(distribution_, tr("&Distribution"));
  tabs_->addTab(timeline_, tr("Ti&me line"));
  tabs_->setDocumentMode(true);
  auto* split = new QSplitter(Qt::Vertical, this);
  split->addWidget(view_);
  split->addWidget(tabs_);
  split->setSizes({330, 400});
  split->setChildrenCollapsible(false);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(headline_);
  layout->addWidget(split, 1);
  setFocusProxy(view_);
  update_headline();
  update_table();
}

void ResultsPane::make_table() {
  view_->setAccessibleName(tr("Results"));
  view_->setModel(&table_);
  view_->setTabKeyNavigation(false);
  view_->setSelectionBehavior(QAbstractItemView::SelectRows);
  view_->setAlternatingRowColors(true);
  view_->setShowGrid(false);
  view_->setWordWrap(false);
  view_->verticalHeader()->hide();
  view_->verticalHeader()->setDefaultSectionSize(view_->fontMetrics().height() + 4);
  view_->verticalHeader()->setMinimumSectionSize(0);
  view_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  view_->horizontalHeader()->setStretchLastSection(true);
  auto* copy = new QAction(tr("&Copy the table as text"), view_);
  copy->setShortcut(QKeySequence::Copy);
  copy->setShortcutContext(Qt::WidgetShortcut);
  connect(copy, &QAction::triggered, this, &ResultsPane::copy_table_as_text);
  auto* copy_csv = new QAction(tr("Copy the table as CS&V"), view_);
  connect(copy_csv, &QAction::triggered, this, &ResultsPane::copy_table_as_csv);
  view_->addActions({copy, copy_csv});
  view_->setContextMenuPolicy(Qt::ActionsContextMenu);
}

void ResultsPane::show_result(const RunResultPtr& result) {
  result_ = result;
  update_headline();
  update_table();
  tradeoff_->show_result(result);
  distribution_->show_result(result);
  timeline_->show_result(report_of(result));
}

void ResultsPane::show_baseline(const RunResultPtr& baseline) {
  baseline_ = baseline;
  update_table();
  tradeoff_->show_baseline(baseline);
  distribution_->show_baseline(baseline);
}

void ResultsPane::update_table() {
  table_.show(report_of(result_), report_of(baseline_));
  for (const int column :
       {ResultTableModel::kBaseline, ResultTableModel::kDifference, ResultTableModel::kRelative})
    view_->setColumnHidden(column, !table_.has_baseline());
}

void ResultsPane::update_headline() {
  if (!result_) return headline_->setText(tr("No run yet."));
  const Summary& summary = result_->report.summary;
  QString text = QString::fromStdString(verdict_name(summary.stability.verdict));
  if (!summary.stability.reason.empty())
    text += QStringLiteral(": ") + QString::fromStdString(summary.stability.reason);
  if (!summary.stability.what_would_decide.empty())
    text += tr("; what would decide: %1")
                .arg(QString::fromStdString(summary.stability.what_would_decide));
  const Bottleneck& found = summary.bottleneck;
  if (!found.resource.empty()) {
    text += tr("\nbottleneck: %1").arg(QString::fromStdString(found.resource));
    if (!found.pool.empty())
      text += tr(" of %1, %2 %3")
                  .arg(QString::fromStdString(found.pool),
                       QString::fromStdString(share_text(found.share)),
                       QString::fromStdString(found.share_of));
    if (!found.relief.empty())
      text += tr("; what relieves it: %1").arg(QString::fromStdString(found.relief));
  }
  if (result_->request.preliminary) text = tr("first answer, from a short run: ") + text;
  if (stale_) text = tr("of the scenario before: ") + text;
  headline_->setText(text);
}

void ResultsPane::set_stale(bool stale) {
  if (stale_ == stale) return;
  stale_ = stale;
  headline_->setEnabled(!stale);
  view_->setEnabled(!stale);
  update_headline();
  tradeoff_->set_stale(stale);
}

PlotView* ResultsPane::current_plot() {
  if (tabs_->currentWidget() == tradeoff_) return tradeoff_->plot();
  if (tabs_->currentWidget() == distribution_) return distribution_->plot();
  return timeline_;
}

void ResultsPane::copy_table_as_text() {
  QApplication::clipboard()->setText(table_.text());
}

void ResultsPane::copy_table_as_csv() {
  QApplication::clipboard()->setText(table_.csv());
}

void ResultsPane::export_plot() {
  const QString path =
      QFileDialog::getSaveFileName(this, tr("Export the plot"), QStringLiteral("plot.png"),
                                   tr("Picture (*.png);;Drawing (*.svg);;Figures (*.csv)"));
  if (path.isEmpty()) return;
  try {
    write_plot(*current_plot(), path);
  } catch (const std::exception& error) {
    QMessageBox::warning(this, tr("The plot was not exported"), QString::fromUtf8(error.what()));
  }
}

void ResultsPane::export_table() {
  const QString path = QFileDialog::getSaveFileName(
      this, tr("Export the table"), QStringLiteral("table.csv"), tr("Table (*.csv)"));
  if (path.isEmpty()) return;
  try {
    write_file(path, table_.csv().toStdString());
  } catch (const std::exception& error) {
    QMessageBox::warning(this, tr("The table was not exported"), QString::fromUtf8(error.what()));
  }
}

}  // namespace headway
