// When requests arrive, by a law: constant, renewal (Poisson, gamma), modulated (MMPP, stages,
// diurnal).
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>

#include "models/units.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

/// The last time at which a request may arrive: 106 days after the run's start, in picoseconds.
inline constexpr Time kLastArrival = Time{106} * 86'400 * 1'000'000'000'000;

/// Arrival times of one class, one after the other. Every arrival has its own draws, keyed by its
/// number.
class ArrivalProcess {
 public:
  virtual ~ArrivalProcess() = default;
  /// The next arrival (non-decreasing, from 0), or false at the end: after the last stage, or past
  /// kLastArrival. After false it stays false.
  virtual bool next(Time& at) = 0;
};

/// The process of a law that is driven by rates (not trace, not closed):
/// - constant: arrival i at i / rate, exact to the nearest picosecond without drift, the first at
/// 0;
/// - poisson, gamma: independent gaps, the first arrival after one gap;
/// - mmpp: states in turn with exponential stays, Poisson within; the first state is drawn by the
///   states' shares of time, so the process is stationary from 0;
/// - stages: Poisson at each stage's rate, or an exact number of requests at independent uniform
///   times; ends at the last stage's end;
/// - diurnal: Poisson whose rate follows the cosine of the day.
/// Throws InputError for a rate over one arrival a picosecond and for an MMPP that changes its
/// state over a million times an arrival. Needs `arrivals` only during the call.
std::unique_ptr<ArrivalProcess> make_arrival_process(const Arrivals& arrivals, std::uint64_t seed,
                                                     std::uint32_t entity);

/// Used by make_arrival_process: the laws whose rate changes (mmpp, stages, diurnal).
std::unique_ptr<ArrivalProcess> make_modulated_process(const Arrivals& arrivals, std::uint64_t seed,
                                                       std::uint32_t entity);

/// A time that grows by fractions of a picosecond without losing them.
struct ExactTime {
  Time whole = 0;
  double fraction = 0;  // of a picosecond, in [0, 1)

  /// Moves on by picoseconds ≥ 0; false, and nothing moves, if that is past kLastArrival.
  bool advance(double picoseconds) {
    if (!(picoseconds < static_cast<double>(kLastArrival - whole))) return false;
    const double sum = fraction + picoseconds;
    const auto step = static_cast<Time>(sum);
    whole += step;
    fraction = sum - static_cast<double>(step);
    return true;
  }
};

}  // namespace headway
