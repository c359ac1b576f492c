// The rows of the form: what the schema says of each key, beside what the scenario's text has
// there.
#pragma once

#include <QString>
#include <QStringList>
#include <memory>
#include <vector>

#include "sim/scenario/node_path.hpp"
#include "sim/scenario/schema.hpp"

namespace headway {

/// A row: a value, or a part with rows of its own. Of a one-of the row names the member; the rows
/// of the member and of what may stand beside it are its children.
struct FormItem {
  QString name;                    // key; of an item of a list its name, or its number from 1
  NodePath path;                   // where its value stands in the text, or would stand
  const Field* field = nullptr;    // null: an item of a list
  const Schema* schema = nullptr;  // of its value
  const Field* member = nullptr;   // one-of: the member that the text or the default names
  bool sibling = false;            // stands beside the member of a one-of
  bool given = false;              // the text has it; else it is at its default
  bool set = false;                // has a value, be it the default
  QString value;                   // as the text has it; else the default, or a note on it
  Position key_at, value_at;       // where, if given
  FormItem* parent = nullptr;
  std::vector<std::unique_ptr<FormItem>> children;

  int row() const;
  bool is_leaf() const;
  /// A choice: words, members, or whether it is there at all.
  bool is_choice() const;
  /// A choice between true and false.
  bool is_boolean() const;
  /// It can be left out.
  bool is_optional() const;
  /// What may be chosen; for a text, what the catalogue has. "" stands for leaving it out.
  QStringList choices() const;
  /// Path as --set writes it: fleet.main.replicas.
  QString set_path() const;
  /// Unit and range: "/s, more than 0".
  QString range() const;
  /// What it means, its range, default and source, for a tooltip (rich text).
  QString help() const;
};

/// The rows of a document, with a root that is not shown.
std::unique_ptr<FormItem> form_items(const Schema& schema, const Node& root);

}  // namespace headway
