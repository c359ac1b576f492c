#include "sim/model/replica.hpp"

#include <algorithm>

#include "models/slowed_cost.hpp"

namespace headway {
namespace {

ReplicaContext with_cost(ReplicaContext context, const StepCost* cost) {
  if (cost != nullptr) context.cost = cost;
  return context;
}

}  // namespace

Replica::Replica(const ReplicaContext& context)
    : slowed_(context.cost != nullptr && context.slowness > 1
                  ? make_slowed_cost(*context.cost, context.slowness)
                  : nullptr),
      at_(with_cost(context, slowed_.get())) {}

void Replica::list(std::vector<std::uint32_t>& slots) const {
  const auto first = static_cast<std::ptrdiff_t>(slots.size());
  collect(slots);
  std::sort(slots.begin() + first, slots.end(), [&](std::uint32_t a, std::uint32_t b) {
    return at_.requests[a].visit < at_.requests[b].visit;
  });
}

StepSpan waking_span(const ReplicaContext& at, Time start, Time now, double waiting_time,
                     std::size_t waiting) {
  StepSpan span;
  span.replica = at.index;
  span.start = start;
  span.end = now;
  span.steps = 0;
  span.waiting_time = waiting_time;
  span.waiting = static_cast<std::int32_t>(waiting);
  span.limits.host = now - start;
  return span;
}

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
