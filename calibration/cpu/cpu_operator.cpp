#include "calibration/cpu/cpu_operator.hpp"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace headway {

namespace {

using SteadyClock = std::chrono::steady_clock;

// Time that this thread had a core: what other processes took in between does not count.
double core_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Reads as much memory as the last cache level holds, so that nothing of the last run is left in
// it.
void flush_caches() {
  static const std::vector<std::uint64_t> other = [] {
    const long level3 = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
    const long bytes = std::clamp(level3, 8L << 20, 64L << 20);
    return std::vector<std::uint64_t>(static_cast<std::size_t>(bytes) / 8, 1);
  }();
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < other.size(); i += 8) sum += other[i];  // one a cache line
  asm volatile("" : : "r"(sum));                                      // the sum counts as used
}

float spread(std::uint64_t index, std::uint32_t salt) {
  std::uint64_t value = index * 0x9e3779b97f4a7c15u + salt * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 29)) * 0x94d049bb133111ebu;
  return static_cast<float>(static_cast<std::int32_t>(value >> 32)) * 0x1p-31f;
}

}  // namespace

std::vector<float> filled(std::int64_t count, float scale, std::uint32_t salt) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = scale * spread(i, salt);
  return values;
}

std::vector<Bf16> filled_bf16(std::int64_t count, float scale, std::uint32_t salt) {
  std::vector<Bf16> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = to_bf16(scale * spread(i, salt));
  return values;
}

void Deadline::check() const {
  if (SteadyClock::now() > end_) throw PointError(PointFault::timed_out, "a run took too long");
}

void check_memory(double bytes, double limit) {
  if (bytes > limit)
    throw PointError(
        PointFault::out_of_memory,
        fmt::format("{:.0f} MB of buffers; a point may take {:.0f} MB", bytes / 1e6, limit / 1e6));
}

void Comparison::add(double got, double expected) {
  ++count_;
  finite_ = finite_ && std::isfinite(got);
  difference_ = std::max(difference_, std::abs(got - expected));
  magnitude_ = std::max(magnitude_, std::abs(expected));
}

Verification Comparison::result(double tolerance) const {
  Verification verification;
  verification.compared = count_;
  verification.tolerance = tolerance;
  verification.error = !finite_ ? 1e300 : magnitude_ > 0 ? difference_ / magnitude_ : difference_;
  return verification;
}

double CpuOperator::run_once(double timeout_seconds) {
  flush_caches();
  const double begin = core_seconds();
  run(Deadline(timeout_seconds));
  return std::max(core_seconds() - begin, 1e-9);
}

void CpuOperator::verify(double timeout_seconds) {
  run(Deadline(timeout_seconds));
  verification_ = compare();
  if (verification_.compared == 0 || !(verification_.error <= verification_.tolerance))
    throw PointError(PointFault::wrong_result,
                     fmt::format("the result differs from the reference by {:.2g} of its "
                                 "magnitude, over the tolerance of {:.2g}",
                                 verification_.error, verification_.tolerance));
}

}  // namespace headway
