// Values that are at hand: each a slider and a spin box.
#pragma once

#include <QLabel>
#include <QSlider>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "gui/scenario/quantity.hpp"
#include "gui/scenario/quantity_box.hpp"
#include "gui/scenario/scenario_model.hpp"

namespace headway {

/// The levers of a scenario. They follow the text: a lever whose value is no longer there goes.
class LeverPanel : public QWidget {
  Q_OBJECT

 public:
  explicit LeverPanel(ScenarioModel* model, QWidget* parent = nullptr);
  ~LeverPanel() override;

  /// Adds a lever for a number; false where there is one, or its value is none.
  bool pin(const QModelIndex& index);
  /// The levers that a scenario starts with: its first rate, or users, and its first replicas.
  void pin_usual();
  void clear();
  int count() const { return static_cast<int>(levers_.size()); }
  QSlider* slider(int lever) { return levers_[static_cast<std::size_t>(lever)]->slider; }
  QuantityBox* box(int lever) { return levers_[static_cast<std::size_t>(lever)]->box; }

 private:
  struct Lever {
    NodePath path;
    const Schema* schema = nullptr;
    std::optional<LeverRange> range;
    QWidget* row = nullptr;
    QSlider* slider = nullptr;
    QuantityBox* box = nullptr;
    int drag = 0;  // moves of one drag are one step of undo
  };
  void add_row(Lever& lever, const FormItem& item);
  void move(Lever& lever, const QString& text);
  void follow();
  void show_value(Lever& lever, const QString& text);
  void unpin(const Lever* lever);

  ScenarioModel* model_;
  QVBoxLayout* layout_;
  QLabel* hint_;
  std::vector<std::unique_ptr<Lever>> levers_;
};

}  // namespace headway
