// The top of a scenario file: version, name, and run.
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/schema_parts.hpp"

namespace headway {
namespace {

/// `auto`, or the time to cut.
SchemaPtr warm_up_schema() {
  auto schema = std::make_shared<Schema>(*number(Dimension::time, 0, kLongestSeconds));
  schema->words = {{"auto", "found by MSER-5, shown in the report"}};
  schema->store_word = [](const Target& target, std::size_t) {
    std::any_cast<Run*>(target)->warm_up_auto = true;
  };
  schema->store_value = [](const Target& target, double seconds) {
    Run& run = *std::any_cast<Run*>(target);
    run.warm_up_auto = false;
    run.warm_up_seconds = seconds;
  };
  return schema;
}

SchemaPtr duration_schema() {
  auto schema = std::make_shared<Schema>(*number_above(Dimension::time, 0, kLongestSeconds));
  schema->why = "the clock counts picoseconds in 64 bits";
  return schema;
}

/// The format's version fills nothing: there is one.
SchemaPtr version_schema() {
  auto schema = std::make_shared<Schema>();
  schema->kind = Schema::Kind::word;
  schema->words = {{"1", ""}};
  schema->store_word = [](const Target&, std::size_t) {};
  return schema;
}

}  // namespace

SchemaPtr run_schema() {
  return record(
      {field("duration", &Run::duration_seconds, duration_schema(),
             "Simulated time in which load arrives.")
           .otherwise_in_words("until the sources end"),
       field("requests", &Run::requests, whole_number(1, 1e15),
             "Requests offered at most, over all classes.")
           .otherwise_in_words("no limit"),
       field("drain", &Run::drain, boolean(),
             "Go on after the load until every request is answered, and report the run as it was, "
             "without trimming: as a load generator with a number of prompts does. Loads that end "
             "or change are always reported so.")
           .otherwise("false"),
       bound<Run>(
           "warm_up", [](Run& run) { return &run; }, warm_up_schema(),
           "What is cut from the start of a stationary run before its figures are taken.")
           .otherwise("auto"),
       field("seed", &Run::seed, whole_number(0, 9007199254740991.0),
             "Seed of the random draws: the same seed gives the same run.")
           .otherwise("1"),
       field("stepping", &Run::stepping,
             word<Run::Stepping>(
                 {{"fast", Run::Stepping::fast, "steps that need no event are taken at once"},
                  {"reference", Run::Stepping::reference, "every step is an event; slow"}}),
             "Both give the same times, bit for bit.")
           .otherwise("fast"),
       field("engine", &Run::engine,
             word<Run::Engine>({{"simgrid", Run::Engine::simgrid, "SimGrid's clock and network"},
                                {"heap", Run::Engine::heap, "a bare event heap"}}),
             "What drives the clock and the network.")
           .otherwise("simgrid")});
}

const Schema& scenario_schema() {
  static const SchemaPtr schema = record(
      {bound<Scenario>(
           "headway", [](Scenario& scenario) { return &scenario; }, version_schema(),
           "Version of the scenario format; the first key of the file.")
           .needed(),
       field("name", &Scenario::name, text(), "A title for reports.")
           .otherwise_in_words("the file's name"),
       field("workload", &Scenario::workload, workload_schema(), "Who asks for what: classes.")
           .needed(),
       field("fleet", &Scenario::fleet, fleet_schema(), "What serves: pools of replicas.").needed(),
       bound<Scenario>(
           "router", [](Scenario& scenario) { return &scenario; }, router_schema(),
           "How a replica is chosen for each request.")
           .otherwise("least_requests"),
       field("front", &Scenario::front, front_schema(), "The way from the clients to the router.")
           .otherwise("{}"),
       field("admission", &Scenario::admission, admission_schema(), "Who is let in at the front.")
           .otherwise_in_words("everybody, within the rate limits of tenants")
           .such_as("{max_requests: 1000}"),
       field("tenants", &Scenario::tenants, tenants_schema(),
             "Those who share the fleet: classes name the tenant that they belong to.")
           .otherwise_in_words("a tenant for each class")
           .such_as("[{tenant: acme}]"),
       field("stores", &Scenario::stores, stores_schema(),
             "Places that starting replicas load images and weights from.")
           .otherwise_in_words("a link of each pool's own"),
       field("run", &Scenario::run, run_schema(), "How long to simulate, and how.")
           .otherwise("{}")});
  return *schema;
}

}  // namespace headway
