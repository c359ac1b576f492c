// When requests arrive: rate-driven laws, traces, and closed loops.
#include <cstdlib>
#include <fstream>

#include "sim/scenario/scenario.hpp"
#include "sim/scenario/schema_parts.hpp"

namespace headway {
namespace {

constexpr double kHighestRate = 1e9;  // requests per second

Target whole(Arrivals& arrivals) {
  return &arrivals;
}

/// A member of the one-of: naming it chooses the kind.
Field kind_of_arrivals(std::string key, Arrivals::Kind kind, SchemaPtr schema, std::string help,
                       Target (*inner)(Arrivals&) = whole) {
  Field made{.key = std::move(key), .help = std::move(help), .schema = std::move(schema)};
  made.into = [kind, inner](const Target& target) {
    Arrivals& arrivals = *std::any_cast<Arrivals*>(target);
    arrivals.kind = kind;
    return inner(arrivals);
  };
  return made;
}

Field rate_field(std::string help) {
  return field("rate", &Arrivals::rate, number_above(Dimension::rate, 0, kHighestRate),
               std::move(help))
      .needed();
}

Field mmpp() {
  const auto finish = [](const Target& target, const Node& node, const Document& document) {
    double total = 0;
    for (const auto& state : std::any_cast<Arrivals*>(target)->states) total += state.rate;
    if (total <= 0) document.fail(node.at, "no state has a rate above 0; nothing would arrive");
  };
  return kind_of_arrivals(
      "mmpp", Arrivals::Kind::mmpp,
      record({field("states", &Arrivals::states,
                    list<Arrivals::State>(
                        record({field("rate", &Arrivals::State::rate,
                                      number(Dimension::rate, 0, kHighestRate),
                                      "Poisson rate in this state.")
                                    .needed(),
                                field("mean", &Arrivals::State::mean_seconds,
                                      number_above(Dimension::time, 0, kLongestSeconds),
                                      "Mean stay in this state; stays are exponential.")
                                    .needed()}),
                        2),
                    "States, visited in turn.")
                  .needed()},
             finish),
      "Poisson arrivals whose rate switches between states: bursts.");
}

Field stages() {
  auto steps = std::make_shared<Schema>(*list<Arrivals::Stage>(
      record({field("rate", &Arrivals::Stage::rate, number(Dimension::rate, 0, kHighestRate),
                    "Poisson rate in this stage.")
                  .needed(),
              field("for", &Arrivals::Stage::seconds,
                    number_above(Dimension::time, 0, kLongestSeconds), "How long it lasts.")
                  .needed(),
              field("exact", &Arrivals::Stage::exact, boolean(),
                    "Exactly rate x for requests, rounded, each at a random time of the stage: a "
                    "Poisson process whose number is known.")
                  .otherwise("false")
                  .from("inference-perf's constant load")}),
      1));
  steps->finish = [](const Target& target, const Node& node, const Document& document) {
    double total = 0;
    for (const auto& stage : *std::any_cast<std::vector<Arrivals::Stage>*>(target))
      total += stage.rate;
    if (total <= 0) document.fail(node.at, "no stage has a rate above 0; nothing would arrive");
  };
  return kind_of_arrivals("stages", Arrivals::Kind::stages, steps,
                          "Poisson arrivals at one rate after the other; they end with the last.",
                          [](Arrivals& arrivals) -> Target { return &arrivals.stages; });
}

Field diurnal() {
  return kind_of_arrivals(
      "diurnal", Arrivals::Kind::diurnal,
      record(
          {rate_field("Mean rate over a period."),
           field("amplitude", &Arrivals::amplitude, number(Dimension::fraction, 0, 1),
                 "Swing of the rate around its mean, as a share of the mean.")
               .needed(),
           field("period", &Arrivals::period_seconds,
                 number_above(Dimension::time, 0, kLongestSeconds), "Length of a cycle.")
               .otherwise("24 h"),
           field("peak_at", &Arrivals::peak_at_seconds, number(Dimension::time, 0, kLongestSeconds),
                 "Time of the highest rate, from the start of the run.")
               .otherwise("0 s")}),
      "Poisson arrivals whose rate follows the time of day, a cosine.");
}

/// A path in a scenario: relative to its folder; ${HEADWAY_DATA} at its start is the environment
/// variable of that name, or ../shared/data where it is not set.
std::filesystem::path resolve_path(const std::string& text, const std::filesystem::path& base) {
  const std::string variable = "${HEADWAY_DATA}";
  if (!text.starts_with(variable)) return (base / text).lexically_normal();
  const char* const data = std::getenv("HEADWAY_DATA");
  return std::string(data && *data ? data : "../shared/data") + text.substr(variable.size());
}

SchemaPtr file_path() {
  auto schema = std::make_shared<Schema>(*text());
  schema->store_text = [](const Target& target, const std::string& value,
                          const std::filesystem::path& base) {
    *std::any_cast<std::string*>(target) = resolve_path(value, base).string();
  };
  return schema;
}

/// The trace is there and can be read, or a fallback stands in for one that is not there.
void check_trace(const Target& target, const Node& node, const Document& document) {
  const Arrivals& arrivals = *std::any_cast<Arrivals*>(target);
  const std::string& path = arrivals.trace_path;
  const Position& at = node.find_entry("file")->value.at;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    if (arrivals.trace_fallback.empty()) document.fail(at, "no trace file '" + path + "'");
  } else if (!std::filesystem::is_regular_file(path, error) || !std::ifstream(path)) {
    document.fail(at, "'" + path + "' cannot be read; expected a trace file");
  }
}

Field trace() {
  using Format = Arrivals::TraceFormat;
  return kind_of_arrivals(
             "trace", Arrivals::Kind::trace,
             record({field("file", &Arrivals::trace_path, file_path(),
                           "The request log: a path relative to the scenario's folder; "
                           "${HEADWAY_DATA} at "
                           "its start stands for that environment variable (or ../shared/data, "
                           "from where "
                           "headway runs).")
                         .needed(),
                     field("format", &Arrivals::trace_format,
                           word<Format>(
                               {{"azure", Format::azure,
                                 "Azure LLM inference trace 2023 CSV: "
                                 "TIMESTAMP,ContextTokens,GeneratedTokens"},
                                {"burstgpt", Format::burstgpt, "BurstGPT CSV"},
                                {"mooncake", Format::mooncake, "Mooncake JSON lines"},
                                {"plain", Format::plain,
                                 "CSV of your own: arrival_seconds,input_tokens,output_tokens; "
                                 "in order of arrival, from any start"}}),
                           "How the file is written.")
                         .otherwise("plain"),
                     field("speed", &Arrivals::trace_speed, number_above(Dimension::count, 0, 1e6),
                           "2 replays twice as fast.")
                         .otherwise("1"),
                     field("limit", &Arrivals::trace_limit, whole_number(0, 1e15),
                           "Requests at most, 0 = all.")
                         .otherwise("0"),
                     field("offset", &Arrivals::trace_offset, whole_number(0, 1e15),
                           "Requests skipped at the start of the file.")
                         .otherwise("0"),
                     field("fallback", &Arrivals::trace_fallback, file_path(),
                           "A scenario whose class of the same name stands in where the file is "
                           "not there; "
                           "the result says so.")},
                    check_trace),
             "Replays the requests of a log.")
      .such_as("{file: requests.csv}");
}

Field closed() {
  return kind_of_arrivals(
      "closed", Arrivals::Kind::closed,
      record({field("users", &Arrivals::users, whole_number(1, 1e8),
                    "Users (or a load generator's concurrency): each waits for its answer before "
                    "the next request.")
                  .needed(),
              field("think", &Arrivals::think, law_schema(LawOf::seconds),
                    "From an answer to the user's next request.")
                  .otherwise("0 s"),
              field("requests", &Arrivals::requests, whole_number(0, 1e15),
                    "Requests of the class in all, 0 = until the duration ends.")
                  .otherwise("0")}),
      "A closed loop of users.");
}

}  // namespace

SchemaPtr arrivals_schema() {
  return one_of(
      {kind_of_arrivals("constant", Arrivals::Kind::constant,
                        record({rate_field("Requests per time, evenly spaced.")}),
                        "Evenly spaced arrivals."),
       kind_of_arrivals("poisson", Arrivals::Kind::poisson,
                        record({rate_field("Mean requests per time.")}),
                        "Poisson arrivals: many users who do not know of each other."),
       kind_of_arrivals("gamma", Arrivals::Kind::gamma,
                        record({rate_field("Mean requests per time."),
                                field("cv", &Arrivals::cv, number_above(Dimension::count, 0, 100),
                                      "Coefficient of variation of the gaps: 1 is Poisson, more "
                                      "is burstier.")
                                    .needed()}),
                        "Independent gamma gaps: burstier or smoother than Poisson."),
       mmpp(), stages(), diurnal(), trace(), closed()});
}

}  // namespace headway
