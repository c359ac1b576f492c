#include "sim/cli/pool_life.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/start_up.hpp"
#include "models/units.hpp"
#include "sim/metrics/bill.hpp"
#include "sim/report/table_text.hpp"
#include "sim/scenario/autoscaler_kind.hpp"

namespace headway {
namespace {

std::string target_text(const Autoscaler::Target& target) {
  using Metric = Autoscaler::Metric;
  const auto latency = [&](const char* name) {
    return fmt::format("p{:g} of {} {}", target.percentile, name,
                       format_quantity(target.value, Dimension::time));
  };
  switch (target.metric) {
    case Metric::concurrency:
      return "concurrency " + number_text(target.value);
    case Metric::requests_per_second:
      return number_text(target.value) + " requests /s";
    case Metric::queue:
      return "queue " + number_text(target.value);
    case Metric::kv_use:
      return "KV use " + share_text(target.value);
    case Metric::ttft:
      return latency("TTFT");
    case Metric::tpot:
      return latency("TPOT");
    case Metric::tokens_per_second:
      return number_text(target.value) + " tokens /s";
  }
  return "";
}

/// The phases of a start, and their sum.
class Phases {
 public:
  explicit Phases(const TableStyle& style) : style_(style) {}

  void add(const char* name, double seconds, const std::string& how = "") {
    if (seconds <= 0) return;
    total_ += seconds;
    text_ += fmt::format("{}{} {}{}", text_.empty() ? "" : ", ", name,
                         seconds_text(seconds, {}, style_), how);
  }
  void add(const char* name, const std::optional<Distribution>& law) {
    if (law) add(name, distribution_mean(*law));
  }
  std::string text() const {
    return seconds_text(total_, {}, style_) + (text_.empty() ? "" : ": " + text_);
  }

 private:
  TableStyle style_;
  std::string text_;
  double total_ = 0;
};

std::string at_bandwidth(const char* how, double bytes_per_second) {
  return fmt::format(" {} {}", how, format_quantity(bytes_per_second, Dimension::bytes_per_second));
}

std::string phases_of(const Pool& pool, const Scenario& scenario, const TableStyle& style) {
  const ColdStart& start = *pool.cold_start;
  Phases phases(style);
  const auto load = [&](const char* name, double bytes) {
    if (bytes <= 0) return;
    const Store& store = scenario.stores[start.store_index];
    phases.add(name, store.latency_seconds + bytes / store.bandwidth,
               at_bandwidth(start.store.empty() ? "at an assumed" : "at", store.bandwidth));
  };
  phases.add("provision", start.provision);
  start.image ? phases.add("image", start.image) : load("image", start.image_bytes);
  phases.add("process", start.process);
  start.weights ? phases.add("weights", start.weights) : load("weights", start.weight_bytes);
  phases.add("compilation", start.compile);
  phases.add("graphs", start.capture);
  const double warm_up = start.warm_up ? distribution_mean(*start.warm_up) : 0;
  return phases.text() +
         (warm_up > 0 ? "; the first request waits " + seconds_text(warm_up, {}, style) : "");
}

}  // namespace

std::string replicas_text(const Pool& pool) {
  const std::int32_t most = pool.autoscaler ? pool.autoscaler->max : pool.replicas;
  const std::string range =
      pool.autoscaler ? fmt::format("{} to ", grouped(pool.autoscaler->min)) : "";
  return fmt::format("{}{} {}", range, grouped(most), most == 1 ? "replica" : "replicas");
}

std::string price_text(const Pool& pool, const TableStyle& style) {
  const BillingUnit unit = billing_unit(pool);
  const auto usd = [&](std::int32_t replicas) {
    return number_text(pool.usd_per_gpu_hour * static_cast<double>(unit.gpus_of(replicas)));
  };
  if (pool.usd_per_gpu_hour <= 0 || unit.gpus <= 0) return "";
  std::string text = usd(most_replicas(pool)) + " USD an hour";
  if (pool.autoscaler) text = usd(pool.autoscaler->min) + " to " + text;
  if (pool.billed_node_gpus > 0)
    text += fmt::format(", in nodes of {} GPUs", grouped(pool.billed_node_gpus));
  if (pool.minimum_billing_seconds > 0)
    text += fmt::format(", for {} at least", seconds_text(pool.minimum_billing_seconds, {}, style));
  return text;
}

std::string scaling_text(const Autoscaler& settings) {
  std::string targets;
  for (const auto& target : settings.targets)
    targets += (targets.empty() ? "" : ", ") + target_text(target);
  std::string text = fmt::format("{}: {}; every {}", autoscaler_key(settings.kind), targets,
                                 format_quantity(settings.poll_seconds, Dimension::time));
  if (!settings.schedule.empty()) text += "; a schedule raises the least number";
  return text;
}

std::string start_up_text(const Pool& pool, const Scenario& scenario, const TableStyle& style) {
  if (pool.cold_start) return phases_of(pool, scenario, style);
  if (pool.memory.available_bytes <= 0 || !pool.placement.engine.start_up_known()) return "";
  const StartUpTimes times = start_up_times(pool.placement, pool.memory, kFileServerBytesPerSecond);
  Phases phases(style);
  phases.add("process", times.process);
  phases.add("weights", times.weights, at_bandwidth("at an assumed", kFileServerBytesPerSecond));
  phases.add("compilation", times.compile);
  phases.add("graphs", times.capture);
  return phases.text();
}

std::int32_t most_replicas(const Pool& pool) {
  const std::int32_t most = pool.autoscaler ? std::max(pool.autoscaler->max, 1) : pool.replicas;
  const std::int32_t quota = pool.cold_start ? pool.cold_start->quota : 0;
  return quota > 0 ? std::min(most, quota) : most;
}

}  // namespace headway
