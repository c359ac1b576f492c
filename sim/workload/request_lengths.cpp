#include "sim/workload/request_lengths.hpp"

#include <algorithm>
#include <cmath>

namespace headway {
namespace {

std::optional<Sampler> sampler_of(const std::optional<Distribution>& law) {
  return law ? std::optional<Sampler>(*law) : std::nullopt;
}

}  // namespace

std::int32_t whole_tokens(double sample) {
  if (!(sample > 1)) return 1;
  if (sample >= INT32_MAX) return INT32_MAX;
  return static_cast<std::int32_t>(std::lround(sample));
}

RequestLengths::RequestLengths(const WorkloadClass& workload_class, std::uint64_t seed,
                               std::uint32_t entity)
    : input_(sampler_of(workload_class.input_tokens)),
      output_(sampler_of(workload_class.output_tokens)),
      bytes_(sampler_of(workload_class.request_bytes)),
      input_draw_(seed, Stream::input_tokens, entity),
      output_draw_(seed, Stream::output_tokens, entity),
      bytes_draw_(seed, Stream::request_size, entity) {
  if (workload_class.prefix) groups_.emplace(*workload_class.prefix, seed, entity);
}

void RequestLengths::apply(std::uint64_t request, RequestBody& body) const {
  if (input_) body.input_tokens = whole_tokens((*input_)(input_draw_, request));
  if (output_) body.output_tokens = whole_tokens((*output_)(output_draw_, request));
  if (groups_) body.content.shared = {groups_->part(request, body.input_tokens)};
  if (bytes_) body.bytes = std::llround(std::clamp((*bytes_)(bytes_draw_, request), 0.0, 1e18));
}

}  // namespace headway
