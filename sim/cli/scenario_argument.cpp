#include "sim/cli/scenario_argument.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "sim/scenario/document.hpp"
#include "sim/scenario/load.hpp"

namespace headway {

namespace {

constexpr const char* kStandardInput = "-";

// Up to one byte over the limit, which parse_scenario then refuses by name.
std::string read_standard_input() {
  std::string text(kMaxFileBytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t count = ::read(STDIN_FILENO, text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      throw InputError(std::string("the standard input cannot be read: ") + std::strerror(errno));
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  text.resize(size);
  return text;
}

}  // namespace

Scenario load_argument(const std::string& scenario, const std::string& as,
                       const std::vector<std::string>& sets) {
  if (scenario != kStandardInput) {
    if (!as.empty())
      throw InputError("--as " + as + " names the standard input; expected '-' as SCENARIO, not '" +
                       scenario + "'");
    return load_scenario(scenario, sets);
  }
  const std::string file = as.empty() ? "standard input" : as;
  return parse_scenario(read_standard_input(), file, std::filesystem::path(as).parent_path(), sets);
}

}  // namespace headway
