// The queue's door: serving's admission, told as the outcome of a request.
#pragma once

#include "sim/model/events.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/serving/admission.hpp"

namespace headway {

inline Outcome admission_outcome(const Pool& pool, const RequestRecord& record,
                                 std::int64_t waiting) {
  switch (admit(pool, record.input_tokens, record.output_tokens, waiting)) {
    case Admission::queue_full:
      return Outcome::rejected_queue_full;
    case Admission::kv_capacity:
      return Outcome::rejected_kv_capacity;
    case Admission::model_length:
      return Outcome::rejected_model_length;
    case Admission::accepted:
      break;
  }
  return Outcome::completed;
}

}  // namespace headway
