#include "sim/scenario/patch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>

namespace headway {
namespace {

using namespace std::string_literals;

const std::string kText = R"(# A comment.
headway: 1
name: 'two words'   # in quotes
workload:
  - class: chat
    arrivals: {poisson: {rate: 30 /s}}  # as measured

    input_tokens: {lognormal: {mean: 1155, p95: 4083}, max: 8192}
  # between
  - class: batch
    arrivals:
      stages:
        - {rate: 1 /s, for: 1 min}
        - {rate: 2 /s, for: 1 min}
fleet:
  - pool: main
    kv: {}
    replicas: 2
router: least_requests
front:
)";

std::string scalar(const std::string& text, const NodePath& path, const std::string& value,
                   Quotes quotes = Quotes::never) {
  return edited(text, set_scalar(text, path, value, quotes));
}
std::string value(const std::string& text, const NodePath& path, const std::string& yaml) {
  return edited(text, set_value(text, path, yaml));
}
std::string removed(const std::string& text, const NodePath& path) {
  return edited(text, remove_value(text, path));
}

/// The text with one part of it replaced, which is there once.
std::string with(std::string text, const std::string& part, const std::string& other) {
  const std::size_t at = text.find(part);
  EXPECT_TRUE(at != std::string::npos && text.find(part, at + 1) == std::string::npos) << part;
  return text.replace(at, part.size(), other);
}

TEST(Patch, changes_a_scalar_and_nothing_else) {
  EXPECT_EQ(scalar(kText, {"workload"s, 0u, "arrivals"s, "poisson"s, "rate"s}, "40 /s"),
            with(kText, "30 /s", "40 /s"));
  EXPECT_EQ(scalar(kText, {"fleet"s, 0u, "replicas"s}, "16"),
            with(kText, "replicas: 2", "replicas: 16"));
}

TEST(Patch, keeps_the_quotes_of_a_text) {
  EXPECT_EQ(scalar(kText, {"name"s}, "it's", Quotes::as_found),
            with(kText, "'two words'", "'it''s'"));
  const std::string doubled = with(kText, "'two words'", "\"two words\"");
  EXPECT_EQ(scalar(doubled, {"name"s}, "a \"b\" \\", Quotes::as_found),
            with(kText, "'two words'", R"("a \"b\" \\")"));
}

TEST(Patch, quotes_a_text_only_where_it_would_read_as_something_else) {
  const std::string plain = with(kText, "'two words'", "words");
  const auto named = [&](const std::string& text) {
    return scalar(plain, {"name"s}, text, Quotes::as_found);
  };
  EXPECT_EQ(named("words, more [of] them"), with(plain, "words ", "words, more [of] them "));
  EXPECT_EQ(named("key: value"), with(plain, "words ", "\"key: value\" "));
  EXPECT_EQ(named("a # b"), with(plain, "words ", "\"a # b\" "));
  EXPECT_EQ(named(""), with(plain, "words ", "\"\" "));
  EXPECT_EQ(named("~"), with(plain, "words ", "\"~\" "));
  EXPECT_EQ(named("{"), with(plain, "words ", "\"{\" "));
  EXPECT_EQ(scalar("headway: 1\na: {b: c}\n", {"a"s, "b"s}, "x, y", Quotes::as_found),
            "headway: 1\na: {b: \"x, y\"}\n");
}

TEST(Patch, adds_a_key_to_a_block_map_on_a_line_of_its_own) {
  EXPECT_EQ(scalar(kText, {"fleet"s, 0u, "max_queue"s}, "9"),
            with(kText, "    replicas: 2\n", "    replicas: 2\n    max_queue: 9\n"));
  EXPECT_EQ(scalar("a: 1  # one\n# end", {"b"s}, "2"), "a: 1  # one\nb: 2\n# end");
  EXPECT_EQ(scalar("a: 1", {"b"s}, "2"), "a: 1\nb: 2");
  EXPECT_EQ(value(kText, {"workload"s, 1u, "slo"s}, "{ttft: 1 s}"),
            with(kText, "        - {rate: 2 /s, for: 1 min}\n",
                 "        - {rate: 2 /s, for: 1 min}\n    slo: {ttft: 1 s}\n"));
}

TEST(Patch, adds_a_key_to_a_flow_map_after_its_last) {
  EXPECT_EQ(scalar(kText, {"workload"s, 0u, "input_tokens"s, "min"s}, "2"),
            with(kText, "max: 8192}", "max: 8192, min: 2}"));
  EXPECT_EQ(scalar(kText, {"fleet"s, 0u, "kv"s, "blocks"s}, "7"),
            with(kText, "kv: {}", "kv: {blocks: 7}"));
  EXPECT_EQ(scalar("a: {b: 1,  # one, }\n    c: 2,\n   }\n", {"a"s, "d"s}, "3"),
            "a: {b: 1,  # one, }\n    c: 2,\n    d: 3,\n   }\n");
}

TEST(Patch, adds_the_maps_that_are_missing_on_the_way) {
  EXPECT_EQ(scalar(kText, {"fleet"s, 0u, "batching"s, "continuous"s, "max_num_seqs"s}, "64"),
            with(kText, "replicas: 2\n",
                 "replicas: 2\n    batching: {continuous: {max_num_seqs: 64}}\n"));
  EXPECT_EQ(scalar(kText, {"front"s, "latency"s}, "1 ms"),
            with(kText, "front:\n", "front: {latency: 1 ms}\n"));
  EXPECT_EQ(scalar("a: ~  # none\n", {"a"s, "b"s}, "1"), "a: {b: 1}  # none\n");
}

TEST(Patch, removes_a_key_with_its_line) {
  EXPECT_EQ(removed(kText, {"fleet"s, 0u, "replicas"s}), with(kText, "    replicas: 2\n", ""));
  EXPECT_EQ(removed(kText, {"workload"s, 0u, "input_tokens"s, "max"s}),
            with(kText, ", max: 8192", ""));
  EXPECT_EQ(removed(kText, {"workload"s, 0u, "input_tokens"s, "lognormal"s, "mean"s}),
            with(kText, "mean: 1155, ", ""));
  EXPECT_EQ(removed(kText, {"workload"s, 1u, "class"s}),
            with(kText, "- class: batch\n    arrivals:", "- arrivals:"));
  EXPECT_EQ(removed("a: 1\nb: 2", {"b"s}), "a: 1");
}

TEST(Patch, the_only_key_leaves_an_empty_map) {
  EXPECT_EQ(removed("a:  # why\n  b: 1\nc: 2\n", {"a"s, "b"s}), "a: {}  # why\nc: 2\n");
  EXPECT_EQ(removed("a: { b: 1, }\n", {"a"s, "b"s}), "a: {}\n");
  EXPECT_EQ(removed("a:\n  - b: 1\n", {"a"s, 0u, "b"s}), "a:\n  - {}\n");
  EXPECT_EQ(removed("a:\n  - 1\nb: 2\n", {"a"s, 0u}), "a: []\nb: 2\n");
}

TEST(Patch, exchanges_the_member_of_a_one_of_and_keeps_what_stands_beside_it) {
  EXPECT_EQ(edited(kText, replace_entry(kText, {"workload"s, 0u, "input_tokens"s, "lognormal"s},
                                        "fixed", "512")),
            with(kText, "lognormal: {mean: 1155, p95: 4083}", "fixed: 512"));
  EXPECT_EQ(value(kText, {"router"s}, "{random: {}}"),
            with(kText, "router: least_requests", "router: {random: {}}"));
  EXPECT_EQ(
      edited(kText, replace_entry(kText, {"workload"s, 1u, "arrivals"s, "stages"s}, "constant",
                                  "{rate: 1 /s}")),
      with(kText,
           "stages:\n        - {rate: 1 /s, for: 1 min}\n        - {rate: 2 /s, for: 1 min}\n",
           "constant: {rate: 1 /s}\n"));
}

TEST(Patch, adds_and_removes_items_of_lists) {
  const NodePath first = {"workload"s, 1u, "arrivals"s, "stages"s, 0u};
  const std::string more = edited(kText, add_item_after(kText, first, "{rate: 3 /s, for: 1 h}"));
  EXPECT_EQ(more, with(kText, "        - {rate: 2 /s",
                       "        - {rate: 3 /s, for: 1 h}\n        - {rate: 2 /s"));
  EXPECT_EQ(removed(more, {"workload"s, 1u, "arrivals"s, "stages"s, 1u}), kText);
  EXPECT_EQ(edited("a: [1, 2]\n", add_item_after("a: [1, 2]\n", {"a"s, 1u}, "3")),
            "a: [1, 2, 3]\n");
  EXPECT_EQ(removed("a: [1, 2, 3]\n", {"a"s, 0u}), "a: [2, 3]\n");
  EXPECT_EQ(removed("a: [1, 2, 3]\n", {"a"s, 2u}), "a: [1, 2]\n");
}

TEST(Patch, an_item_can_be_written_again_with_its_lines_and_comments) {
  const NodePath pool = {"fleet"s, 0u};
  EXPECT_EQ(item_text(kText, pool), "pool: main\nkv: {}\nreplicas: 2");
  EXPECT_EQ(edited(kText, add_item_after(kText, pool, item_text(kText, pool))),
            with(kText, "    replicas: 2\n",
                 "    replicas: 2\n  - pool: main\n    kv: {}\n    replicas: 2\n"));
}

TEST(Patch, refuses_what_it_cannot_do_exactly) {
  EXPECT_THROW(set_scalar(kText, {"router"s, "random"s}, "1", Quotes::never), InputError);
  EXPECT_THROW(set_scalar(kText, {"name"s}, "a: b", Quotes::never), InputError);
  EXPECT_THROW(set_scalar(kText, {"name"s}, "a\nb: c", Quotes::never), InputError);
  EXPECT_THROW(set_value(kText, {"fleet"s, 7u}, "1"), InputError);
  EXPECT_THROW(remove_value(kText, {"absent"s}), InputError);
  EXPECT_THROW(remove_value(kText, {}), InputError);
  EXPECT_THROW(replace_entry(kText, {"fleet"s, 0u}, "x", "1"), InputError);
  EXPECT_THROW(add_item_after(kText, {"name"s}, "1"), InputError);
  EXPECT_THROW(set_scalar("a: [", {"a"s}, "1", Quotes::never), InputError);
}

std::string with_carriage_returns(const std::string& text) {
  std::string result;
  for (const char letter : text) result += letter == '\n' ? "\r\n"s : std::string(1, letter);
  return result;
}

TEST(Patch, keeps_line_ends_and_the_byte_order_mark) {
  const std::string text = "\xEF\xBB\xBF" + with_carriage_returns("a: 1\nb:\n  c: 2\n");
  EXPECT_EQ(scalar(text, {"a"s}, "3"), with(text, "1", "3"));
  EXPECT_EQ(scalar(text, {"b"s, "d"s}, "3"), with(text, "c: 2\r\n", "c: 2\r\n  d: 3\r\n"));
  EXPECT_EQ(removed(text, {"a"s}), with(text, "a: 1\r\n", ""));
}

/// Calls visit with the path of every value below a node; of lists, the first items stand for all.
void walk(const Node& node, const NodePath& at,
          const std::function<void(const NodePath&, const Node&)>& visit) {
  if (!at.empty()) visit(at, node);
  for (const Entry& entry : node.entries) {
    NodePath below = at;
    below.emplace_back(entry.key);
    walk(entry.value, below, visit);
  }
  for (std::size_t index = 0; index < std::min<std::size_t>(node.items.size(), 3); ++index) {
    NodePath below = at;
    below.emplace_back(index);
    walk(node.items[index], below, visit);
  }
}

void change_every_value(const std::string& text, const std::string& file) {
  const Document document = parse_document(text, file);
  walk(document.root, {}, [&](const NodePath& at, const Node& node) {
    SCOPED_TRACE(file + " " + path_text(at));
    if (node.kind == Node::Kind::scalar) {
      EXPECT_EQ(scalar(text, at, node.text, Quotes::as_found), text);
      const std::string other = scalar(text, at, "other", Quotes::as_found);
      EXPECT_NE(other, text);
      EXPECT_EQ(scalar(other, at, node.text, Quotes::as_found), text);
    }
    if (node.kind == Node::Kind::map) {
      NodePath fresh = at;
      fresh.emplace_back("fresh");
      EXPECT_EQ(removed(scalar(text, fresh, "1"), fresh), text);
    }
    if (node.kind != Node::Kind::null) remove_value(text, at);  // checks itself
    if (std::holds_alternative<std::size_t>(at.back())) {
      NodePath next = at;
      ++std::get<std::size_t>(next.back());
      const std::string doubled = edited(text, add_item_after(text, at, item_text(text, at)));
      EXPECT_EQ(removed(doubled, next), text);
    }
  });
}

TEST(Patch, every_value_of_every_ready_scenario_can_be_changed_and_changed_back) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(HEADWAY_SOURCE_DIR "/scenarios")) {
    if (entry.path().extension() != ".yaml") continue;
    ++files;
    const std::string text = read_scenario_file(entry.path().string());
    change_every_value(text, entry.path().filename().string());
    if (entry.path().stem() == "chatbot")
      change_every_value(with_carriage_returns(text), "chatbot.yaml with carriage returns");
  }
  EXPECT_GE(files, 10);
}

}  // namespace
}  // namespace headway
