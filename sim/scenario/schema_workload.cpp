// The classes of the workload.
#include <optional>

#include "sim/scenario/scenario.hpp"
#include "sim/scenario/schema_parts.hpp"

namespace headway {
namespace {

SchemaPtr slo_schema() {
  const SchemaPtr limit = number_above(Dimension::time, 0, kLongestSeconds);
  return record(
      {field("ttft", &Slo::ttft_seconds, limit,
             "Time to first token at most, from the scheduled arrival."),
       field("tpot", &Slo::tpot_seconds, limit,
             "Time per output token at most: (e2e - ttft) / (output tokens - 1)."),
       field("e2e", &Slo::e2e_seconds, limit,
             "Time to the last token at most, from the scheduled arrival."),
       field("percentile", &Slo::percentile, number_above(Dimension::count, 0, 100),
             "The promise holds when this share of the requests, in per cent, meets all limits.")
           .otherwise("99")});
}

SchemaPtr prefix_schema() {
  using Order = SharedPrefix::Order;
  return record(
      {field("groups", &SharedPrefix::groups, whole_number(1, 1e6),
             "System prompts; each request, or conversation, has one of them.")
           .needed(),
       field("tokens", &SharedPrefix::tokens, whole_number(1, 1e7),
             "Length of each: these are the first of a request's input tokens, so a request of "
             "fewer has them all in common.")
           .needed(),
       field("zipf", &SharedPrefix::zipf, number(Dimension::count, 0, 10),
             "Exponent of Zipf's law: prompt k is as frequent as k to the power of minus this; 0 = "
             "all alike.")
           .otherwise("0"),
       field("order", &SharedPrefix::order,
             word<Order>({{"random", Order::random, "any prompt, by its frequency"},
                          {"round_robin", Order::round_robin, "one after the other"}}),
             "In which order requests have them.")
           .otherwise("random")});
}

SchemaPtr session_schema() {
  return record(
      {field("turns", &Session::turns, law_schema(LawOf::turns),
             "Requests of a conversation; the law is rounded to whole ones, at least 1.")
           .needed(),
       field("think_time", &Session::think, law_schema(LawOf::seconds),
             "From an answer to the next turn of its conversation.")
           .otherwise("0 s"),
       field("input_tokens", &Session::input_tokens, law_schema(LawOf::tokens),
             "What the user adds in a later turn.")
           .otherwise_in_words("the class's input_tokens"),
       field("max_context", &Session::max_context, whole_number(1, 1e9),
             "Longest prompt of a turn, in tokens; a conversation ends where the next would be "
             "longer.")
           .otherwise_in_words("no limit: turns that the pool finds too long are rejected, which "
                               "ends the conversation")});
}

SchemaPtr client_schema() {
  return record(
      {field("max_concurrency", &WorkloadClass::max_concurrency, whole_number(1, 1e9),
             "Requests in flight at most; further ones wait in the client and their times count "
             "from the scheduled arrival.")
           .needed()
           .from("vLLM benchmark_serving --max-concurrency"),
       field("turnaround", &WorkloadClass::turnaround_seconds,
             number(Dimension::time, 0, kLongestSeconds),
             "From an answer to the send of the next waiting request.")
           .otherwise("0 s")});
}

SchemaPtr class_schema() {
  return record(
      {field("class", &WorkloadClass::name, name_schema(), "Name of the class.").needed(),
       field("arrivals", &WorkloadClass::arrivals, arrivals_schema(), "When requests arrive.")
           .needed(),
       field("input_tokens", &WorkloadClass::input_tokens, law_schema(LawOf::tokens),
             "Prompt length of a request.")
           .otherwise_in_words("the trace's; needed where an LLM pool serves other arrivals"),
       field("output_tokens", &WorkloadClass::output_tokens, law_schema(LawOf::tokens),
             "Answer length of a request, the first token included.")
           .otherwise_in_words("the trace's; needed where an LLM pool serves other arrivals"),
       bound<WorkloadClass>(
           "prefix", [](WorkloadClass& of) { return &of.prefix.emplace(); }, prefix_schema(),
           "System prompts that requests begin with, which prefix caches can share.")
           .otherwise_in_words("nothing in common, but what a Mooncake trace says"),
       bound<WorkloadClass>(
           "session", [](WorkloadClass& of) { return &of.session.emplace(); }, session_schema(),
           "Arrivals begin conversations of several turns: the prompt of a later one is all that "
           "was "
           "said before, and what the user adds.")
           .otherwise_in_words("every request stands alone"),
       field("route", &WorkloadClass::route, route_schema(),
             "Which pools serve the class, or the name of the one that does.")
           .otherwise_in_words("any pool of the fleet"),
       bound<WorkloadClass>(
           "slo", [](WorkloadClass& of) { return &of.slo.emplace(); }, slo_schema(),
           "The promise to the users of the class. A request is good when it meets all limits.")
           .otherwise_in_words("no promise")
           .such_as("{ttft: 500 ms, tpot: 50 ms}"),
       field("priority", &WorkloadClass::priority, whole_number(-1e6, 1e6),
             "Lower is served first, by pools whose order is priority, and rejected last, by "
             "admission.shed.")
           .otherwise("0")
           .from("vLLM --scheduling-policy priority"),
       field("tenant", &WorkloadClass::tenant, naming("tenant", name_schema()),
             "The tenant that the class belongs to, one of tenants.")
           .otherwise_in_words("the one of the class's name: its own, where it is not in tenants"),
       bound<WorkloadClass>(
           "client", [](WorkloadClass& of) { return &of; }, client_schema(),
           "A cap that the client keeps on its requests in flight.")
           .otherwise_in_words("no cap"),
       field("request_bytes", &WorkloadClass::request_bytes, law_schema(LawOf::bytes),
             "Size of a request on the front link.")
           .otherwise_in_words("0 B"),
       field("streaming", &WorkloadClass::streaming, boolean(),
             "Whether the client has tokens as they are made; else it has all with the last: its "
             "time to first token is that of the last, and TPOT 0. Gaps between tokens (ITL) are "
             "told as they are made.")
           .otherwise("true")
           .from("OpenAI API: stream"),
       field("timeouts", &WorkloadClass::timeouts, timeouts_schema(),
             "How long the client waits, from sending, anew for each attempt; a client that gives "
             "up cancels its request.")
           .otherwise_in_words("for ever")
           .such_as("{total: 60 s}"),
       bound<WorkloadClass>(
           "hang_up", [](WorkloadClass& of) { return &of.hang_up.emplace(); }, hang_up_schema(),
           "Clients that go away in the middle, and do not come back.")
           .otherwise_in_words("nobody does")
           .such_as("{share: 10 %, after: 5 s}"),
       field("retries", &WorkloadClass::retries, retries_schema(),
             "What the client does after an attempt that failed.")
           .otherwise_in_words("gives up")
           .such_as("{attempts: 3}")});
}

}  // namespace

SchemaPtr name_schema() {
  auto schema = std::make_shared<Schema>(*text());
  schema->store_text = [](const Target& target, const std::string& value,
                          const std::filesystem::path&) {
    const bool plain = !value.empty() && value.size() <= 64 &&
                       value.find_first_not_of(
                           "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                           "0123456789-_") == std::string::npos;
    if (!plain)
      throw ValueError("'" + value.substr(0, 80) +
                       "' is no name; expected at most 64 letters, digits, '-' and '_'");
    *std::any_cast<std::string*>(target) = value;
  };
  return schema;
}

SchemaPtr workload_schema() {
  return list<WorkloadClass>(class_schema(), 1, "class");
}

}  // namespace headway
