#include "sim/scenario/reference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "tests/unit/scenario/example.hpp"

namespace headway {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

void each_field(const Schema& schema, const std::function<void(const Field&)>& visit) {
  if (schema.item) each_field(*schema.item, visit);
  for (const auto* group : {&schema.fields, &schema.siblings})
    for (const Field& field : *group) {
      visit(field);
      each_field(*field.schema, visit);
    }
}

TEST(Reference, EveryKeySaysWhatItMeansAndWhatItsAbsenceMeans) {
  int members = 0, keys = 0;
  const std::function<void(const Schema&)> look = [&](const Schema& schema) {
    if (schema.item) look(*schema.item);
    for (const auto* group : {&schema.fields, &schema.siblings})
      for (const Field& field : *group) {
        EXPECT_FALSE(field.help.empty()) << field.key;
        EXPECT_FALSE(field.required && !field.fallback.empty()) << field.key;
        (schema.kind == Schema::Kind::one_of ? members : keys) += 1;
        look(*field.schema);
      }
  };
  look(scenario_schema());
  EXPECT_GT(keys, 100);
  EXPECT_GT(members, 50);
}

/// Calls see(path, schema of the value) for every key below a schema, as `--set` names it; parts
/// with a title of their own are not entered.
void each_path(const Schema& schema, const std::string& path,
               const std::function<void(const std::string&, const Schema&)>& see) {
  if (schema.kind == Schema::Kind::list) {
    const std::string item = schema.name_key == "class"    ? "CLASS"
                             : schema.name_key == "pool"   ? "POOL"
                             : schema.name_key == "tenant" ? "TENANT"
                             : schema.name_key == "store"  ? "STORE"
                                                           : "0";
    return each_path(*schema.item, path + "." + item, see);
  }
  for (const auto* group : {&schema.fields, &schema.siblings})
    for (const Field& field : *group) {
      const std::string full = path.empty() ? field.key : path + "." + field.key;
      see(full, *field.schema);
      if (field.schema->title.empty()) each_path(*field.schema, full, see);
    }
}

TEST(Reference, LacksNoKeyOfTheSchema) {
  const std::string text = scenario_reference();
  std::map<std::string, const Schema*> titled;
  int keys = 0;
  const auto see = [&](const std::string& part) {
    return [&, part](const std::string& path, const Schema& schema) {
      ++keys;
      EXPECT_THAT(part, HasSubstr("\n| `" + path + "` | "));
      if (!schema.title.empty()) titled.emplace(schema.title, &schema);
    };
  };
  each_path(scenario_schema(), "", see(text.substr(0, text.find("\n## "))));
  for (const auto& [title, schema] : std::map(titled)) {
    const std::size_t at = text.find("\n## Keys of a " + title + "\n");
    ASSERT_NE(at, std::string::npos) << title;
    each_path(*schema, "", see(text.substr(at, text.find("\n## ", at + 1) - at)));
  }
  EXPECT_GT(keys, 300);
  EXPECT_THAT(text, HasSubstr("`fleet.POOL.price.minimum`"));
}

TEST(Reference, NamesKeyUnitRangeDefaultAndSource) {
  const std::string text = scenario_reference();
  EXPECT_THAT(text, HasSubstr("| `fleet.POOL.batching.continuous.max_num_seqs` | Sequences in a "
                              "step at most. | whole number; 1 to 1000000 | `256` | vLLM "
                              "--max-num-seqs |"));
  EXPECT_THAT(text, HasSubstr("`run.duration`"));
  EXPECT_THAT(text, HasSubstr("at most 106 d"));
  EXPECT_THAT(text, HasSubstr("## Keys of a law of tokens"));
  EXPECT_THAT(text,
              HasSubstr("- `token_budget`: max_num_batched_tokens is at least max_num_seqs."));
}

TEST(Reference, TheDefaultsOfTheReferenceAreThoseOfTheScenario) {
  const Scenario scenario = parse(kChat);
  EXPECT_EQ(scenario.fleet[0].batching.max_num_seqs, 256);
  EXPECT_EQ(scenario.fleet[0].batching.max_num_batched_tokens, 8192);
  EXPECT_TRUE(scenario.fleet[0].batching.chunked_prefill);
  EXPECT_DOUBLE_EQ(memory_utilization(scenario.fleet[0].placement), 0.9);
  EXPECT_EQ(scenario.run.seed, 1U);
  int fallbacks = 0;
  each_field(scenario_schema(), [&](const Field& field) { fallbacks += !field.fallback.empty(); });
  EXPECT_GT(fallbacks, 40);
}

TEST(SetPaths, CarryTheNamesOfTheScenario) {
  const auto paths = set_paths(ItemNames{
      .classes = {"chat", "batch"}, .pools = {"main"}, .tenants = {"acme"}, .stores = {}});
  EXPECT_THAT(paths, Contains("fleet.main.replicas"));
  EXPECT_THAT(paths, Contains("workload.chat.arrivals.poisson.rate"));
  EXPECT_THAT(paths, Contains("workload.batch.slo.ttft"));
  EXPECT_THAT(paths, Contains("router.random"));
  EXPECT_THAT(paths, Not(Contains(HasSubstr("CLASS"))));
  EXPECT_THAT(paths, Not(Contains(HasSubstr("POOL"))));
  EXPECT_THAT(paths, Contains("tenants.acme.weight"));
  EXPECT_THAT(paths, Not(Contains(HasSubstr("stores.")))) << "there is none";
  EXPECT_THAT(set_paths(), Contains("stores.STORE.bandwidth"));
}

TEST(SetPaths, AreAllKnownToSet) {
  for (const std::string& path :
       set_paths(ItemNames{.classes = {"chat"}, .pools = {"main"}, .tenants = {}, .stores = {}})) {
    const std::string message = refusal(kChat, {path + "=~"});
    EXPECT_THAT(message, Not(HasSubstr("unknown key"))) << path;
  }
}

TEST(SetPaths, WordsOfAPathAreItsChoices) {
  const auto names = [](const std::string& path) {
    std::vector<std::string> all;
    for (const auto& word : words_at(path)) all.push_back(word.name);
    return all;
  };
  EXPECT_THAT(names("fleet.main.order"),
              testing::ElementsAre("fcfs", "priority", "shortest_first", "fair", "deadline"));
  EXPECT_THAT(names("router"), Contains("least_kv"));
  EXPECT_THAT(names("fleet.main.gpu"), Contains("h100-sxm-80gb"));
  EXPECT_THAT(names("run.warm_up"), testing::ElementsAre("auto"));
  EXPECT_THAT(names("run.seed"), testing::IsEmpty());
  EXPECT_THAT(names("no.such.path"), testing::IsEmpty());
}

TEST(SetPaths, BareValuesOfAPathAreThoseThatAScenarioTakes) {
  const ItemNames names{
      .classes = {"chat"}, .pools = {"stable", "canary"}, .tenants = {"acme"}, .stores = {"disk"}};
  const auto values = [&](const std::string& path) { return bare_values_at(path, names); };
  using testing::ElementsAre;
  EXPECT_THAT(values("workload.chat.route"), ElementsAre("stable", "canary"));
  EXPECT_THAT(values("workload.chat.route.pools.0"), ElementsAre("stable", "canary"));
  EXPECT_THAT(values("workload.chat.tenant"), ElementsAre("acme"));
  EXPECT_THAT(values("fleet.stable.cold_start.store"), ElementsAre("disk"));
  EXPECT_THAT(values("fleet.stable.gpu"), Contains("h100-sxm-80gb"));
  EXPECT_THAT(values("router"), Contains("least_kv"));
  EXPECT_THAT(values("router"), Not(Contains("sticky"))) << "its overflow must be given";
  EXPECT_THAT(values("workload.chat.arrivals"), testing::IsEmpty()) << "all need a value";
  EXPECT_THAT(values("run.warm_up"), ElementsAre("auto"));
  EXPECT_THAT(values("no.such.path"), testing::IsEmpty());
}

}  // namespace
}  // namespace headway
