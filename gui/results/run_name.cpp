// Names of runs, by the values of their scenarios that differ.
#include "gui/results/run_store.hpp"
#include "sim/scenario/document.hpp"
#include "sim/scenario/input_error.hpp"

namespace headway {

namespace {

constexpr qsizetype kMostNamed = 3;

QString shown(const std::string& key, const Node* value) {
  const QString name = QString::fromStdString(key);
  if (value == nullptr) return name + QStringLiteral(" left out");
  if (value->kind == Node::Kind::scalar)
    return name + QLatin1Char(' ') + QString::fromStdString(value->text);
  return name;
}

// Adds what `to` says otherwise than `from`; `key` is the name of both.
void compare(const std::string& key, const Node& from, const Node& to, QStringList& changes) {
  if (from.kind != to.kind || from.kind == Node::Kind::scalar || from.kind == Node::Kind::null) {
    if (from.kind != to.kind || from.text != to.text) changes << shown(key, &to);
  } else if (from.kind == Node::Kind::map) {
    for (const Entry& entry : to.entries) {
      const Node* before = from.find(entry.key);
      if (before != nullptr)
        compare(entry.key, *before, entry.value, changes);
      else
        changes << shown(entry.key, &entry.value);
    }
    for (const Entry& entry : from.entries)
      if (to.find(entry.key) == nullptr) changes << shown(entry.key, nullptr);
  } else if (from.items.size() != to.items.size()) {
    changes << QString::fromStdString(key);
  } else {
    for (std::size_t i = 0; i < to.items.size(); ++i)
      compare(key, from.items[i], to.items[i], changes);
  }
}

}  // namespace

QString changed_values(const std::string& from, const std::string& to) {
  QStringList changes;
  try {
    compare("scenario", parse_document(from, "").root, parse_document(to, "").root, changes);
  } catch (const InputError&) {
    return {};
  }
  return changes.size() > kMostNamed ? QString() : changes.join(QStringLiteral(", "));
}

}  // namespace headway
