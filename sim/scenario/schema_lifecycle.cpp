// How replicas start, what they load from, and when they are replaced.
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/schema_parts.hpp"

namespace headway {

SchemaPtr stores_schema() {
  return list<Store>(
      record(
          {field("store", &Store::name, name_schema(), "Name of the store.").needed(),
           field("bandwidth", &Store::bandwidth, number_above(Dimension::bytes_per_second, 0, 1e15),
                 "Bandwidth of its link, which the replicas that load from it share, max-min "
                 "fair.")
               .needed(),
           field("latency", &Store::latency_seconds, number(Dimension::time, 0, 3600),
                 "Time until the first byte comes.")
               .otherwise("0 s"),
           bound<Store>(
               "cut", [](Store& store) { return &store; },
               record({field("mtbf", &Store::cut_mtbf_seconds, number(Dimension::time, 1, 1e11),
                             "Mean time from a repair to the next cut; exponential.")
                           .needed(),
                       field("repair", &Store::cut_repair, law_schema(LawOf::seconds),
                             "Time until the link is whole again.")
                           .needed()}),
               "The link is cut at times: what loads over it stalls, goes on when it is mended, "
               "and starts again from nothing where that takes more than a minute.")
               .otherwise_in_words("never")}),
      1, "store");
}

SchemaPtr cold_start_schema() {
  const SchemaPtr law = law_schema(LawOf::seconds);
  const SchemaPtr size = number(Dimension::bytes, 0, 1e15);
  const std::string of_engine = "the engine's entry; 0 s where it tells none";
  return record(
      {field("provision", &ColdStart::provision, law,
             "From the order of a machine until it is there.")
           .otherwise_in_words("0 s"),
       field("image", &ColdStart::image, law, "Pull of the container image.")
           .otherwise_in_words("image_size from the store"),
       field("image_size", &ColdStart::image_bytes, size, "Container image, pulled from the store.")
           .otherwise("0 B"),
       field("process", &ColdStart::process, law,
             "Start of the engine's process: interpreter, imports, devices, process groups.")
           .otherwise_in_words(of_engine),
       field("weights", &ColdStart::weights, law, "Load of the weights.")
           .otherwise_in_words("weights_size from the store"),
       field("weights_size", &ColdStart::weight_bytes, size,
             "Weights of a replica, all its GPUs together, read from the store.")
           .otherwise_in_words("the model's"),
       field("compile", &ColdStart::compile, law, "Compilation of kernels.")
           .otherwise_in_words(of_engine),
       field("capture", &ColdStart::capture, law, "Capture of graphs.")
           .otherwise_in_words(of_engine),
       field("warm_up", &ColdStart::warm_up, law,
             "What the first request to a new replica waits, and those behind it.")
           .otherwise_in_words("0 s"),
       field("store", &ColdStart::store, naming("store", text()), "The store, by name.")
           .otherwise_in_words("a link of the pool's own, 1 GB/s"),
       field("quota", &ColdStart::quota, whole_number(1, 100000),
             "Replicas that exist at a time at most, starting and draining ones too; more are "
             "wanted in vain.")
           .otherwise_in_words("no limit"),
       field("stock_out", &ColdStart::stock_out, number(Dimension::fraction, 0, 0.99),
             "Probability that an order finds no machine.")
           .otherwise("0"),
       field("stock_retry", &ColdStart::stock_retry_seconds,
             number(Dimension::time, 1, kLongestSeconds), "It is ordered again after so long.")
           .otherwise("60 s")});
}

SchemaPtr deploys_schema() {
  const auto finish = [](const Target& target, const Node& node, const Document& document) {
    const auto& deploy = *std::any_cast<Deploy*>(target);
    if (deploy.surge + deploy.unavailable == 0)
      document.fail(node.at,
                    "no replica may be added and none be missing; expected surge or unavailable "
                    "above 0");
  };
  return list<Deploy>(
      record({field("at", &Deploy::at_seconds, number(Dimension::time, 0, kLongestSeconds),
                    "When the deploy starts.")
                  .needed(),
              field("surge", &Deploy::surge, whole_number(0, 100000),
                    "Replicas above the wanted number at most, meanwhile.")
                  .otherwise("1")
                  .from("Kubernetes maxSurge"),
              field("unavailable", &Deploy::unavailable, whole_number(0, 100000),
                    "Replicas of the wanted number that may be missing, meanwhile.")
                  .otherwise("0")
                  .from("Kubernetes maxUnavailable")},
             finish),
      1);
}

}  // namespace headway
