// How the replicas of a pool fail.
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/schema_parts.hpp"

namespace headway {
namespace {

/// Mean times between faults reach years; below a second nothing would be up.
constexpr double kShortestMtbf = 1, kLongestMtbf = 1e11;

SchemaPtr mtbf_schema() {
  return number(Dimension::time, kShortestMtbf, kLongestMtbf);
}

SchemaPtr fault_schema() {
  using Fault = Failures::Fault;
  return record({field("mtbf", &Fault::mtbf_seconds, mtbf_schema(),
                       "Mean time from a repair to the next fault of one; exponential.")
                     .needed(),
                 field("repair", &Fault::repair, law_schema(LawOf::seconds),
                       "Time until it is whole again; then the engine starts.")
                     .needed()});
}

SchemaPtr crash_schema() {
  using Fault = Failures::Fault;
  return record({field("mtbf", &Fault::mtbf_seconds, mtbf_schema(),
                       "Mean time from a start to the next crash of one engine; exponential.")
                     .needed(),
                 field("repair", &Fault::repair, law_schema(LawOf::seconds),
                       "Time until it is started again, on the same machine.")
                     .otherwise("0 s")});
}

SchemaPtr spot_schema() {
  return record({field("mtbf", &Failures::spot_mtbf_seconds, mtbf_schema(),
                       "Mean time until a machine is reclaimed; exponential.")
                     .needed(),
                 field("notice", &Failures::spot_notice_seconds, number(Dimension::time, 0, 86400),
                       "From the notice on the replica takes no new requests; after this time it "
                       "is gone, and another machine is ordered.")
                     .otherwise("2 min")
                     .from("AWS EC2 Spot interruption notice")});
}

SchemaPtr slow_schema() {
  return record({field("share", &Failures::slow_share, number(Dimension::fraction, 0, 1),
                       "Probability that a replica starts on a slow machine.")
                     .needed(),
                 field("factor", &Failures::slow_factor, number(Dimension::count, 1, 1000),
                       "Its steps take this times as long.")
                     .needed()});
}

Field fault(std::string key, std::optional<Failures::Fault> Failures::*member, SchemaPtr schema,
            std::string help) {
  return bound<Failures>(
      std::move(key),
      [member](Failures& failures) { return &(failures.*member).emplace(Failures::Fault{}); },
      std::move(schema), std::move(help));
}

}  // namespace

SchemaPtr faults_schema() {
  const auto whole = [](Failures& failures) { return &failures; };
  return record(
      {fault("gpu", &Failures::gpu, fault_schema(),
             "A GPU fails: its replica is down, its requests and its KV cache are lost.")
           .such_as("{mtbf: 50000 h, repair: 4 h}")
           .otherwise_in_words("never"),
       fault("node", &Failures::node, fault_schema(), "A node fails: all replicas on it are down.")
           .such_as("{mtbf: 20000 h, repair: 8 h}")
           .otherwise_in_words("never"),
       fault("rack", &Failures::rack, fault_schema(), "A rack fails: all replicas in it are down.")
           .such_as("{mtbf: 50000 h, repair: 2 h}")
           .otherwise_in_words("never"),
       fault("crash", &Failures::crash, crash_schema(),
             "A replica's engine crashes: requests and KV cache are lost.")
           .such_as("{mtbf: 500 h}")
           .otherwise_in_words("never"),
       bound<Failures>("spot", whole, spot_schema(), "The machines are spot instances.")
           .such_as("{mtbf: 20 h}")
           .otherwise_in_words("never reclaimed"),
       bound<Failures>("slow", whole, slow_schema(), "Some machines are slow.")
           .such_as("{share: 2 %, factor: 1.3}")
           .otherwise_in_words("none is"),
       field("node_gpus", &Failures::node_gpus, whole_number(1, 1024),
             "GPUs of a node; the pool's replicas fill nodes in order.")
           .otherwise("8"),
       field("rack_gpus", &Failures::rack_gpus, whole_number(1, 100000),
             "GPUs of a rack, a multiple of node_gpus; nodes fill racks in order.")
           .otherwise("64")});
}

}  // namespace headway
