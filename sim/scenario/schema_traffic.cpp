// Requests between the client and the fleet: the front and who is let in, how long clients wait and
// what they do after a failure.
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/schema_parts.hpp"

namespace headway {
namespace {

SchemaPtr station_schema() {
  return record(
      {field("servers", &FrontStation::servers, whole_number(1, 1e6),
             "Requests that it handles at the same time: processes or threads.")
           .otherwise("1"),
       field("time", &FrontStation::time, law_schema(LawOf::seconds), "Time for a request.")
           .otherwise("0 s"),
       field("per_token", &FrontStation::seconds_per_input_token, number(Dimension::time, 0, 1),
             "Time for each input token, beside it.")
           .otherwise("0 s"),
       field(
           "batch", &FrontStation::batch, whole_number(1, 1e6),
           "Requests that a server takes at a time, of those that wait. They take the sum of their "
           "times and go on together, as from one turn of an event loop.")
           .otherwise("1")});
}

SchemaPtr shed_schema() {
  using Shed = FrontAdmission::Shed;
  return list<Shed>(
      record({field("priority", &Shed::priority, whole_number(-1e6, 1e6),
                    "Requests with this priority number, or a larger one, are rejected …")
                  .needed(),
              field("above", &Shed::above, number(Dimension::fraction, 0, 1),
                    "… while more than this share of max_requests are inside.")
                  .needed()}),
      1);
}

/// What `on` lists: each word switches one of the flags on.
SchemaPtr failures_schema() {
  static constexpr bool Retries::*kFlags[] = {&Retries::rejected, &Retries::timed_out,
                                              &Retries::lost};
  auto failure = std::make_shared<Schema>();
  failure->kind = Schema::Kind::word;
  failure->words = {{"rejected", "a rate limit, a full queue, an overloaded or empty fleet"},
                    {"timed_out", "the client's time-outs"},
                    {"lost", "its replica failed"}};
  failure->store_word = [](const Target& target, std::size_t index) {
    std::any_cast<Retries*>(target)->*kFlags[index] = true;
  };
  auto failures = std::make_shared<Schema>();
  failures->kind = Schema::Kind::list;
  failures->item = failure;
  failures->at_least = 1;
  failures->add = [](const Target& target) { return target; };
  return failures;
}

}  // namespace

SchemaPtr front_schema() {
  return record(
      {field("bandwidth", &Front::bandwidth, number_above(Dimension::bytes_per_second, 0, 1e15),
             "Bandwidth of the link that requests share, max-min fair.")
           .otherwise_in_words("not modelled"),
       field("latency", &Front::latency_seconds, number(Dimension::time, 0, 3600),
             "Delay between client and router, each way.")
           .otherwise("0 s"),
       bound<Front>(
           "balancer", [](Front& front) { return &front.balancer.emplace(); }, station_schema(),
           "A load balancer, or gateway, that each request passes first; what waits for it waits "
           "in one line.")
           .otherwise_in_words("takes no time")
           .such_as("{servers: 8, time: 1 ms}"),
       bound<Front>(
           "tokenizer", [](Front& front) { return &front.tokenizer.emplace(); }, station_schema(),
           "Tokenizers that requests pass after it, before they are routed.")
           .otherwise_in_words("takes no time beside the engine's own time for a request")
           .such_as("{servers: 4, time: 1 ms, per_token: 2 us}")});
}

SchemaPtr admission_schema() {
  return record(
      {field("max_requests", &FrontAdmission::max_requests, whole_number(1, 1e9),
             "Requests inside at most, from the end of the front to the last token; more are "
             "rejected.")
           .otherwise_in_words("no limit"),
       field("shed", &FrontAdmission::shed, shed_schema(),
             "Which classes are rejected earlier than others.")
           .otherwise_in_words("none")
           .such_as("[{priority: 1, above: 80 %}]"),
       field("max_held", &FrontAdmission::max_held, whole_number(1, 1e9),
             "Requests that wait at most while no replica is ready; more are rejected.")
           .otherwise_in_words("no limit")});
}

SchemaPtr timeouts_schema() {
  const SchemaPtr law = law_schema(LawOf::seconds);
  return record(
      {field(
           "queue", &Timeouts::queue, law,
           "Patience in the queue: until the request first runs, in a cascade at the pool that has "
           "it then.")
           .otherwise_in_words("for ever"),
       field("first_token", &Timeouts::first_token, law, "Until the first token has come.")
           .otherwise_in_words("for ever"),
       field("total", &Timeouts::total, law, "Until the last token has come.")
           .otherwise_in_words("for ever")});
}

SchemaPtr hang_up_schema() {
  return record(
      {field("share", &HangUp::share, number_above(Dimension::fraction, 0, 1),
             "Share of the requests whose client goes away.")
           .needed(),
       field("after", &HangUp::after, law_schema(LawOf::seconds),
             "When it does, from sending, also of a further attempt; who is answered sooner "
             "stays.")
           .needed()});
}

SchemaPtr retries_schema() {
  using Jitter = Retries::Jitter;
  return record(
      {field("attempts", &Retries::attempts, whole_number(1, 1e6),
             "Sendings at most, the first included. What could never be served, being too long, is "
             "not sent again.")
           .needed(),
       field("backoff", &Retries::backoff_seconds, number(Dimension::time, 0, kLongestSeconds),
             "From a failure to the second attempt.")
           .otherwise("1 s"),
       field("factor", &Retries::factor, number(Dimension::count, 1, 1000),
             "Each further back-off is this times longer.")
           .otherwise("2"),
       field("longest", &Retries::longest_seconds, number(Dimension::time, 0, kLongestSeconds),
             "No back-off is longer.")
           .otherwise("60 s"),
       field("jitter", &Retries::jitter,
             word<Jitter>(
                 {{"none", Jitter::none, "the back-off itself"},
                  {"equal", Jitter::equal, "half of it, and up to half more"},
                  {"full", Jitter::full, "anything up to it"},
                  {"exponential", Jitter::exponential, "an exponential law with that mean"}}),
             "How the back-offs of clients are spread.")
           .otherwise("full")
           .from("Brooker, Exponential Backoff And Jitter, AWS 2015"),
       bound<Retries>(
           "on",
           [](Retries& retries) {
             retries.rejected = retries.timed_out = retries.lost = false;
             return &retries;
           },
           failures_schema(), "After what the client tries again.")
           .otherwise("[rejected, timed_out, lost]")});
}

}  // namespace headway
