#include "models/json_reader.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headway {
namespace {

std::vector<double> numbers_of(const std::string& text) {
  std::vector<double> numbers;
  JsonReader reader(text);
  reader.array([&] { numbers.push_back(reader.number()); });
  reader.finish();
  return numbers;
}

TEST(JsonReader, ReadsNumbersAsTheNearestDouble) {
  EXPECT_EQ(numbers_of("[0, 7,13.1,2.89,0.5, 123456789012.345,1e-7,-2.5E+3, 12345678901234567890]"),
            (std::vector<double>{0, 7, 13.1, 2.89, 0.5, 123456789012.345, 1e-7, -2500,
                                 12345678901234567890.0}));
  EXPECT_EQ(numbers_of(" [ ] "), std::vector<double>());
}

TEST(JsonReader, RefusesWhatIsNoNumber) {
  for (const char* bad :
       {"[01]", "[1.]", "[.5]", "[+1]", "[1e]", "[--1]", "[1.2.3]", "[0x1]", "[1,]", "[,1]",
        "[1 2]", "[1", "[1e999]", "[NaN]", "[null]", "1", "", "[1]]", "[00.5]"}) {
    EXPECT_THROW(numbers_of(bad), JsonError) << bad;
  }
}

TEST(JsonReader, ReadsTextsWithTheirEscapes) {
  const std::string text = R"(["plain", "a \"b\" \u00e9\n", ""])";
  std::vector<std::string> texts;
  JsonReader reader(text);
  reader.array([&] { texts.push_back(reader.text()); });
  EXPECT_EQ(texts, (std::vector<std::string>{"plain", "a \"b\" é\n", ""}));
  JsonReader open("\"never ends\\\"");
  EXPECT_THROW(open.text(), JsonError);
  JsonReader wrong("\"\\u12\"");
  EXPECT_THROW(wrong.text(), JsonError);
}

TEST(JsonReader, SkipsWhatIsNotAskedFor) {
  const std::string text =
      R"({"a": {"x": [1, [2, "]"], {"y": "}"}]}, "b": [1,2,3], "c": "d\"e", "d": true, "e": 7})";
  double last = 0;
  std::vector<std::string> left_out;
  JsonReader reader(text);
  reader.object([&](std::string_view key) {
    if (key == "e") {
      last = reader.number();
    } else {
      left_out.emplace_back(reader.skip());
    }
  });
  reader.finish();
  EXPECT_EQ(last, 7);
  EXPECT_EQ(left_out, (std::vector<std::string>{R"({"x": [1, [2, "]"], {"y": "}"}]})", "[1,2,3]",
                                                R"("d\"e")", "true"}));
}

TEST(JsonReader, RefusesASecondKeyOfTheSameNameInAnObject) {
  const auto keys_of = [](const std::string& text) {
    std::size_t keys = 0;
    JsonReader reader(text);
    reader.object([&](std::string_view) {
      ++keys;
      reader.skip();
    });
    return keys;
  };
  std::string many;
  for (int i = 0; i < 100; ++i) many += fmt::format("\"k{}\": {}, ", i, i);
  EXPECT_EQ(keys_of("{" + many + "\"k\": 0}"), 101u);
  EXPECT_EQ(keys_of(R"({"a": 1, "A": 2, "b": {"a": 3}})"), 3u);
  for (const std::string& twice : {std::string(R"({"a": 1, "b": 2, "a": 1})"),
                                   "{" + many + "\"k3\": 0}", "{" + many + "\"k99\": 0}"}) {
    EXPECT_THROW(keys_of(twice), JsonError) << twice;
  }
}

TEST(JsonReader, DoesNotSkipWhatNeverCloses) {
  for (const std::string& bad :
       {std::string("{\"a\": [1, {\"b\": 2]}"), std::string("[1, 2"), std::string("{\"a\""),
        std::string("[\"a"), std::string(100, '['), std::string("truth"), std::string()}) {
    JsonReader reader(bad);
    EXPECT_THROW(reader.skip(), JsonError) << bad;
  }
}

}  // namespace
}  // namespace headway
