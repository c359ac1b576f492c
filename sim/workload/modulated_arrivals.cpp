// Poisson processes whose rate changes: by random states, by stages, by the time of day.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "sim/scenario/input_error.hpp"
#include "sim/workload/arrival_process.hpp"
#include "sim/workload/draw.hpp"

namespace headway {
namespace {

/// A time span of one rate, up to `end`.
struct Piece {
  double rate_per_picosecond = 0;
  Time end = 0;
  std::int64_t requests = kAnyNumber;  // so many within the piece

  static constexpr std::int64_t kAnyNumber = -1;
};

Time end_after(Time start, double picoseconds) {
  if (!(picoseconds < static_cast<double>(kLastArrival - start))) return kLastArrival;
  return start + std::llround(std::max(picoseconds, 0.0));
}

/// The pieces of an MMPP: states in turn, visit by visit.
class MmppPieces {
 public:
  MmppPieces(const std::vector<Arrivals::State>& states, const Draw& draw)
      : states_(states), draw_(draw) {
    double cycle_seconds = 0, cycle_arrivals = 0;
    for (const Arrivals::State& state : states_) {
      cycle_seconds += state.mean_seconds;
      cycle_arrivals += state.mean_seconds * state.rate;
    }
    if (!(cycle_arrivals > 0 && cycle_arrivals * 1e6 >= static_cast<double>(states_.size())))
      throw InputError(fmt::format(
          "arrivals: the mmpp's states change over a million times for each arrival ({:g} arrivals "
          "in a round of {:g} s); expected longer stays or higher rates",
          cycle_arrivals, cycle_seconds));
    // Stays are exponential, so a stationary process is in a state by its share of time, and what
    // is left of the stay is exponential again.
    double place = draw_.uniform(0) * cycle_seconds;
    while (state_ + 1 < states_.size() && place >= states_[state_].mean_seconds)
      place -= states_[state_++].mean_seconds;
  }

  bool next(Piece& piece) {
    if (piece.end >= kLastArrival) return false;
    if (visit_ > 0) state_ = state_ + 1 == states_.size() ? 0 : state_ + 1;
    ++visit_;
    const Arrivals::State& state = states_[state_];
    const double stay = -std::log(draw_.uniform(visit_)) * state.mean_seconds;
    piece.rate_per_picosecond = state.rate / kPicosecondsPerSecond;
    piece.end = end_after(piece.end, stay * kPicosecondsPerSecond);
    return true;
  }

 private:
  std::vector<Arrivals::State> states_;
  Draw draw_;
  std::size_t state_ = 0;
  std::uint64_t visit_ = 0;
};

/// The pieces of stages, one after the other.
class StagePieces {
 public:
  explicit StagePieces(const std::vector<Arrivals::Stage>& stages) : stages_(stages) {}

  bool next(Piece& piece) {
    if (stage_ == stages_.size() || piece.end >= kLastArrival) return false;
    const Arrivals::Stage& stage = stages_[stage_++];
    end_seconds_ += stage.seconds;
    piece.rate_per_picosecond = stage.rate / kPicosecondsPerSecond;
    piece.end = std::max(piece.end, end_after(0, end_seconds_ * kPicosecondsPerSecond));
    piece.requests = stage.exact ? std::llround(std::min(stage.rate * stage.seconds, kMostRequests))
                                 : Piece::kAnyNumber;
    return true;
  }

 private:
  std::vector<Arrivals::Stage> stages_;
  static constexpr double kMostRequests = 1e18;
  std::size_t stage_ = 0;
  double end_seconds_ = 0;
};

/// Poisson at the rates of the pieces, exact across their borders: the integral of the rate from
/// one arrival to the next is exponential with mean 1. In a piece with a number of requests, these
/// come at independent uniform times: what such a process is, given its number.
template <typename Pieces>
class PiecewisePoisson : public ArrivalProcess {
 public:
  PiecewisePoisson(Pieces pieces, const Draw& draw) : pieces_(std::move(pieces)), draw_(draw) {
    ended_ = !pieces_.next(piece_);
  }

  bool next(Time& at) override {
    if (ended_) return false;
    double left = -std::log(draw_.uniform(index_++));
    while (true) {
      const double span = static_cast<double>(piece_.end - now_.whole) - now_.fraction;
      if (piece_.requests > 0) {
        // The least of the times that are left, each uniform over the span: the exponential's
        // exponent over their number is the logarithm of the share of the span that stays free.
        now_.advance(-span * std::expm1(-left / static_cast<double>(piece_.requests--)));
        stay_in_piece();
        at = now_.whole;
        return true;
      }
      const bool none = piece_.requests == 0;
      const double in_piece = none ? 0 : span * piece_.rate_per_picosecond;
      if (left < in_piece) break;
      left -= std::max(in_piece, 0.0);
      now_ = {piece_.end, 0};
      if (!pieces_.next(piece_)) {
        ended_ = true;
        return false;
      }
    }
    now_.advance(left / piece_.rate_per_picosecond);
    stay_in_piece();
    at = now_.whole;
    return true;
  }

 private:
  /// Within the piece but for rounding: its end belongs to the next one.
  void stay_in_piece() {
    if (now_.whole >= piece_.end) now_ = {piece_.end - 1, 0};
  }

  Pieces pieces_;
  Draw draw_;
  Piece piece_;
  ExactTime now_;
  std::uint64_t index_ = 0;
  bool ended_ = false;
};

/// Poisson with rate · (1 + amplitude · cos(2π (t − peak_at) / period)), by thinning a Poisson
/// process of the highest rate (P. A. W. Lewis, G. S. Shedler, 1979): exact, at most two candidates
/// an arrival on average. Candidate j of an arrival takes the parts 2j and 2j + 1 of its draws.
class DiurnalArrivals : public ArrivalProcess {
 public:
  DiurnalArrivals(const Arrivals& arrivals, const Draw& draw)
      : draw_(draw),
        amplitude_(arrivals.amplitude),
        highest_(1 + std::fabs(arrivals.amplitude)),
        mean_gap_(kPicosecondsPerSecond / (arrivals.rate * highest_)),
        turns_per_picosecond_(1 / (arrivals.period_seconds * kPicosecondsPerSecond)),
        peak_turn_(arrivals.peak_at_seconds / arrivals.period_seconds) {}

  bool next(Time& at) override {
    for (std::uint64_t part = 0; !ended_; part += 2) {
      ended_ = !now_.advance(-mean_gap_ * std::log(draw_.uniform(index_, part)));
      if (ended_) break;
      const double turn = static_cast<double>(now_.whole) * turns_per_picosecond_ - peak_turn_;
      const double relative =
          1 + amplitude_ * std::cos(2 * std::numbers::pi * (turn - std::floor(turn)));
      if (draw_.uniform(index_, part + 1) * highest_ >= relative) continue;
      ++index_;
      at = now_.whole;
      return true;
    }
    return false;
  }

 private:
  Draw draw_;
  double amplitude_, highest_, mean_gap_;
  double turns_per_picosecond_, peak_turn_;
  ExactTime now_;
  std::uint64_t index_ = 0;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ArrivalProcess> make_modulated_process(const Arrivals& arrivals, std::uint64_t seed,
                                                       std::uint32_t entity) {
  const Draw draw(seed, Stream::arrivals, entity);
  if (arrivals.kind == Arrivals::Kind::mmpp)
    return std::make_unique<PiecewisePoisson<MmppPieces>>(
        MmppPieces(arrivals.states, Draw(seed, Stream::modulation, entity)), draw);
  if (arrivals.kind == Arrivals::Kind::stages)
    return std::make_unique<PiecewisePoisson<StagePieces>>(StagePieces(arrivals.stages), draw);
  return std::make_unique<DiurnalArrivals>(arrivals, draw);
}

}  // namespace headway
