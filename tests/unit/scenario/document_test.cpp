#include "sim/scenario/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace headway {
namespace {

using ::testing::HasSubstr;

std::string refused(const std::string& text) {
  try {
    parse_document(text, "s.yaml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Document, KeepsKeysAndValuesWithTheirPlaces) {
  const std::string text = "headway: 1\nrun:\n  seed: 42   # why 42\n  stepping: 'fast'\n";
  const Document document = parse_document(text, "s.yaml");
  const Entry& run = document.root.entries.at(1);
  EXPECT_EQ(run.key, "run");
  EXPECT_EQ(document.place(run.key_at), "s.yaml:2:1");
  const Node& seed = *run.value.find("seed");
  EXPECT_EQ(seed.text, "42");
  EXPECT_FALSE(seed.quoted);
  EXPECT_EQ(document.place(seed.at), "s.yaml:3:9");
  EXPECT_EQ(text.substr(seed.at.begin, seed.at.end - seed.at.begin), "42");
  const Node& stepping = *run.value.find("stepping");
  EXPECT_TRUE(stepping.quoted);
  EXPECT_EQ(text.substr(stepping.at.begin, stepping.at.end - stepping.at.begin), "'fast'");
}

TEST(Document, ASpanOfAFlowMapEndsAfterItsBracket) {
  const std::string text = "run: {seed: 1, list: [1, 2]}\nname: x\n";
  const Document document = parse_document(text, "s.yaml");
  const Node& run = *document.root.find("run");
  EXPECT_EQ(text.substr(run.at.begin, run.at.end - run.at.begin), "{seed: 1, list: [1, 2]}");
}

TEST(Document, ColumnsCountCharactersNotBytes) {
  EXPECT_THAT(refused("{\"süß\": 1, süß: 2}\n"), HasSubstr("s.yaml:1:12: duplicate key 'süß'"));
}

TEST(Document, ReadsTextAfterAByteOrderMark) {
  EXPECT_EQ(parse_document("\xEF\xBB\xBFheadway: 1\n", "s.yaml").root.find("headway")->text, "1");
}

TEST(Document, ReadsWindowsLineEnds) {
  const Document document = parse_document("headway: 1\r\nname: a b\r\n", "s.yaml");
  EXPECT_EQ(document.root.find("name")->text, "a b");
}

TEST(Document, QuotesHoldWhatWouldOtherwiseBeYaml) {
  const Document document =
      parse_document("a: '*x & !y | > [ { #'\nb: \"it's \\\"so\\\"\"\nc: don't\nd: 'it''s'\n", "s");
  EXPECT_EQ(document.root.find("a")->text, "*x & !y | > [ { #");
  EXPECT_EQ(document.root.find("b")->text, "it's \"so\"");
  EXPECT_EQ(document.root.find("c")->text, "don't");
  EXPECT_EQ(document.root.find("d")->text, "it's");
}

TEST(Document, PlainTextMayHoldMarksInItsMiddle) {
  const Document document = parse_document("a: x * y & z! {u} [v] a|b\nb: {c: 5/s*2}\n", "s");
  EXPECT_EQ(document.root.find("a")->text, "x * y & z! {u} [v] a|b");
  EXPECT_EQ(document.root.find("b")->find("c")->text, "5/s*2");
}

TEST(Document, NestingOf32IsReadAndOf33IsNot) {
  const auto nested = [](std::size_t depth) {
    return "a: " + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "\n";
  };
  EXPECT_EQ(refused(nested(32)), "");
  EXPECT_THAT(refused(nested(34)), HasSubstr("nested more than 32 deep"));
}

TEST(Document, TextBeforeAndAfterEveryTruncationIsReadOrRefused) {
  const std::string text =
      "headway: 1\nrun: {a: [1, 'x', \"y\"], b: ~}\nlist:\n  - c: 1\n    d:\n  - - 2\n    - 3\n";
  for (std::size_t length = 0; length <= text.size(); ++length) {
    refused(text.substr(0, length));
    refused(text.substr(length));
  }
  SUCCEED();
}

TEST(Document, AnyByteAnywhereIsReadOrRefused) {
  const std::string text = "headway: 1\nrun: {a: [1, 'x'], b: 2}\nlist:\n  - c: 1\n";
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = text;
      changed[at] = static_cast<char>(byte);
      refused(changed);
    }
  }
  SUCCEED();
}

TEST(Document, AFolderAndAMissingFileAreNamed) {
  EXPECT_THROW(
      {
        try {
          read_scenario_file("/nowhere/s.yaml");
        } catch (const InputError& error) {
          EXPECT_STREQ(error.what(), "/nowhere/s.yaml: no such file");
          throw;
        }
      },
      InputError);
  EXPECT_THROW(read_scenario_file("/"), InputError);
}

TEST(Document, AnEndlessFileIsCutAndRefused) {
  EXPECT_THROW(parse_document(read_scenario_file("/dev/zero"), "/dev/zero"), InputError);
}

}  // namespace
}  // namespace headway
