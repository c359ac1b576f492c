// How long clients wait for the answers of their attempts, and when they hang up.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/model/drawn_time.hpp"
#include "sim/model/replica.hpp"
#include "sim/model/timers.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

/// Draws what each attempt's client has of patience, and sets the timers for it.
class Patience {
 public:
  /// The scenario and the timers outlive it.
  Patience(const Scenario& scenario, Timers& timers);

  /// Whether clients of the class ever give up.
  bool ends(std::uint32_t workload_class) const { return ends_[workload_class] != 0; }
  /// An attempt of the request in this slot begins now.
  void begin(std::uint32_t slot, const Request& request, Time now);
  /// The request of `from` goes on in the slot `to`.
  void move(std::uint32_t from, std::uint32_t to) {
    if (from >= waits_.size()) return;
    const Waits waits = waits_[from];  // a copy: at() may move them all
    at(to) = waits;
  }

  struct End {
    Time at = kNever;
    Outcome why = Outcome::timed_out;
  };
  /// When, and how, the client of this answer, whose times are those at which it has its tokens,
  /// has gone away before; kNever if it has not.
  End before(std::uint32_t slot, const RequestRecord& record) const;

 private:
  struct Laws {
    DrawnTime queue, first_token, total, hang_up;
    Draw hangs_up;
  };
  /// Until when a client waits.
  struct Waits {
    Time first_token_by = kNever, last_token_by = kNever, hangs_up_at = kNever;
  };
  Waits& at(std::uint32_t slot) {
    if (slot >= waits_.size()) waits_.resize(slot + 1);
    return waits_[slot];
  }

  const Scenario& scenario_;
  Timers& timers_;
  std::vector<Laws> laws_;    // by class
  std::vector<char> ends_;    // by class
  std::vector<Waits> waits_;  // by slot
};

}  // namespace headway
