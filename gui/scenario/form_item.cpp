#include "gui/scenario/form_item.hpp"

#include <algorithm>

#include "sim/scenario/reader.hpp"

namespace headway {

namespace {

using Kind = Schema::Kind;

QString text_of(const std::string& text) {
  return QString::fromStdString(text);
}

NodePath below(const NodePath& path, NodePath::value_type step) {
  NodePath longer = path;
  longer.push_back(std::move(step));
  return longer;
}

/// Builds rows from the schema and the tree, from the top down.
class FormBuilder {
 public:
  std::unique_ptr<FormItem> root(const Schema& schema, const Node& node) {
    auto item = std::make_unique<FormItem>();
    item->schema = &schema;
    item->given = item->set = true;
    fields(*item, schema.fields, {}, &node, true);
    return item;
  }

 private:
  /// Rows of the fields of a record. `set`: absent ones are at their defaults, rather than not
  /// there with the whole record.
  void fields(FormItem& parent, const std::vector<Field>& fields, const NodePath& path,
              const Node* node, bool given, bool siblings = false) {
    for (const Field& field : fields) {
      if (!belongs(field, node) || field.schema->words.size() == 1) continue;
      const Entry* const entry = node && given ? node->find_entry(field.key) : nullptr;
      FormItem& item = child(parent, text_of(field.key), below(path, field.key), *field.schema);
      item.field = &field;
      item.sibling = siblings;
      if (entry) {
        item.key_at = entry->key_at;
        fill(item, &entry->value, true);
      } else if (!field.fallback.empty()) {
        const Node standard = parse_value(field.fallback, field.key);
        fill(item, &standard, false);
      } else {
        fill(item, nullptr, false);
      }
    }
  }

  /// Keys of LLM pools are not shown for service pools, and the other way round.
  static bool belongs(const Field& field, const Node* record) {
    if (field.only_for.empty()) return true;
    const bool service = record && record->find("service");
    return service == (field.only_for == "service pools");
  }

  static FormItem& child(FormItem& parent, QString name, NodePath path, const Schema& schema) {
    parent.children.push_back(std::make_unique<FormItem>());
    FormItem& item = *parent.children.back();
    item.parent = &parent;
    item.name = std::move(name);
    item.path = std::move(path);
    item.schema = &schema;
    return item;
  }

  void fill(FormItem& item, const Node* node, bool given) {
    item.given = given;
    item.set = node != nullptr;
    if (node && given) item.value_at = node->at;
    if (!node) {
      item.value = item.field ? text_of(item.field->fallback_note) : QString();
      return;
    }
    switch (item.schema->kind) {
      case Kind::number:
      case Kind::text:
      case Kind::word:
        item.value = text_of(node->text);
        break;
      case Kind::record:
        fields(item, item.schema->fields, item.path, node, given);
        break;
      case Kind::list:
        if (given) {
          items(item, *item.schema, item.path, *node, given);
        } else {  // items are edited once the list stands in the text
          item.set = false;
          item.value = item.field ? text_of(item.field->fallback) : QString();
        }
        break;
      case Kind::one_of:
        one_of(item, *node, given);
        break;
    }
  }

  void items(FormItem& parent, const Schema& list, const NodePath& path, const Node& node,
             bool given) {
    for (std::size_t index = 0; index < node.items.size(); ++index) {
      const Node& each = node.items[index];
      const Node* const name = list.name_key.empty() ? nullptr : each.find(list.name_key);
      const bool named = name && name->kind == Node::Kind::scalar;
      FormItem& item = child(parent, named ? text_of(name->text) : QString::number(index + 1),
                             below(path, index), *list.item);
      fill(item, &each, given);
    }
  }

  void one_of(FormItem& item, const Node& node, bool given) {
    const Schema& schema = *item.schema;
    if (node.kind == Node::Kind::map) {
      for (const Field& field : schema.fields)
        if (const Entry* const entry = node.find_entry(field.key); entry && !item.member)
          member(item, field, below(item.path, field.key), &entry->value, given);
    } else if (node.kind == Node::Kind::scalar) {
      const auto named = std::find_if(schema.fields.begin(), schema.fields.end(),
                                      [&](const Field& field) { return field.key == node.text; });
      if (named != schema.fields.end()) {
        member(item, *named, below(item.path, named->key), nullptr, false);
      } else if (is_word(schema, node.text)) {
        item.value = text_of(node.text);
        return;
      } else if (schema.bare) {
        member(item, schema.fields.front(), item.path, &node, given);
      }
    }
    fields(item, schema.siblings, item.path, node.kind == Node::Kind::map ? &node : nullptr, given,
           true);
  }

  static bool is_word(const Schema& schema, const std::string& text) {
    return schema.bare && std::any_of(schema.bare->words.begin(), schema.bare->words.end(),
                                      [&](const Schema::Word& word) { return word.name == text; });
  }

  /// The rows of the member that was chosen: of a record its keys, of a list its items, else one.
  void member(FormItem& item, const Field& field, const NodePath& path, const Node* node,
              bool given) {
    item.member = &field;
    item.value = text_of(field.key);
    const Schema& schema = *field.schema;
    if (schema.kind == Kind::record) {
      fields(item, schema.fields, path, node, given);
    } else if (schema.kind == Kind::list) {
      if (node) items(item, schema, path, *node, given);
    } else {
      FormItem& only = child(item, text_of(field.key), path, schema);
      only.field = &field;
      fill(only, node, given);
    }
  }
};

QString default_text(const Field& field) {
  if (field.required) return QStringLiteral("needed");
  if (field.fallback == "{}") return {};
  return text_of(field.fallback.empty() ? field.fallback_note : field.fallback);
}

QStringList word_names(const std::vector<Schema::Word>& words) {
  QStringList names;
  for (const Schema::Word& word : words) names.append(text_of(word.name));
  return names;
}

}  // namespace

int FormItem::row() const {
  if (!parent) return 0;
  const auto here = std::find_if(parent->children.begin(), parent->children.end(),
                                 [this](const auto& child) { return child.get() == this; });
  return static_cast<int>(here - parent->children.begin());
}

bool FormItem::is_leaf() const {
  return schema->kind == Kind::number || schema->kind == Kind::text || schema->kind == Kind::word;
}

bool FormItem::is_choice() const {
  return schema->kind == Kind::word || schema->kind == Kind::one_of ||
         (schema->kind == Kind::record && field && is_optional() && field->fallback.empty());
}

bool FormItem::is_boolean() const {
  return schema->kind == Kind::word && schema->words.size() == 2 && schema->words[0].name == "true";
}

bool FormItem::is_optional() const {
  const bool only_of_member = parent && parent->member == field;
  return field && !field->required && !only_of_member;
}

QStringList FormItem::choices() const {
  QStringList names;
  switch (schema->kind) {
    case Kind::word:
      names = word_names(schema->words);
      break;
    case Kind::one_of:
      for (const Field& one : schema->fields) names.append(text_of(one.key));
      if (schema->bare) names += word_names(schema->bare->words);
      break;
    case Kind::record:
      names.append(QStringLiteral("given"));
      break;
    case Kind::text:
      if (schema->known)
        for (const std::string& known : schema->known()) names.append(text_of(known));
      break;
    case Kind::number:
      names = word_names(schema->words);
      break;
    case Kind::list:
      break;
  }
  if (is_choice() && is_optional()) names.prepend(QString());
  return names;
}

QString FormItem::set_path() const {
  QString text;
  const FormItem* above = parent;
  for (const FormItem* item = this; item->parent; item = item->parent) {
    QString step = item->name;
    above = item->parent;
    // The member of a one-of is a step of the path, but no row.
    if (above->member && !item->sibling && item->field != above->member &&
        above->schema->kind == Kind::one_of)
      step.prepend(text_of(above->member->key) + QLatin1Char('.'));
    text = text.isEmpty() ? step : step + QLatin1Char('.') + text;
  }
  return text;
}

QString FormItem::range() const {
  if (schema->kind != Kind::number) return {};
  const QString range = text_of(schema->range_text());
  if (schema->dimension == Dimension::fraction) return range + QStringLiteral(", or in %");
  QStringList units;
  for (const std::string& unit : unit_names(schema->dimension))
    if (!unit.starts_with("req")) units.append(text_of(unit));
  return units.isEmpty() ? range : range + QStringLiteral("; ") + units.join(QLatin1Char(' '));
}

QString FormItem::help() const {
  if (!field) return {};
  QString text = QStringLiteral("<b>%1</b><br>%2")
                     .arg(set_path().toHtmlEscaped(), text_of(field->help).toHtmlEscaped());
  const auto line = [&](const char* label, const QString& what) {
    if (!what.isEmpty())
      text += QStringLiteral("<br>%1: %2").arg(QLatin1String(label), what.toHtmlEscaped());
  };
  line("Value", text_of(expectation(*schema)));
  line("Range", schema->kind == Kind::number ? text_of(schema->range_text(true)) : QString());
  line("Default", default_text(*field));
  line("Source", text_of(field->source));
  return text;
}

std::unique_ptr<FormItem> form_items(const Schema& schema, const Node& root) {
  return FormBuilder().root(schema, root);
}

}  // namespace headway
