#include "sim/workload/conversations.hpp"

#include <algorithm>
#include <cmath>

#include "sim/workload/arrival_process.hpp"
#include "sim/workload/request_lengths.hpp"

namespace headway {
namespace {

constexpr std::int64_t kLongestContext = 1'000'000'000;

Sampler sampler_of(const std::optional<Distribution>& law) {
  return law ? Sampler(*law) : Sampler();
}

}  // namespace

Conversations::Conversations(const WorkloadClass& workload_class, std::uint64_t seed,
                             std::uint32_t entity)
    : seed_(seed),
      entity_(entity),
      turns_(workload_class.session->turns),
      think_(workload_class.session->think),
      input_(sampler_of(workload_class.session->input_tokens ? workload_class.session->input_tokens
                                                             : workload_class.input_tokens)),
      output_(sampler_of(workload_class.output_tokens)),
      bytes_(sampler_of(workload_class.request_bytes)),
      max_context_(workload_class.session->max_context > 0 ? workload_class.session->max_context
                                                           : kLongestContext) {}

Draw Conversations::draw(Stream stream, std::uint64_t number) const {
  return {seed_, stream, mix64(number) + entity_};
}

std::uint32_t Conversations::begin(std::uint64_t number, RequestBody& body) {
  std::uint32_t handle = static_cast<std::uint32_t>(live_.size());
  if (free_.empty()) {
    live_.emplace_back();
  } else {
    handle = free_.back();
    free_.pop_back();
  }
  Conversation& conversation = live_[handle];
  conversation.number = number;
  conversation.turn = 1;
  conversation.turns = whole_tokens(turns_(draw(Stream::turns, number), 0));
  body.content.own = content_identity(ContentOf::conversation, entity_, number);
  plan_next(conversation, body);
  return handle;
}

/// Works out the turn after the present one, and tells that one whether there is any.
void Conversations::plan_next(Conversation& conversation, RequestBody& present) {
  RequestBody& next = conversation.next;
  next = {};
  next.input_tokens = 0;
  present.content.continues = false;
  if (conversation.turn >= conversation.turns) return;
  const auto turn = static_cast<std::uint64_t>(conversation.turn);
  const std::uint64_t number = conversation.number;
  const std::int64_t said = std::int64_t{present.input_tokens} + present.output_tokens;
  const std::int64_t prompt =
      said + whole_tokens(input_(draw(Stream::turn_input_tokens, number), turn));
  if (prompt > max_context_) return;
  next.input_tokens = static_cast<std::int32_t>(prompt);
  next.output_tokens = whole_tokens(output_(draw(Stream::turn_output_tokens, number), turn));
  next.bytes =
      std::llround(std::clamp(bytes_(draw(Stream::turn_request_size, number), turn), 0.0, 1e18));
  next.content = present.content;
  present.content.continues = true;
  ++unfinished_;
}

Time Conversations::think(std::uint32_t handle) const {
  const Conversation& conversation = live_[handle];
  const double picoseconds = think_(draw(Stream::turn_think_time, conversation.number),
                                    static_cast<std::uint64_t>(conversation.turn)) *
                             kPicosecondsPerSecond;
  if (!(picoseconds < static_cast<double>(kLastArrival))) return kLastArrival;
  return std::llround(std::max(picoseconds, 0.0));
}

RequestBody Conversations::next_turn(std::uint32_t handle) {
  Conversation& conversation = live_[handle];
  RequestBody body = std::move(conversation.next);
  --unfinished_;
  ++conversation.turn;
  plan_next(conversation, body);
  return body;
}

void Conversations::end(std::uint32_t handle) {
  if (continues(handle)) --unfinished_;
  free_.push_back(handle);
}

}  // namespace headway
