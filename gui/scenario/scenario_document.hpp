// The scenario that a window works on: its text is the truth, everything else follows from it.
#pragma once

#include <QObject>
#include <QString>
#include <QTextDocument>
#include <memory>
#include <optional>
#include <string>

#include "sim/scenario/document.hpp"
#include "sim/scenario/patch.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

/// What is wrong with the text, and where.
struct ScenarioFault {
  QString message;  // "line:column: what is wrong; what was expected"
  int line = 0;     // from 1; 0: the text as a whole
  int column = 0;   // from 1, in characters
};

/// A scenario as text with undo and redo, beside the tree and the scenario that it reads as. Line
/// ends and a byte order mark of the file come back when it is saved.
class ScenarioDocument : public QObject {
  Q_OBJECT

 public:
  explicit ScenarioDocument(QObject* parent = nullptr);

  /// Takes the text of a file, without undo to what was there before. Throws InputError where the
  /// file cannot be read; a text that is no scenario is taken, with its fault.
  void open(const QString& path);
  /// The same from a text that stands for a file that need not be there.
  void set_text(const std::string& text, const QString& path);
  /// Writes the text into the file, which is whole or untouched, and is the document's from now on.
  /// Throws RunError.
  void save(const QString& path);

  /// Path as the user gave it; empty: a new scenario.
  const QString& path() const { return path_; }
  /// Its name without folders, or "untitled.yaml".
  QString file_name() const;
  bool is_modified() const { return text_->isModified(); }

  /// Changes a part of text(), as one step of undo. Steps in succession with the same `merge`, if
  /// that is not empty, are one.
  void apply(const TextEdit& edit, const QString& merge = {});

  /// The text that is edited: lines end with a newline alone.
  QTextDocument* text_document() { return text_.get(); }
  const std::string& text() const { return plain_; }

  /// The tree of the text, or of the last text that had one; null before the first.
  const Document* tree() const { return tree_ ? &*tree_ : nullptr; }
  /// The tree is that of the text.
  bool tree_is_current() const { return tree_is_current_; }
  /// The scenario; null where the text has a fault.
  const std::shared_ptr<const Scenario>& scenario() const { return scenario_; }
  const std::optional<ScenarioFault>& fault() const { return fault_; }

 Q_SIGNALS:
  /// The text was read again: tree, scenario and fault are new.
  void changed();
  void path_changed();
  void modified_changed(bool modified);

 private:
  void read();
  void set_path(const QString& path);

  std::unique_ptr<QTextDocument> text_;
  QString path_;
  bool byte_order_mark_ = false, carriage_returns_ = false;
  std::string plain_;
  QString merge_;            // of the last step
  int merge_revision_ = -1;  // of the text after it
  std::optional<Document> tree_;
  bool tree_is_current_ = false;
  std::shared_ptr<const Scenario> scenario_;
  std::optional<ScenarioFault> fault_;
};

}  // namespace headway
