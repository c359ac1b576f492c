// Where requests come from: one source a workload class, drawn lazily, one ahead.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "models/units.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/workload/content.hpp"

namespace headway {

/// Token counts, contents and size of one request.
struct RequestBody {
  std::int32_t input_tokens = 1;   // ≥ 1
  std::int32_t output_tokens = 1;  // ≥ 1
  std::int64_t bytes = 0;          // sent through the front link
  Content content;                 // what the tokens say
  /// Of those under way in its class (see Conversations), or kAlone.
  std::uint32_t conversation = kAlone;
  static constexpr std::uint32_t kAlone = UINT32_MAX;
};

/// An open-loop source: arrivals in time order.
class Source {
 public:
  virtual ~Source() = default;
  /// The next request and its scheduled time (non-decreasing, from 0), or false at the end.
  /// Throws InputError for a broken trace line (file, line, what was expected).
  virtual bool next(Time& at, RequestBody& body) = 0;
  /// What the reader of the results must know about the requests given so far, as one sentence: a
  /// BurstGPT trace's failed requests. Empty when there is nothing.
  virtual std::string note() const { return {}; }
};

/// The source of a class whose arrivals are not closed-loop. `entity` is the class's index: it keys
/// the draws. Rate-driven sources are endless except stages, whose end is the last stage's end.
std::unique_ptr<Source> make_source(const WorkloadClass& workload_class, std::uint64_t seed,
                                    std::uint32_t entity);

/// Bodies of a closed loop's requests, and users' think times, by the request's number in the
/// class.
class ClosedLoad {
 public:
  ClosedLoad(const WorkloadClass& workload_class, std::uint64_t seed, std::uint32_t entity);
  ~ClosedLoad();
  RequestBody body(std::uint64_t request) const;
  /// Time before that request is sent, in [0, 106 days].
  Time think(std::uint64_t request) const;

 private:
  struct Laws;
  std::unique_ptr<Laws> laws_;
};

}  // namespace headway
