#include "sim/cli/check_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "models/node_layout.hpp"
#include "models/units.hpp"
#include "sim/cli/command_line.hpp"
#include "sim/cli/front_bound.hpp"
#include "sim/cli/offered_load.hpp"
#include "sim/cli/pool_life.hpp"
#include "sim/cli/scenario_argument.hpp"
#include "sim/cli/standard_output.hpp"
#include "sim/metrics/availability.hpp"
#include "sim/report/check_json.hpp"
#include "sim/report/report.hpp"
#include "sim/report/table_text.hpp"
#include "sim/scenario/pool_cost.hpp"

namespace headway {

namespace {

class Explanation {
 public:
  Explanation(const Scenario& scenario, const TableStyle& style)
      : scenario_(scenario), style_(style) {
    report_.scenario = scenario.name;
    report_.warnings = scenario.warnings;
  }

  // The whole text; afterwards overloaded() and report() are known.
  std::string text() {
    out_ += inked(style_, Ink::bold, scenario_.name) + "\n";
    workload();
    run();
    front();
    const RunFacts facts = facts_of(scenario_);
    for (std::uint32_t index = 0; index < scenario_.fleet.size(); ++index)
      pool(index, facts.sources[index]);
    verdict();
    for (const std::string& warning : scenario_.warnings) line("Warning", warning, Ink::yellow);
    return std::move(out_);
  }

  bool overloaded() const { return overloaded_; }
  const CheckReport& report() const { return report_; }

 private:
  void line(const std::string& label, const std::string& text, Ink ink = Ink::bold) {
    out_ += labelled(label, text, ink, style_);
  }
  std::string class_text(const WorkloadClass& one, const OfferedLoad& load, double let_in) const;
  void workload();
  void run();
  void front();
  void pool(std::uint32_t index, const RunFacts::Source& source);
  void bound(const Pool& pool, const PoolGroup& group);
  void engine(const Pool& pool, const OfferedLoad& load);
  void precision(const Placement& placement);
  void pruning(const Pool& pool);
  void verdict();
  std::string names(const std::vector<std::uint32_t>& pools) const;

  const Scenario& scenario_;
  TableStyle style_;
  std::string out_;
  std::vector<PoolGroup> groups_;
  double input_tokens_ = 1;  // of a request of all classes, mean
  double front_bound_ = std::numeric_limits<double>::infinity();  // requests /s of its stations
  std::string narrowest_;                                         // of them: which
  double let_in_ = 1;              // of the requests, by the rate limits of tenants
  std::optional<double> offered_;  // requests /s of all classes, within those limits; absent where
                                   // all are closed loops
  CheckReport report_;
  bool overloaded_ = false;
};

std::string Explanation::class_text(const WorkloadClass& one, const OfferedLoad& load,
                                    double let_in) const {
  std::string text;
  if (one.arrivals.kind == Arrivals::Kind::closed)
    text = fmt::format("{} users in a closed loop", grouped(one.arrivals.users));
  else if (load.trace_requests > 0)
    text = fmt::format("{} requests of a trace in {}", grouped(load.trace_requests),
                       seconds_text(load.trace_seconds, {}, style_));
  if (load.per_second)
    text +=
        fmt::format("{}{} requests /s", text.empty() ? "" : ", ", number_text(*load.per_second));
  if (let_in < 1)
    text += fmt::format(", of which the rate limits of its tenant let in {}",
                        number_text(let_in * *load.per_second));
  text += fmt::format("; {} tokens in, {} out on average", number_text(load.input_tokens),
                      number_text(load.output_tokens));
  if (load.new_tokens < load.input_tokens)
    text += fmt::format("; of those in, a prefix cache has all but {} at best",
                        number_text(load.new_tokens));
  if (!load.note.empty()) text += "; " + load.note;
  return one.name + ": " + text;
}

/// The front sees all requests; the pools those that the rate limits let in.
void Explanation::workload() {
  std::vector<OfferedLoad> loads;
  for (std::uint32_t index = 0; index < scenario_.workload.size(); ++index)
    loads.push_back(offered_load(scenario_, index));
  const bool open = std::any_of(loads.begin(), loads.end(), [](const OfferedLoad& load) {
    return load.per_second.has_value();
  });
  const std::vector<double> let_in = let_in_shares(scenario_, loads);
  std::vector<double> weights;
  weights.reserve(loads.size());
  for (std::size_t c = 0; c < loads.size(); ++c) {
    line("Class", class_text(scenario_.workload[c], loads[c], let_in[c]));
    weights.push_back(open ? loads[c].per_second.value_or(0) : 1);
  }
  input_tokens_ = mixed(loads, weights).input_tokens;
  double all = 0, inside = 0;
  for (std::size_t c = 0; c < loads.size(); ++c) {
    if (!loads[c].per_second) continue;
    all += *loads[c].per_second;
    inside += *loads[c].per_second *= let_in[c];
  }
  groups_ = pool_groups(scenario_, loads);
  if (!open) return;
  if (all > 0) let_in_ = inside / all;
  offered_ = inside;
  report_.offered_per_second = offered_;
}

void Explanation::run() {
  const Run& run = scenario_.run;
  std::string text;
  if (run.duration_seconds > 0) text = seconds_text(run.duration_seconds, {}, style_);
  if (run.requests > 0)
    text += (text.empty() ? "" : ", at most ") + grouped(run.requests) + " requests";
  if (text.empty()) text = "until the load ends";
  line("Run", fmt::format("{}; seed {}", text, run.seed));
}

void Explanation::front() {
  const auto station = [&](const std::optional<FrontStation>& given, const char* name) {
    if (!given) return;
    const double bound = station_bound(*given, input_tokens_);
    line("Front",
         fmt::format("{}: {} {}, at most {} requests /s of this mix", name, grouped(given->servers),
                     given->servers == 1 ? "server" : "servers", number_text(bound)));
    if (bound >= front_bound_) return;
    front_bound_ = bound;
    narrowest_ = name;
  };
  station(scenario_.front.balancer, "load balancer");
  station(scenario_.front.tokenizer, "tokenizer");
}

const PoolGroup& group_of(const std::vector<PoolGroup>& groups, std::uint32_t pool) {
  return *std::find_if(groups.begin(), groups.end(), [&](const PoolGroup& group) {
    return std::binary_search(group.pools.begin(), group.pools.end(), pool);
  });
}

void Explanation::pool(std::uint32_t index, const RunFacts::Source& source) {
  const Pool& pool = scenario_.fleet[index];
  const PoolGroup& group = group_of(groups_, index);
  out_ += '\n';
  std::string text = fmt::format("{}: {}", pool.name, replicas_text(pool));
  if (pool.kind == Pool::Kind::llm)
    text += fmt::format(" of {} on {} x {}, {}", source.model, pool.gpus_per_replica, source.gpu,
                        source.engine);
  else
    text +=
        fmt::format(", a station of {} {}, {} a request on average", grouped(pool.service.servers),
                    pool.service.servers == 1 ? "server" : "servers",
                    seconds_text(distribution_mean(pool.service.time), {}, style_));
  line("Pool", text);
  if (const std::string price = price_text(pool, style_); !price.empty()) line("Price", price);
  if (pool.autoscaler) line("Scaling", scaling_text(*pool.autoscaler));
  if (pool.kind == Pool::Kind::llm) engine(pool, group.load);
  if (const ExpectedAvailability expected = expected_availability(scenario_, pool); expected.known)
    line("Availability", availability_text(expected, pool.replicas));
  line("Step times", source.step_times);
  bound(pool, group);
}

void Explanation::bound(const Pool& pool, const PoolGroup& group) {
  const std::int32_t least = pool.autoscaler ? pool.autoscaler->min : pool.replicas;
  const std::int32_t most = most_replicas(pool);
  if (!group.reached) {
    report_.pools.push_back({pool.name, 0, "", least, most});
    return line("Bound", "no route leads here");
  }
  const PoolBound bound = pool_bound(pool, group.load);
  report_.pools.push_back({pool.name, bound.requests_per_second, bound.limited_by, least, most});
  line("Bound",
       fmt::format("at most {} requests /s of {}{}", number_text(bound.requests_per_second),
                   groups_.size() == 1 ? "this mix" : "what comes here",
                   bound.limited_by.empty() ? "" : ", limited by " + bound.limited_by));
}

void Explanation::precision(const Placement& placement) {
  const bool sparse = placement.precision.sparsity == Sparsity::two_of_four;
  std::string text = fmt::format(
      "{}{} weights, {} activations, {} KV cache", sparse ? "2:4 sparse " : "",
      number_format_name(placement.precision.weights),
      number_format_name(compute_format(placement)), number_format_name(placement.precision.kv));
  if (const auto& checkpoint = placement.architecture.checkpoint)
    text += fmt::format("; the config.json says {}", checkpoint->method);
  line("Precision", text);
}

/// What is left of a pruned model.
void Explanation::pruning(const Pool& pool) {
  const Architecture &before = *pool.unpruned, &after = pool.placement.architecture;
  std::string text;
  const auto part = [&text](std::int32_t left, std::int32_t whole, const char* what) {
    if (left < whole) text += fmt::format("{} of {} {}, ", grouped(left), grouped(whole), what);
  };
  part(after.layers, before.layers, "layers");
  part(after.heads, before.heads, "heads");
  if (!before.latent()) part(after.kv_heads, before.kv_heads, "KV heads");
  if (before.moe_layers() < before.layers)
    part(after.intermediate, before.intermediate, "MLP columns");
  part(after.moe_intermediate, before.moe_intermediate, "columns of every expert");
  const auto billions = [](const Architecture& model) {
    return number_text(count_parameters(model).total / 1e9);
  };
  line("Pruning", fmt::format("leaves {}{} of {} billion parameters", text, billions(after),
                              billions(before)));
}

void Explanation::engine(const Pool& pool, const OfferedLoad& load) {
  const Parallel& parallel = pool.placement.parallel;
  if (parallel.gpus() > 1 && pool.memory.available_bytes > 0)
    line("Layout", explain(lay_out(parallel, pool.placement.gpu.gpus_per_node), parallel));
  if (pool.memory.available_bytes > 0) {
    precision(pool.placement);
    if (pool.unpruned) pruning(pool);
    std::string sum = explain(pool.memory);
    while (sum.ends_with('\n')) sum.pop_back();
    line("Memory", sum);
  }
  line("KV cache", fmt::format("{} blocks of {} tokens a replica: {} tokens",
                               grouped(pool.kv.blocks), pool.placement.block_tokens,
                               grouped(pool.kv.blocks * pool.placement.block_tokens)));
  if (const std::string text = start_up_text(pool, scenario_, style_); !text.empty())
    line("Start-up", text);
  MemoryPlan plan = pool.memory;
  plan.kv_blocks = pool.kv.blocks;
  const auto context = std::llround(std::min(1e9, load.input_tokens + load.output_tokens / 2));
  out_ += '\n';
  out_ +=
      inked(style_, Ink::bold, left("Sequences", 13) + right("step", 12) + right("tokens /s", 14)) +
      fmt::format("   with {} tokens of context each\n", grouped(context));
  for (const PlainBatch& batch :
       plain_batches(pool.placement, plan, *make_pool_cost(pool), context))
    out_ += left(grouped(batch.sequences), 13) +
            right(seconds_text(batch.step_seconds, {}, style_), 12) +
            right(number_text(batch.tokens_per_second), 14) +
            (batch.fits ? "" : "   over max_num_seqs or the KV cache") + "\n";
  out_ += '\n';
}

std::string Explanation::names(const std::vector<std::uint32_t>& pools) const {
  std::string text;
  for (const std::uint32_t pool : pools)
    text += (text.empty() ? "" : " + ") + scenario_.fleet[pool].name;
  return text;
}

/// The whole mix is served as fast as the slowest group serves its part of it.
void Explanation::verdict() {
  out_ += '\n';
  const PoolGroup* slowest = nullptr;
  for (const PoolGroup& group : groups_) {
    if (group.per_offered <= 0) continue;
    double sum = 0;
    for (const std::uint32_t pool : group.pools) sum += report_.pools[pool].requests_per_second;
    const double bound = sum / group.per_offered;
    if (slowest && bound >= report_.bound_per_second) continue;
    report_.bound_per_second = bound;
    slowest = &group;
  }
  const bool by_front = front_bound_ * let_in_ < report_.bound_per_second;
  if (by_front) report_.bound_per_second = front_bound_ * let_in_;
  if (!offered_) {
    line("Verdict", "valid; a closed loop offers what the fleet serves");
    return;
  }
  const double offered = *offered_, bound = report_.bound_per_second;
  overloaded_ = offered > bound;
  const std::string by = by_front ? " (by the " + narrowest_ + ")"
                         : groups_.size() > 1 && slowest
                             ? fmt::format(" (as {} serves its part)", names(slowest->pools))
                             : "";
  const std::string beyond = sheds_overload(scenario_) ? "the rest is turned away or given up"
                                                       : "the queue grows without end";
  const std::string text = fmt::format(
      "{} requests /s {}, at most {} served{}: {}", number_text(offered),
      let_in_ < 1 ? "let in" : "offered", number_text(bound), by,
      overloaded_ ? beyond : share_text(bound > 0 ? offered / bound : 0) + " of the bound");
  line("Verdict",
       inked(style_, overloaded_ ? Ink::red : Ink::green, overloaded_ ? "overloaded" : "valid") +
           "; " + text);
}

}  // namespace

int check_command(const CheckArguments& arguments) {
  const Scenario scenario = load_argument(arguments.scenario, arguments.as, arguments.sets);
  Explanation explanation(scenario, style_for(STDOUT_FILENO));
  const std::string text = explanation.text();
  print(arguments.json ? check_json(explanation.report()) : text);
  return explanation.overloaded() ? kAnswerIsNo : kFine;
}

}  // namespace headway
