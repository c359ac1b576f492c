// What one choice costs among a thousand replicas, router by router, with the load that follows:
// each request is picked for, goes to its replica, and the one of 20,000 before it is answered.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "sim/serving/ring.hpp"
#include "sim/serving/router.hpp"

namespace headway {
namespace {

constexpr std::uint32_t kReplicas = 1000;
constexpr std::int32_t kInput = 1155, kOutput = 211;
constexpr std::size_t kInFlight = 20000;

struct Loads final : FleetState {
  std::int32_t outstanding(std::uint32_t r) const override { return requests[r]; }
  std::int64_t outstanding_tokens(std::uint32_t r) const override { return tokens[r]; }
  double kv_share(std::uint32_t r) const override {
    return static_cast<double>(tokens[r]) / (16 * 10000);
  }
  std::vector<std::int32_t> requests = std::vector<std::int32_t>(kReplicas, 0);
  std::vector<std::int64_t> tokens = std::vector<std::int64_t>(kReplicas, 0);
};

RouterSet thousand() {
  RouterSet set;
  for (std::uint32_t r = 0; r < kReplicas; ++r) {
    set.replicas.push_back(r);
    set.pools.push_back(r / 500);
    set.weights.push_back(r < 500 ? 1 : 2);
    set.kv_blocks.push_back(10000);
    set.block_tokens.push_back(16);
  }
  return set;
}

/// A request of one of `groups` system prompts of 600 tokens.
Content content_of(const Draw& draw, std::uint64_t number, std::uint64_t groups) {
  const std::uint64_t group = draw.below(groups, number);
  return {{{content_identity(ContentOf::prefix_group, 0, group), 600}},
          content_identity(ContentOf::request, 0, number),
          false};
}

void pick(benchmark::State& state, RouterKind kind) {
  RouterRules rules;
  rules.overflow = 32;
  const auto router = make_router(kind, rules, thousand());
  for (std::uint32_t r = 0; r < kReplicas; ++r) router->on_available(r, true);
  const Draw draw(1, Stream::router, 0), contents(1, Stream::prefix_group, 0);
  const auto groups = static_cast<std::uint64_t>(state.range(0));
  Loads loads;
  Ring<std::uint32_t> in_flight;
  std::uint64_t number = 0;
  const auto change = [&](std::uint32_t replica, int by) {
    loads.tokens[replica] += std::int64_t{by} * (kInput + kOutput);
    router->on_change(replica, loads.requests[replica] += by);
  };
  const auto step = [&] {
    const Content content = content_of(contents, number, groups);
    const RoutedRequest request{number, kInput, kOutput, &content,
                                static_cast<Time>(number) * 1000};
    const std::uint32_t replica = router->pick(loads, draw, request);
    change(replica, +1);
    in_flight.push_back(replica);
    ++number;
    if (in_flight.size() <= kInFlight) return;
    router->on_answer(in_flight.front(), request, 1);
    change(in_flight.front(), -1);
    in_flight.pop_front();
  };
  while (number < 2 * kInFlight) step();  // a fleet that has been serving for a while
  for (auto _ : state) step();
  state.SetItemsProcessed(state.iterations());
}

const bool registered = [] {
  const std::vector<std::pair<std::string, RouterKind>> kinds = {
      {"random", RouterKind::random},
      {"round_robin", RouterKind::round_robin},
      {"least_requests", RouterKind::least_requests},
      {"power_of_two", RouterKind::power_of_two},
      {"least_kv", RouterKind::least_kv},
      {"weighted", RouterKind::weighted},
      {"least_tokens", RouterKind::least_tokens},
      {"least_expected_wait", RouterKind::least_expected_wait},
      {"session_affinity", RouterKind::session_affinity},
      {"sticky", RouterKind::sticky}};
  for (const auto& [name, kind] : kinds)
    benchmark::RegisterBenchmark(("pick/" + name).c_str(), pick, kind)->ArgName("prompts")->Arg(20);
  auto* const aware =
      benchmark::RegisterBenchmark("pick/prefix_aware", pick, RouterKind::prefix_aware);
  for (const int prompts : {1, 20, 1000, 1000000}) aware->ArgName("prompts")->Arg(prompts);
  return true;
}();

}  // namespace
}  // namespace headway

BENCHMARK_MAIN();
