#include "sim/serving/backoff.hpp"

#include <algorithm>
#include <cmath>

namespace headway {

Backoff::Backoff(const Retries& rules, std::uint64_t seed, std::uint32_t workload_class)
    : rules_(rules), draw_(seed, Stream::backoff, workload_class) {}

bool Backoff::again(Failure why, std::int32_t attempts) const {
  if (attempts >= rules_.attempts) return false;
  switch (why) {
    case Failure::rejected:
      return rules_.rejected;
    case Failure::refused:
      return false;
    case Failure::timed_out:
      return rules_.timed_out;
    case Failure::lost:
      return rules_.lost;
  }
  return false;
}

Picoseconds Backoff::delay(std::uint64_t request, std::int32_t attempts) const {
  if (rules_.backoff_seconds == 0) return 0;
  const double base = std::min(rules_.longest_seconds,
                               rules_.backoff_seconds * std::pow(rules_.factor, attempts - 1));
  double seconds = base;
  const auto uniform = [&] { return draw_.uniform(request, static_cast<std::uint64_t>(attempts)); };
  switch (rules_.jitter) {
    case Retries::Jitter::none:
      break;
    case Retries::Jitter::equal:
      seconds = base / 2 + uniform() * base / 2;
      break;
    case Retries::Jitter::full:
      seconds = uniform() * base;
      break;
    case Retries::Jitter::exponential:
      seconds = -std::log(uniform()) * base;
      break;
  }
  constexpr double kLongest = 106 * 86400.0;
  return to_picoseconds(std::min(seconds, kLongest));
}

}  // namespace headway
