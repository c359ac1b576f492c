// How the number of a pool's replicas follows the load.
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/schema_parts.hpp"

namespace headway {
namespace {

constexpr double kMostReplicas = 100000;
constexpr const char* kHpaSource =
    "kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale";
constexpr const char* kKedaSource = "keda.sh/docs/2.17/reference/scaledobject-spec";
constexpr const char* kRaySource =
    "docs.ray.io/en/latest/serve/advanced-guides/advanced-autoscaling.html";

/// An interval of polls: events of their own, so none shorter than a second.
SchemaPtr interval() {
  return number(Dimension::time, 1, kLongestSeconds);
}
SchemaPtr delay() {
  return number(Dimension::time, 0, kLongestSeconds);
}

Field metric(std::string key, Autoscaler::Metric which, SchemaPtr schema, std::string help) {
  return bound<Autoscaler::Target>(
      std::move(key),
      [which](Autoscaler::Target& target) {
        target.metric = which;
        return &target.value;
      },
      std::move(schema), std::move(help));
}

SchemaPtr target_schema() {
  using Metric = Autoscaler::Metric;
  const SchemaPtr requests = number_above(Dimension::count, 0, 1e9);
  const SchemaPtr rate = number_above(Dimension::rate, 0, 1e9);
  const SchemaPtr time = number_above(Dimension::time, 0, kLongestSeconds);
  auto schema = std::make_shared<Schema>(*one_of(
      {metric("concurrency", Metric::concurrency, requests,
              "Requests sent to a replica and not "
              "yet answered."),
       metric("requests_per_second", Metric::requests_per_second, rate,
              "Requests that come to the pool, for each replica, over look_back."),
       metric("queue", Metric::queue, requests, "Requests that wait in a replica's queue."),
       metric("kv_use", Metric::kv_use, number_above(Dimension::fraction, 0, 1),
              "Share of a replica's KV blocks in use. LLM pools only."),
       metric("ttft", Metric::ttft, time,
              "Time to first token, from scheduled arrival, of the requests that the pool answered "
              "within look_back: its percentile."),
       metric("tpot", Metric::tpot, time,
              "Time per output token of the requests that the pool answered within look_back: its "
              "percentile. LLM pools only."),
       metric("tokens_per_second", Metric::tokens_per_second, rate,
              "Output tokens of the requests that the pool answered within look_back, for each "
              "replica. LLM pools only.")}));
  schema->title = "target of an autoscaler";
  schema->siblings = {
      field("percentile", &Autoscaler::Target::percentile, number_above(Dimension::count, 0, 100),
            "Of ttft and tpot: which percentile is held against the target, in per cent.")
          .otherwise("95"),
      field("activation", &Autoscaler::Target::activation, number(Dimension::count, 0, 1e12),
            "Of KEDA: the pool has load while the metric, summed over it, is above this; in the "
            "metric's unit (requests, per second, seconds, a share).")
          .otherwise("0")
          .from("KEDA activationThreshold")};
  return schema;
}

SchemaPtr policy_schema() {
  const auto finish = [](const Target& target, const Node& node, const Document& document) {
    const auto& policy = *std::any_cast<Autoscaler::Policy*>(target);
    if ((policy.replicas > 0) == (policy.share > 0))
      document.fail(node.at, "a policy limits by one number; expected replicas or share");
  };
  return record(
      {field("replicas", &Autoscaler::Policy::replicas, whole_number(1, kMostReplicas),
             "Replicas that may come, or go, within the period.")
           .from("HPA type: Pods"),
       field("share", &Autoscaler::Policy::share, number_above(Dimension::fraction, 0, 100),
             "The same as a share of the replicas that there were when the period began.")
           .from("HPA type: Percent"),
       field("period", &Autoscaler::Policy::period_seconds,
             number(Dimension::time, 1, kLongestSeconds), "The period.")
           .otherwise("15 s")
           .from("HPA periodSeconds")},
      finish);
}

/// Of the policies, which limit counts.
SchemaPtr select_schema() {
  auto schema = std::make_shared<Schema>();
  schema->kind = Schema::Kind::word;
  schema->words = {{"largest", "the policy that allows the largest change"},
                   {"smallest", "the one that allows the smallest"},
                   {"disabled", "the number never changes in this direction"}};
  schema->store_word = [](const Target& target, std::size_t index) {
    auto& direction = *std::any_cast<Autoscaler::Direction*>(target);
    direction.select_largest = index == 0;
    direction.disabled = index == 2;
  };
  return schema;
}

SchemaPtr direction_schema(std::string window, std::string window_help, std::string policies) {
  return record(
      {field("window", &Autoscaler::Direction::window_seconds, delay(), std::move(window_help))
           .otherwise(std::move(window))
           .from("HPA stabilizationWindowSeconds"),
       field("policies", &Autoscaler::Direction::policies,
             list<Autoscaler::Policy>(policy_schema(), 1),
             "How much the number may change within a period.")
           .otherwise(std::move(policies))
           .such_as("[{replicas: 2, period: 60 s}]")
           .from("HPA behavior"),
       bound<Autoscaler::Direction>(
           "select", [](Autoscaler::Direction& direction) { return &direction; }, select_schema(),
           "Which of the policies counts.")
           .otherwise("largest")
           .from("HPA selectPolicy")});
}

Field least(std::string fallback, double low, std::string source) {
  return field("min", &Autoscaler::min, whole_number(low, kMostReplicas), "Replicas at least.")
      .otherwise(std::move(fallback))
      .from(std::move(source));
}

Field most() {
  return field("max", &Autoscaler::max, whole_number(1, kMostReplicas), "Replicas at most.")
      .needed();
}

Field look_back(std::string fallback, std::string help) {
  return field("look_back", &Autoscaler::look_back_seconds, interval(), std::move(help))
      .otherwise(std::move(fallback));
}

/// target and targets.
std::vector<Field> target_fields() {
  return {bound<Autoscaler>(
              "target", [](Autoscaler& settings) { return &settings.targets.emplace_back(); },
              target_schema(), "What is held, by changing the number of replicas."),
          field("targets", &Autoscaler::targets, list<Autoscaler::Target>(target_schema(), 1),
                "The same, several: the largest wish counts.")
              .such_as("[{concurrency: 32}, {ttft: 500 ms}]")};
}

void need_target(const Target& target, const Node& node, const Document& document) {
  if (std::any_cast<Autoscaler*>(target)->targets.empty())
    document.fail(node.at, "an autoscaler without target; expected 'target' or 'targets'");
}

/// What HPA and KEDA, which makes an HPA, have in common.
std::vector<Field> hpa_fields() {
  std::vector<Field> fields = target_fields();
  fields.push_back(
      field("poll", &Autoscaler::poll_seconds, interval(), "Interval of its decisions.")
          .otherwise("15 s")
          .from("--horizontal-pod-autoscaler-sync-period"));
  fields.push_back(look_back("60 s", "Time over which rates and latencies are taken."));
  fields.push_back(field("tolerance", &Autoscaler::tolerance, number(Dimension::fraction, 0, 1),
                         "Nothing changes while metric / target is within 1 ± this.")
                       .otherwise("0.1")
                       .from("--horizontal-pod-autoscaler-tolerance"));
  fields.push_back(
      field("scale_up", &Autoscaler::up,
            direction_schema("0 s", "The number rises to the least wish of so long.",
                             "[{replicas: 4, period: 15 s}, {share: 100 %, period: 15 s}]"),
            "How fast the number rises.")
          .otherwise("{}")
          .from(kHpaSource));
  fields.push_back(
      field("scale_down", &Autoscaler::down,
            direction_schema("300 s", "The number falls to the largest wish of so long.",
                             "[{share: 100 %, period: 15 s}]"),
            "How fast the number falls.")
          .otherwise("{}")
          .from(kHpaSource));
  return fields;
}

SchemaPtr hpa_schema() {
  std::vector<Field> fields = {least("1", 1, "HPA minReplicas"), most()};
  for (Field& each : hpa_fields()) fields.push_back(std::move(each));
  return record(std::move(fields), need_target);
}

SchemaPtr keda_schema() {
  std::vector<Field> fields = {least("0", 0, "KEDA minReplicaCount"), most()};
  for (Field& each : hpa_fields()) fields.push_back(std::move(each));
  fields.push_back(field("cool_down", &Autoscaler::cool_down_seconds, delay(),
                         "To zero once there has been no load for so long.")
                       .otherwise("300 s")
                       .from(kKedaSource));
  fields.push_back(field("activation_poll", &Autoscaler::activation_poll_seconds, interval(),
                         "Interval in which it looks whether there is load: for the way to zero "
                         "and from it.")
                       .otherwise("30 s")
                       .from("KEDA pollingInterval"));
  return record(std::move(fields), need_target);
}

/// The one target of Ray Serve and of the predictive autoscaler.
Field only_target(std::string key, Autoscaler::Metric which, SchemaPtr schema, std::string help) {
  return bound<Autoscaler>(
      std::move(key),
      [which](Autoscaler& settings) {
        settings.targets.emplace_back().metric = which;
        return &settings.targets.back().value;
      },
      std::move(schema), std::move(help));
}

SchemaPtr ray_schema() {
  const SchemaPtr factor = number_above(Dimension::count, 0, 1000);
  return record({least("1", 0, "Ray Serve min_replicas"), most(),
                 only_target("target_ongoing_requests", Autoscaler::Metric::concurrency,
                             number_above(Dimension::count, 0, 1e9),
                             "Requests at a replica, and held for one, on average over look_back.")
                     .otherwise("2")
                     .from(kRaySource),
                 field("poll", &Autoscaler::poll_seconds, interval(), "Interval of its decisions.")
                     .otherwise("10 s")
                     .from("Ray Serve metrics_interval_s"),
                 look_back("30 s", "Time over which ongoing requests are averaged."),
                 field("upscale_delay", &Autoscaler::upscale_delay_seconds, delay(),
                       "A wish for more replicas has to last longer than this.")
                     .otherwise("30 s")
                     .from("Ray Serve upscale_delay_s"),
                 field("downscale_delay", &Autoscaler::downscale_delay_seconds, delay(),
                       "A wish for fewer has to last longer than this.")
                     .otherwise("600 s")
                     .from("Ray Serve downscale_delay_s"),
                 field("upscaling_factor", &Autoscaler::upscaling_factor, factor,
                       "The step up is this times the one that would meet the target.")
                     .otherwise("1")
                     .from("Ray Serve upscaling_factor"),
                 field("downscaling_factor", &Autoscaler::downscaling_factor, factor,
                       "The step down is this times the one that would meet the target.")
                     .otherwise("1")
                     .from("Ray Serve downscaling_factor")});
}

SchemaPtr predictive_schema() {
  return record(
      {least("1", 1, ""), most(),
       only_target("requests_per_second", Autoscaler::Metric::requests_per_second,
                   number_above(Dimension::rate, 0, 1e9), "Requests that a replica should get.")
           .needed(),
       field("poll", &Autoscaler::poll_seconds, interval(), "Interval of its decisions.")
           .otherwise("60 s"),
       look_back("60 s", "Time over which each rate is taken."),
       field("history", &Autoscaler::history_seconds, interval(),
             "A line is laid through the rates of so long, by least squares.")
           .otherwise("600 s"),
       field("horizon", &Autoscaler::horizon_seconds, delay(),
             "There are replicas for the line's value so far ahead, or for its value now if that "
             "is more: as long as a replica takes to start.")
           .otherwise("300 s")});
}

Field kind_of_autoscaler(std::string key, Autoscaler::Kind kind, SchemaPtr schema, std::string help,
                         std::string source) {
  return bound<Autoscaler>(
             std::move(key),
             [kind](Autoscaler& settings) {
               settings.kind = kind;
               return &settings;
             },
             std::move(schema), std::move(help))
      .from(std::move(source));
}

}  // namespace

SchemaPtr autoscaler_schema() {
  using Kind = Autoscaler::Kind;
  auto schema = std::make_shared<Schema>(*one_of(
      {kind_of_autoscaler("hpa", Kind::hpa, hpa_schema(),
                          "Kubernetes' HorizontalPodAutoscaler: replicas × metric / "
                          "target, stabilised and limited in speed.",
                          kHpaSource)
           .such_as("{max: 4, target: {concurrency: 32}}"),
       kind_of_autoscaler("keda", Kind::keda, keda_schema(),
                          "KEDA: an HPA on totals, requests held at the front among them, "
                          "and to zero and back.",
                          kKedaSource)
           .such_as("{max: 4, target: {queue: 10}}"),
       kind_of_autoscaler("ray", Kind::ray, ray_schema(),
                          "Ray Serve: ongoing requests over a target; a wish has to last.",
                          kRaySource),
       kind_of_autoscaler("predictive", Kind::predictive, predictive_schema(),
                          "Replicas for the rate that is forecast from the last rates.", "")}));
  schema->siblings = {
      field("schedule", &Autoscaler::schedule,
            list<Autoscaler::Slot>(
                record({field("at", &Autoscaler::Slot::at_seconds, delay(),
                              "From this time of the period on, until the next slot's.")
                            .needed(),
                        field("min", &Autoscaler::Slot::min, whole_number(0, kMostReplicas),
                              "Replicas at least.")
                            .needed()}),
                1),
            "Times that raise min; before the first slot of a period the last one holds.")
          .otherwise_in_words("none")
          .such_as("[{at: 8 h, min: 4}, {at: 18 h, min: 1}]"),
      field("schedule_period", &Autoscaler::schedule_period_seconds, interval(),
            "The schedule begins again after so long, the first time at the run's start.")
          .otherwise("24 h")};
  return schema;
}

}  // namespace headway
