#include "gui/results/runs_pane.hpp"

#include <QAction>
#include <QHeaderView>
#include <QToolBar>
#include <QVBoxLayout>

namespace headway {

RunsPane::RunsPane(QWidget* parent) : QWidget(parent), view_(new QTableView(this)) {
  view_->setAccessibleName(tr("Runs"));
  view_->setModel(&store_);
  view_->setSelectionBehavior(QAbstractItemView::SelectRows);
  view_->setSelectionMode(QAbstractItemView::SingleSelection);
  view_->setEditTriggers(QAbstractItemView::EditKeyPressed);
  view_->setShowGrid(false);
  view_->setWordWrap(false);
  view_->setTabKeyNavigation(false);
  view_->verticalHeader()->hide();
  view_->horizontalHeader()->setSectionResizeMode(RunStore::kName, QHeaderView::Stretch);
  const auto fit = [this] {
    for (const int column : {RunStore::kFinished, RunStore::kLatency, RunStore::kCost})
      view_->resizeColumnToContents(column);
  };
  fit();
  connect(&store_, &RunStore::rowsInserted, view_, fit);
  connect(&store_, &RunStore::dataChanged, view_, fit);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  make_actions();
  layout->addWidget(view_);
  setFocusProxy(view_);
  connect(view_, &QTableView::activated, this, [this](const QModelIndex& index) {
    Q_EMIT run_picked(store_.record(index.row()).result);
  });
}

void RunsPane::make_actions() {
  auto* bar = new QToolBar(tr("Runs"), this);
  const auto add = [&](const QString& text, const QString& help, const QKeySequence& keys,
                       auto act) {
    QAction* action = bar->addAction(text);
    action->setToolTip(
        QStringLiteral("%1 (%2)").arg(help, keys.toString(QKeySequence::NativeText)));
    action->setShortcut(keys);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    addAction(action);
    connect(action, &QAction::triggered, this, act);
    const auto enable = [this, action] { action->setEnabled(current_row() >= 0); };
    connect(view_->selectionModel(), &QItemSelectionModel::currentChanged, this, enable);
    connect(&store_, &RunStore::rowsRemoved, this, enable);
    enable();
  };
  add(tr("Baseline"), tr("Compare with this run, or no longer"), Qt::Key_B,
      &RunsPane::switch_baseline);
  add(tr("Keep"), tr("Keep this run until it is deleted, or no longer"), Qt::Key_K,
      &RunsPane::switch_kept);
  add(tr("Rename"), tr("Rename this run"), Qt::Key_F2, [this] {
    if (current_row() >= 0) view_->edit(store_.index(current_row(), RunStore::kName));
  });
  add(tr("Delete"), tr("Delete this run"), Qt::Key_Delete, &RunsPane::remove_current);
  layout()->addWidget(bar);
}

int RunsPane::current_row() const {
  return view_->currentIndex().isValid() ? view_->currentIndex().row() : -1;
}

void RunsPane::switch_baseline() {
  const int row = current_row();
  if (row >= 0) store_.set_baseline(row == store_.baseline_row() ? -1 : row);
}

void RunsPane::switch_kept() {
  const int row = current_row();
  if (row >= 0) store_.set_kept(row, !store_.record(row).kept);
}

void RunsPane::remove_current() {
  const int row = current_row();
  if (row >= 0) store_.remove(row);
}

}  // namespace headway
