#include "gui/scenario/lever_panel.hpp"

#include <QGridLayout>
#include <QSignalBlocker>
#include <functional>

namespace headway {

namespace {

/// "chat: arrivals rate" of workload.chat.arrivals.poisson.rate: short, and still clear.
QString label_of(const FormItem& item) {
  const QStringList steps = item.set_path().split(QLatin1Char('.'));
  return steps.size() < 3 ? steps.join(QLatin1Char(' '))
                          : steps[1] + QStringLiteral(": ") + steps.last();
}

const FormItem* first(const FormItem& in, const std::function<bool(const FormItem&)>& wanted) {
  for (const auto& child : in.children) {
    if (child->given && child->is_leaf() && wanted(*child)) return child.get();
    if (const FormItem* const found = first(*child, wanted)) return found;
  }
  return nullptr;
}

}  // namespace

LeverPanel::LeverPanel(ScenarioModel* model, QWidget* parent)
    : QWidget(parent),
      model_(model),
      layout_(new QVBoxLayout(this)),
      hint_(new QLabel(tr("Pin a number of the form (Ctrl+L) to have it here as a lever."), this)) {
  setAccessibleName(tr("Levers"));
  hint_->setWordWrap(true);
  hint_->setForegroundRole(QPalette::PlaceholderText);
  layout_->setContentsMargins(4, 4, 4, 4);
  layout_->setSpacing(2);
  layout_->addWidget(hint_);
  connect(model, &QAbstractItemModel::dataChanged, this, &LeverPanel::follow);
  connect(model, &QAbstractItemModel::rowsRemoved, this, &LeverPanel::follow);
  connect(model, &QAbstractItemModel::rowsInserted, this, &LeverPanel::follow);
}

LeverPanel::~LeverPanel() = default;

bool LeverPanel::pin(const QModelIndex& index) {
  if (!index.isValid()) return false;
  const FormItem& item = model_->item(index);
  for (const auto& lever : levers_)
    if (lever->path == item.path) return false;
  auto range = LeverRange::around(*item.schema, item.value);
  if (!range) return false;
  auto lever = std::make_unique<Lever>();
  lever->path = item.path;
  lever->schema = item.schema;
  lever->range = std::move(range);
  add_row(*lever, item);
  show_value(*lever, item.value);
  levers_.push_back(std::move(lever));
  hint_->hide();
  return true;
}

void LeverPanel::pin_usual() {
  const FormItem& root = model_->item({});
  const auto pin_first = [&](const std::function<bool(const FormItem&)>& wanted) {
    const FormItem* const found = first(root, wanted);
    return found && pin(model_->find(found->path));
  };
  if (!pin_first([](const FormItem& item) {
        return item.schema->kind == Schema::Kind::number &&
               item.schema->dimension == Dimension::rate;
      }))
    pin_first([](const FormItem& item) { return item.name == QStringLiteral("users"); });
  pin_first([](const FormItem& item) { return item.name == QStringLiteral("replicas"); });
}

void LeverPanel::clear() {
  while (!levers_.empty()) unpin(levers_.back().get());
}

void LeverPanel::add_row(Lever& lever, const FormItem& item) {
  const QString path = item.set_path();
  lever.row = new QWidget(this);
  auto* const label = new QLabel(label_of(item), lever.row);
  lever.slider = new QSlider(Qt::Horizontal, lever.row);
  lever.box = new QuantityBox(lever.schema, lever.row);
  auto* const away = new QToolButton(lever.row);
  lever.slider->setRange(0, LeverRange::kPositions);
  lever.slider->setAccessibleName(tr("Lever of %1").arg(path));
  lever.box->setAccessibleName(path);
  lever.box->setMinimumWidth(90);
  away->setText(QStringLiteral("×"));
  away->setAutoRaise(true);
  away->setToolTip(tr("Unpin"));
  away->setAccessibleName(tr("Unpin %1").arg(path));
  for (QWidget* widget : {static_cast<QWidget*>(label), static_cast<QWidget*>(lever.slider),
                          static_cast<QWidget*>(lever.box)})
    widget->setToolTip(item.help());

  auto* const grid = new QGridLayout(lever.row);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setVerticalSpacing(0);
  grid->addWidget(label, 0, 0, 1, 2);
  grid->addWidget(lever.slider, 1, 0);
  grid->addWidget(lever.box, 1, 1);
  grid->addWidget(away, 1, 2);
  grid->setColumnStretch(0, 1);
  layout_->addWidget(lever.row);

  Lever* const self = &lever;
  connect(lever.slider, &QSlider::sliderPressed, this, [self] { ++self->drag; });
  connect(lever.slider, &QSlider::valueChanged, this,
          [this, self](int position) { move(*self, self->range->text_at(position)); });
  connect(lever.box, &QuantityBox::changed, this,
          [this, self](const QString& text) { move(*self, text); });
  connect(away, &QToolButton::clicked, this, [this, self] { unpin(self); });
}

void LeverPanel::move(Lever& lever, const QString& text) {
  const QModelIndex index = model_->find(lever.path);
  if (!index.isValid()) return;
  const QString step =
      QStringLiteral("lever %1 %2").arg(reinterpret_cast<quintptr>(&lever)).arg(lever.drag);
  model_->set_value(index, text, step);
}

void LeverPanel::follow() {
  for (std::size_t at = levers_.size(); at > 0; --at) {
    Lever& lever = *levers_[at - 1];
    const QModelIndex index = model_->find(lever.path);
    if (!index.isValid() || model_->item(index).schema != lever.schema)
      unpin(&lever);
    else
      show_value(lever, model_->item(index).value);
  }
}

void LeverPanel::show_value(Lever& lever, const QString& text) {
  lever.box->set_quantity(text);
  // A value from elsewhere may lie outside, or have another unit: the lever goes there.
  const bool fits = lever.range->holds(text);
  if (!fits) {
    if (auto range = LeverRange::around(*lever.schema, text)) lever.range = std::move(range);
  }
  const QSignalBlocker quiet(lever.slider);
  if (!lever.slider->isSliderDown()) lever.slider->setValue(lever.range->position_of(text));
}

void LeverPanel::unpin(const Lever* lever) {
  lever->row->hide();
  lever->row->deleteLater();
  std::erase_if(levers_, [&](const auto& each) { return each.get() == lever; });
  hint_->setVisible(levers_.empty());
}

}  // namespace headway
