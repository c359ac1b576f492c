#include "sim/model/replica.hpp"

namespace headway {

StepSpan clip(StepSpan span, Time now) {
  if (span.end <= now) return span;
  const double share =
      static_cast<double>(now - span.start) / static_cast<double>(span.end - span.start);
  StepLimits& limits = span.limits;
  for (Picoseconds* limit : {&limits.compute, &limits.memory_bandwidth, &limits.network,
                             &limits.host, &limits.sources.profile, &limits.sources.interpolation,
                             &limits.sources.roofline, &limits.sources.outside}) {
    *limit = static_cast<Picoseconds>(static_cast<double>(*limit) * share);
  }
  span.end = now;
  return span;
}

std::unique_ptr<Replica> make_replica(const ReplicaContext& context, Run::Stepping stepping) {
  const bool fast = stepping == Run::Stepping::fast;
  if (context.pool.kind == Pool::Kind::service) return make_station(context);
  if (context.pool.batching.kind == Batching::Kind::continuous) {
    return fast ? make_continuous_replica(context) : make_reference_replica(context);
  }
  return fast ? make_batch_replica(context) : make_reference_batch_replica(context);
}

}  // namespace headway
