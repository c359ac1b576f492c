// The scenario's schema as data: a tree that says of every key what it means, its unit, range,
// default and source, and which field of the scenario it fills. The reader, --set, lists, shell
// completion, the reference and the desktop's form all walk this tree: a new key is written once.
#pragma once

#include <any>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "models/units.hpp"
#include "sim/scenario/document.hpp"

namespace headway {

/// Pointer to what a node of the schema fills: Run*, double*, std::optional<Distribution>*.
using Target = std::any;

/// A value that a binding refuses. The reader adds the value's place.
class ValueError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Schema;
using SchemaPtr = std::shared_ptr<const Schema>;

/// A key: of a record, or one member of a one-of.
struct Field {
  std::string key;
  std::string help;                           // what it means, one sentence
  SchemaPtr schema;                           // what its value may be
  std::function<Target(const Target&)> into;  // from the record's target to the value's
  bool required = false;
  std::string fallback;  // the value, as written in YAML, that an absent key stands for; "" = none
  std::string fallback_note;  // in words, where the fallback is no constant
  std::string source;         // where the key comes from: the flag of an engine, a paper
  std::string only_for;       // the kind of record that it belongs to: "LLM pools"; "" = all
  std::string example;        // a value to start from, as written in YAML, where the required keys
                              // of the schema do not make one; "" = they do

  Field needed() &&;
  Field otherwise(std::string value) &&;
  Field otherwise_in_words(std::string note) &&;
  Field from(std::string where) &&;
  Field only(std::string kind) &&;
  Field such_as(std::string value) &&;
};

/// What a value may be.
struct Schema {
  enum class Kind {
    number,  // a quantity with a unit, or one of `words`
    text,
    word,    // one of `words`
    record,  // `fields`
    list,    // of `item`
    one_of   // a map with one of `fields` (and `siblings`), or the name of a member that needs no
             // value of its own, or a `bare` value
  };
  struct Word {
    std::string name, help;
  };

  Kind kind = Kind::record;
  std::string title;  // of a part that stands in several places: "law of tokens"

  Dimension dimension = Dimension::count;  // number
  double low = 0, high = 0;                // number: range, in SI units
  bool above_low = false;                  // number: low itself is not in the range
  bool whole = false;                      // number: integers only
  std::string why;                         // number: why the range ends where it does

  std::vector<Word> words;                          // word; number
  std::function<std::vector<std::string>()> known;  // text: values that the catalogue has
  std::string name_of;          // text: may be the name of an item in the list with this name_key
  std::vector<Field> fields;    // record; one_of
  std::vector<Field> siblings;  // one_of
  SchemaPtr bare;               // one_of: a scalar's meaning
  SchemaPtr item;               // list
  std::string name_key;         // list of records that are known by name
  std::size_t at_least = 0;     // list: items

  std::function<void(const Target&, double)> store_value;      // number: empty = store_number
  std::function<void(const Target&, std::size_t)> store_word;  // index into words
  /// text: throws ValueError or ModelError. `base` is the folder that relative paths start from.
  std::function<void(const Target&, const std::string&, const std::filesystem::path& base)>
      store_text;
  std::function<Target(const Target&)> add;  // list: one more element
  /// Called when the node has been read: throws InputError for what its parts, each in its range,
  /// make together.
  std::function<void(const Target&, const Node&, const Document&)> finish;

  const Field* find(const std::string& key) const;  // among fields and siblings
  bool is_sibling(const std::string& key) const;
  std::vector<std::string> keys() const;  // of fields, then siblings
  /// "at least 1", "more than 0", "0 to 1"; "" where every number is in the range. A high end that
  /// nobody needs to know is named in full only.
  std::string range_text(bool in_full = false) const;
};

/// A number within [low, high], both in SI units.
SchemaPtr number(Dimension dimension, double low, double high);
/// A number within (low, high].
SchemaPtr number_above(Dimension dimension, double low, double high);
/// An integer within [low, high].
SchemaPtr whole_number(double low, double high);

/// Stores a number into a double*, integer*, or std::optional<double>*.
void store_number(const Target& target, double value);

/// A text stored as it stands.
SchemaPtr text();

/// This text, which may be the name of an item: name_of.
SchemaPtr naming(const std::string& name_key, const SchemaPtr& text);

template <class Enum>
struct Choice {
  std::string name;
  Enum value;
  std::string help;
};

template <class Enum>
SchemaPtr word(std::vector<Choice<Enum>> choices) {
  auto schema = std::make_shared<Schema>();
  schema->kind = Schema::Kind::word;
  for (const auto& choice : choices) schema->words.push_back({choice.name, choice.help});
  schema->store_word = [choices = std::move(choices)](const Target& target, std::size_t index) {
    *std::any_cast<Enum*>(target) = choices[index].value;
  };
  return schema;
}

/// "true" or "false".
SchemaPtr boolean();

SchemaPtr record(std::vector<Field> fields,
                 std::function<void(const Target&, const Node&, const Document&)> finish = {});

SchemaPtr one_of(std::vector<Field> members);

/// A list whose elements are appended to a std::vector<T>*.
template <class T>
SchemaPtr list(SchemaPtr item, std::size_t at_least, std::string name_key = "") {
  auto schema = std::make_shared<Schema>();
  schema->kind = Schema::Kind::list;
  schema->item = std::move(item);
  schema->at_least = at_least;
  schema->name_key = std::move(name_key);
  schema->add = [](const Target& target) -> Target {
    return &std::any_cast<std::vector<T>*>(target)->emplace_back();
  };
  return schema;
}

/// A key that fills a member of the record's struct.
template <class Record, class Member>
Field field(std::string key, Member Record::*member, SchemaPtr schema, std::string help) {
  Field made{.key = std::move(key), .help = std::move(help), .schema = std::move(schema)};
  made.into = [member](const Target& target) -> Target {
    return &(std::any_cast<Record*>(target)->*member);
  };
  return made;
}

/// A key with a binding of its own: `into` gives the value's target from the record's.
template <class Record, class Into>
Field bound(std::string key, Into into, SchemaPtr schema, std::string help) {
  Field made{.key = std::move(key), .help = std::move(help), .schema = std::move(schema)};
  made.into = [into](const Target& target) -> Target {
    return into(*std::any_cast<Record*>(target));
  };
  return made;
}

/// The schema of a scenario file; its target is a Scenario*.
const Schema& scenario_schema();

}  // namespace headway
