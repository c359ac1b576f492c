#include "sim/model/events.hpp"

namespace headway {

const char* outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::completed:
      return "completed";
    case Outcome::rejected_queue_full:
      return "queue full";
    case Outcome::rejected_kv_capacity:
      return "larger than the KV cache";
    case Outcome::rejected_model_length:
      return "longer than max_model_len";
    case Outcome::rejected_rate_limit:
      return "over the rate limit";
    case Outcome::rejected_overload:
      return "too many inside";
    case Outcome::rejected_no_replica:
      return "no replica ready";
    case Outcome::timed_out:
      return "timed out";
    case Outcome::hung_up:
      return "client hung up";
    case Outcome::lost:
      return "lost with its replica";
  }
  return "unknown";
}

const char* phase_name(ReplicaPhase phase) {
  static constexpr const char* kNames[kReplicaPhases] = {
      "off",     "ordered", "provisioning", "image", "process",  "weights",
      "compile", "capture", "warming",      "ready", "draining", "down"};
  return kNames[static_cast<int>(phase)];
}

}  // namespace headway
