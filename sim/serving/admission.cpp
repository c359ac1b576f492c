#include "sim/serving/admission.hpp"

namespace headway {

Admission admit(const Pool& pool, std::int32_t input_tokens, std::int32_t output_tokens,
                std::int64_t waiting) {
  if (pool.kind == Pool::Kind::llm) {
    if (pool.max_model_len > 0 && std::int64_t{input_tokens} + output_tokens > pool.max_model_len) {
      return Admission::model_length;
    }
    if (blocks_for(kv_tokens(input_tokens, output_tokens), pool.kv.block_tokens) >
        pool.blocks_of_rank()) {
      return Admission::kv_capacity;
    }
  }
  if (pool.max_queue > 0 && waiting >= pool.max_queue) return Admission::queue_full;
  return Admission::accepted;
}

}  // namespace headway
