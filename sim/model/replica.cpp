#include "sim/model/replica.hpp"

namespace headway {

std::unique_ptr<Replica> make_replica(const ReplicaContext& context, Run::Stepping stepping) {
  const bool fast = stepping == Run::Stepping::fast;
  if (context.pool.kind == Pool::Kind::service) return make_station(context);
  if (context.pool.batching.kind == Batching::Kind::continuous) {
    return fast ? make_continuous_replica(context) : make_reference_replica(context);
  }
  return fast ? make_batch_replica(context) : make_reference_batch_replica(context);
}

}  // namespace headway
