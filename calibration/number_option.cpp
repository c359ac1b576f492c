#include "calibration/number_option.hpp"

#include <fmt/format.h>

#include <charconv>

namespace headway {

CLI::Validator number_from(double least, double most) {
  const auto check = [least, most](const std::string& text) -> std::string {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && value >= least && value <= most)
      return "";
    return fmt::format("expected a number from {:g} to {:g} (found {})", least, most, text);
  };
  return {check, fmt::format("FLOAT in [{:g} - {:g}]", least, most)};
}

}  // namespace headway
