// The laws of token lengths, service and think times, and request sizes.
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "sim/scenario/scenario.hpp"
#include "sim/scenario/schema_parts.hpp"

namespace headway {
namespace {

/// 95th percentile of the standard normal law.
constexpr double kZ95 = 1.6448536269514722;

Distribution& law_of(const Target& target) {
  if (auto* const* law = std::any_cast<Distribution*>(&target)) return **law;
  auto& law = *std::any_cast<std::optional<Distribution>*>(target);
  return law ? *law : law.emplace();
}

Target whole_law(Distribution& law) {
  return &law;
}

/// A member of the one-of: naming it chooses the kind; its value fills what `inner` points to.
Field kind_of_law(std::string key, Distribution::Kind kind, SchemaPtr schema, std::string help,
                  Target (*inner)(Distribution&) = whole_law) {
  Field made{.key = std::move(key), .help = std::move(help), .schema = std::move(schema)};
  made.into = [kind, inner](const Target& target) {
    Distribution& law = law_of(target);
    law.kind = kind;
    return inner(law);
  };
  return made;
}

/// The parameters of a log-normal law, from any of the three ways to give them.
void finish_lognormal(const Target& target, const Node& node, const Document& document) {
  Distribution& law = law_of(target);
  const auto given = [&](const char* key) { return node.find(key) != nullptr; };
  const bool from_p95 = given("mean") && given("p95"), from_cv = given("mean") && given("cv"),
             from_mu = given("mu") && given("sigma");
  if (node.entries.size() != 2 || !(from_p95 || from_cv || from_mu))
    document.fail(node.at,
                  "a lognormal law takes two parameters; expected {mean, p95}, {mean, cv} or "
                  "{mu, sigma}");
  if (from_mu) return;
  const double mean = law.a;
  if (from_cv) {
    law.b = std::sqrt(std::log1p(law.b * law.b));
  } else {
    // p95 / mean = exp(z·sigma − sigma²/2): at most exp(z²/2), and the smaller root is the law.
    const double ratio = law.b / mean, highest = std::exp(kZ95 * kZ95 / 2);
    if (!(ratio > 1 && ratio <= highest))
      document.fail(
          node.find("p95")->at,
          fmt::format("no lognormal law has a p95 of {:.4g} times its mean; expected more "
                      "than 1 and at most {:.3f} times",
                      ratio, highest));
    law.b = kZ95 - std::sqrt(kZ95 * kZ95 - 2 * std::log(ratio));
  }
  law.a = std::log(mean) - law.b * law.b / 2;
}

void finish_uniform(const Target& target, const Node& node, const Document& document) {
  const Distribution& law = law_of(target);
  if (law.a > law.b) document.fail(node.find("high")->at, "high is below low; expected low ≤ high");
}

void finish_bin(const Target& target, const Node& node, const Document& document) {
  const auto& bin = *std::any_cast<Distribution::Bin*>(target);
  if (bin.low > bin.high)
    document.fail(node.find("high")->at, "high is below low; expected low ≤ high");
}

/// The ranges and clamps of what a law is a law of.
struct Scale {
  Dimension dimension;
  double low, high;
  std::string lowest, highest;  // clamps of a law that names none
  std::string title;
  std::string typical;  // a value to start from
};

Scale scale_of(LawOf of) {
  switch (of) {
    case LawOf::tokens:
      return {Dimension::count, 1, 1e7, "1", "10000000", "law of tokens", "500"};
    case LawOf::seconds:
      return {Dimension::time, 0, kLongestSeconds, "0 s", "106 d", "law of times", "1 s"};
    case LawOf::turns:
      return {Dimension::count, 1, 1e6, "1", "1000000", "law of counts", "3"};
    case LawOf::bytes:
      return {Dimension::bytes, 0, 1e15, "0 B", "1000 TB", "law of sizes", "1 kB"};
  }
  return {};
}

/// A bare value is a fixed law; for tokens, the word `trace` leaves the lengths to the trace.
SchemaPtr bare_law(LawOf of, const Scale& scale) {
  auto bare = std::make_shared<Schema>(*number(scale.dimension, scale.low, scale.high));
  if (of == LawOf::tokens) {
    bare->words = {{"trace", "the length that the trace gives with each request"}};
    bare->store_word = [](const Target& target, std::size_t) {
      std::any_cast<std::optional<Distribution>*>(target)->reset();
    };
  }
  return bare;
}

std::vector<Field> law_members(const Scale& scale) {
  using Kind = Distribution::Kind;
  const SchemaPtr value = number(scale.dimension, scale.low, scale.high);
  const SchemaPtr mean = number_above(scale.dimension, 0, scale.high);
  const SchemaPtr spread = number(scale.dimension, 0, scale.high);
  const SchemaPtr cv = number_above(Dimension::count, 0, 100);
  std::vector<Field> members;
  members.push_back(kind_of_law("fixed", Kind::fixed, value, "Always this value.",
                                [](Distribution& law) -> Target { return &law.a; }));
  members.push_back(
      kind_of_law("uniform", Kind::uniform,
                  record({field("low", &Distribution::a, value, "Smallest value.").needed(),
                          field("high", &Distribution::b, value, "Largest value.").needed()},
                         finish_uniform),
                  "Every value between low and high is as likely."));
  members.push_back(kind_of_law(
      "normal", Kind::normal,
      record(
          {field("mean", &Distribution::a, value, "Mean before clamping.").needed(),
           field("sd", &Distribution::b, spread, "Standard deviation before clamping.").needed()}),
      "Normal law, clamped to min and max."));
  members.push_back(
      kind_of_law(
          "lognormal", Kind::lognormal,
          record({field("mean", &Distribution::a, mean, "Mean before clamping."),
                  field("p95", &Distribution::b, mean,
                        "95th percentile: more than 1 and at most 3.868 times the mean."),
                  field("cv", &Distribution::b, cv, "Coefficient of variation, instead of p95."),
                  field("mu", &Distribution::a, number(Dimension::count, -100, 100),
                        "Mean of the natural logarithm (of tokens, seconds or bytes)."),
                  field("sigma", &Distribution::b, number(Dimension::count, 0, 10),
                        "Standard deviation of the natural logarithm.")},
                 finish_lognormal),
          "Log-normal law, by {mean, p95}, {mean, cv} or {mu, sigma}.")
          .such_as("{mean: " + scale.typical + ", cv: 1}"));
  members.push_back(
      kind_of_law("exponential", Kind::exponential,
                  record({field("mean", &Distribution::a, mean, "Mean before clamping.").needed()}),
                  "Exponential law."));
  members.push_back(
      kind_of_law("gamma", Kind::gamma,
                  record({field("mean", &Distribution::a, mean, "Mean before clamping.").needed(),
                          field("cv", &Distribution::b, cv, "Coefficient of variation.").needed()}),
                  "Gamma law."));
  members.push_back(kind_of_law(
      "histogram", Kind::histogram,
      list<Distribution::Bin>(
          record(
              {field("low", &Distribution::Bin::low, value, "Lower edge.").needed(),
               field("high", &Distribution::Bin::high, value, "Upper edge.").needed(),
               field("weight", &Distribution::Bin::weight, number_above(Dimension::count, 0, 1e15),
                     "Share of the values, in any unit: weights are normalised.")
                   .needed()},
              finish_bin),
          1),
      "Bins with weights; uniform within a bin.",
      [](Distribution& law) -> Target { return &law.bins; }));
  return members;
}

Field clamp(std::string key, double Distribution::*member, const Scale& scale, std::string help,
            std::string fallback) {
  Field made{.key = std::move(key),
             .help = std::move(help),
             .schema = number(scale.dimension, scale.low, scale.high)};
  made.into = [member](const Target& target) -> Target { return &(law_of(target).*member); };
  made.fallback = std::move(fallback);
  return made;
}

void finish_law(const Target& target, const Node& node, const Document& document) {
  if (const auto* const* law = std::any_cast<std::optional<Distribution>*>(&target); law && !**law)
    return;  // the word `trace`
  const Distribution& law = law_of(target);
  if (law.min > law.max) {
    const Node* max = node.find("max");
    document.fail(max ? max->at : node.at, "max is below min; expected min ≤ max");
  }
}

}  // namespace

SchemaPtr law_schema(LawOf of) {
  const Scale scale = scale_of(of);
  auto schema = std::make_shared<Schema>(*one_of(law_members(scale)));
  schema->title = scale.title;
  schema->bare = bare_law(of, scale);
  schema->siblings.push_back(
      clamp("min", &Distribution::min, scale, "Smaller values are raised to it.", scale.lowest));
  schema->siblings.push_back(
      clamp("max", &Distribution::max, scale, "Larger values are lowered to it.", scale.highest));
  schema->finish = finish_law;
  return schema;
}

}  // namespace headway
