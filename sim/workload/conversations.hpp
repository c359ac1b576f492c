// Conversations of several turns: each prompt is all that was said before, and something new.
#pragma once

#include <cstdint>
#include <vector>

#include "models/units.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/workload/sampler.hpp"
#include "sim/workload/source.hpp"

namespace headway {

/// The conversations of one class that are under way. A conversation's draws go by its number and
/// the turn, so that no other's length or fate shifts them.
class Conversations {
 public:
  /// The class has a session. `entity` is its index: it keys the draws.
  Conversations(const WorkloadClass& workload_class, std::uint64_t seed, std::uint32_t entity);

  /// Conversation `number` begins with this request as its first turn, whose contents become the
  /// conversation's. Its handle, until it ends.
  std::uint32_t begin(std::uint64_t number, RequestBody& body);
  /// Whether a turn follows the present one: turns are left, and its prompt is not over
  /// max_context.
  bool continues(std::uint32_t handle) const { return live_[handle].next.input_tokens > 0; }
  /// From the answer to the present turn until the next, in [0, 106 days].
  Time think(std::uint32_t handle) const;
  /// Goes to the next turn, which must be there, and gives its request.
  RequestBody next_turn(std::uint32_t handle);
  void end(std::uint32_t handle);
  /// Conversations in which a turn is still to come.
  std::int64_t unfinished() const { return unfinished_; }

 private:
  struct Conversation {
    std::uint64_t number = 0;
    std::int64_t turn = 1, turns = 1;
    RequestBody next;  // input_tokens 0: none follows
  };
  void plan_next(Conversation& conversation, RequestBody& present);
  Draw draw(Stream stream, std::uint64_t number) const;

  const std::uint64_t seed_;
  const std::uint32_t entity_;
  const Sampler turns_, think_, input_, output_, bytes_;
  const std::int64_t max_context_;
  std::vector<Conversation> live_;
  std::vector<std::uint32_t> free_;
  std::int64_t unfinished_ = 0;
};

}  // namespace headway
