#include "mutation.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace headway {
namespace {

const std::array<std::string, 28> kNumbers = {"0",
                                              "-1",
                                              "1",
                                              "010",
                                              "0x10",
                                              "1e308",
                                              "1e-308",
                                              "1e999",
                                              "-0",
                                              "nan",
                                              ".inf",
                                              "2147483647",
                                              "2147483648",
                                              "-2147483649",
                                              "4294967296",
                                              "9223372036854775807",
                                              "9223372036854775808",
                                              "18446744073709551616",
                                              "0.0000000000000000001",
                                              "1e7",
                                              "1e15",
                                              "99999999999999999999999999999999999999",
                                              "1.",
                                              "1_000",
                                              "2",
                                              "17",
                                              "0.5",
                                              "300"};

const std::string kPieces[] = {std::string(1, '\0'),
                               "\n",
                               "\r\n",
                               "\t",
                               " ",
                               ": ",
                               "- ",
                               "{",
                               "}",
                               "[",
                               "]",
                               ",",
                               "\"",
                               "'",
                               "#",
                               "&a ",
                               "*a",
                               "!!int ",
                               "|\n",
                               ">\n",
                               "---\n",
                               "...\n",
                               "%YAML 1.2\n",
                               "<<: ",
                               "?",
                               "\xff",
                               "\xef\xbb\xbf",
                               "\xc3",
                               "\x1b",
                               "\\",
                               "${HEADWAY_DATA}",
                               "null",
                               "true",
                               "~"};

/// The digits, signs and dots around `at`, as [from, to).
std::pair<std::size_t, std::size_t> number_at(const std::string& text, std::size_t at) {
  const auto in_number = [&](std::size_t i) {
    return std::isdigit(static_cast<unsigned char>(text[i])) || text[i] == '.' || text[i] == '-';
  };
  std::size_t from = at, to = at;
  while (from > 0 && in_number(from - 1)) --from;
  while (to < text.size() && in_number(to)) ++to;
  return {from, to};
}

void change_number(std::string& text, FuzzDice& dice) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    const auto [from, to] = number_at(text, dice.below(text.size()));
    if (from == to) continue;
    text.replace(from, to - from, dice.one_of(kNumbers));
    return;
  }
}

/// Where a line near a random place begins and ends, its end of line included.
std::pair<std::size_t, std::size_t> line_at(const std::string& text, FuzzDice& dice) {
  const std::size_t at = dice.below(text.size());
  const std::size_t before = text.rfind('\n', at == 0 ? 0 : at - 1);
  const std::size_t from = before == std::string::npos ? 0 : before + 1;
  const std::size_t after = text.find('\n', from);
  return {from, after == std::string::npos ? text.size() : after + 1};
}

void change(std::string& text, FuzzDice& dice, const std::vector<std::string>& dictionary) {
  if (text.empty()) text = " ";
  const std::size_t at = dice.below(text.size());
  const std::size_t length = 1 + dice.below(std::min<std::size_t>(text.size() - at, 40));
  switch (dice.below(11)) {
    case 0:
      text[at] = static_cast<char>(text[at] ^ (1 << dice.below(8)));
      break;
    case 1:
      text[at] = static_cast<char>(dice.below(256));
      break;
    case 2:
      text.erase(at, length);
      break;
    case 3:
      text.insert(at, text.substr(at, length));
      break;
    case 4:
      text.insert(dice.below(text.size()), text.substr(at, length));
      break;
    case 5: {
      const auto [from, to] = line_at(text, dice);
      const std::string line = text.substr(from, to - from);
      if (dice.chance(0.5)) text.erase(from, to - from);
      text.insert(dice.chance(0.5) || text.empty() ? 0 : line_at(text, dice).first, line);
      break;
    }
    case 6:
      text.resize(at);
      break;
    case 7:
      text.insert(at, kPieces[dice.below(std::size(kPieces))]);
      break;
    case 8:
      if (!dictionary.empty()) text.insert(at, dice.one_of(dictionary));
      break;
    case 9: {
      std::string many;
      const std::string piece = text.substr(at, std::min<std::size_t>(length, 4));
      for (std::size_t i = 1 + dice.below(2000); i > 0; --i) many += piece;
      text.insert(at, many);
      break;
    }
    default:
      change_number(text, dice);
  }
}

}  // namespace

std::string mutated(std::string_view text, FuzzDice& dice,
                    const std::vector<std::string>& dictionary) {
  std::string result(text);
  // Most mutations change numbers alone, so that many get past the parser.
  const bool numbers_alone = dice.chance(0.3);
  for (std::size_t changes = 1 + dice.below(8); changes > 0; --changes) {
    if (numbers_alone && !result.empty()) {
      change_number(result, dice);
    } else {
      change(result, dice, dictionary);
    }
  }
  return result;
}

}  // namespace headway
