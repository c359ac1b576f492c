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
  }
  return "unknown";
}

}  // namespace headway
