// The model's view of time: a clock that wakes entities. Parts of the model are plain objects
// behind wake(entity, time); events run in order of (time, entity), so ties are deterministic.
#pragma once

#include <cstdint>

#include "models/units.hpp"

namespace headway {

/// A part of the model that can be woken; dense numbers from 0. Among events of one instant the
/// lower number runs first.
using Entity = std::uint32_t;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time now() const = 0;
  /// Sets the entity's one wake-up, at now() or later, replacing an earlier one; kNever clears it.
  /// A run that reaches kEndOfTime ends there with a RunError.
  virtual void wake(Entity entity, Time at) = 0;
  /// Whether an event of `entity` at now(), had it been set before now(), would already have run.
  /// Lets an object that skipped events tell on which side of the present instant they lie.
  virtual bool passed(Entity entity) const = 0;
};

/// What an engine runs.
class Process {
 public:
  virtual ~Process() = default;
  virtual void on_wake(Entity entity, Time now) = 0;
  /// A transfer of Network::send has arrived in full.
  virtual void on_transfer(std::uint64_t tag, Time now) = 0;
  /// True once the run is over; asked after every event.
  virtual bool finished() const = 0;
};

}  // namespace headway
