// What a text must be before a YAML parser sees it: bytes, lines and nesting within limits, and
// none of the parts of YAML that a scenario has no use for.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace headway {

/// Something wrong at a byte of a text.
struct TextFault {
  std::size_t at = 0;
  std::string message;
};

/// The first fault of a text as a scenario, by a single pass: not UTF-8, a control character, a
/// line that is too long, a tab as indentation, nesting too deep, an anchor, alias, tag, directive
/// or block scalar. Nothing when a YAML parser may see it.
std::optional<TextFault> scan_text(std::string_view text);

}  // namespace headway
