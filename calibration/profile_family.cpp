// Samples of one operator as a family of a profile.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "calibration/profile_maker.hpp"
#include "models/operators.hpp"

namespace headway {
namespace {

constexpr std::int64_t kMostExpertParallel = 16;  // kept; few fleets spread experts wider
constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

double real(std::int64_t value) {
  return static_cast<double>(value);
}

bool power_of_two_or_zero(std::int64_t value) {
  return (value & (value - 1)) == 0;
}

/// A shape and the coordinates of one sample; nothing where the profile has no place for it.
struct Place {
  OperatorShape shape;
  std::vector<double> point;
};

/// Heads that a profile keeps: of width 128 with full attention those of up to eight KV heads and
/// those without groups; of other widths groups of two to eight of up to 64 heads, with full
/// attention or gpt-oss' window. The rest is between them or rare.
bool kept(const OperatorPoint& p) {
  if (p.heads <= 0 || p.kv_heads <= 0) return false;
  if (p.head_dim == 128) return p.window == 0 && (p.kv_heads <= 8 || p.kv_heads == p.heads);
  const std::int64_t group = p.heads / p.kv_heads;
  const bool common = group == 2 || group == 4 || group == 8;
  const bool window = p.window == 0 || (p.window == 128 && p.head_dim == 64);
  return window && common && p.kv_heads <= 8 && p.heads <= 64 && p.head_dim != 192;
}

OperatorShape heads_of(const OperatorPoint& p) {
  return {
      {"heads", p.heads}, {"kv_heads", p.kv_heads}, {"head_dim", p.head_dim}, {"window", p.window}};
}

/// Token counts that a profile keeps of a dense table: multiples of a tile, both sides of the step
/// at multiples of 64, coarser above 2048.
bool kept_tokens(std::int64_t m) {
  if (m <= 2 || m == 4 || m == 8) return true;
  if (m < 16) return false;
  if (m <= 257) return m % 2 == 0 || m % 64 == 1;
  const std::int64_t below = m % 2 == 1 ? m - 1 : m;
  if (m <= 2049) return below % 16 == 0;
  return below % 512 == 0;
}

/// Decodes beside a chunk so short are kept at every context that was measured.
constexpr std::int64_t kShortChunk = 16;

struct FamilyPlan {
  const char* op;
  std::vector<std::string> axes;
  std::function<bool(const OperatorPoint&, Place&)> place;
};

const std::vector<FamilyPlan>& plans() {
  const auto elementwise = [](const char* op, double passes) {
    return FamilyPlan{op, {"bytes"}, [passes](const OperatorPoint& p, Place& at) {
                        at.point = {passes * 2 * real(p.tokens) * real(p.width)};
                        return true;
                      }};
  };
  const auto collective = [](const char* op, const char* variants = "") {
    return FamilyPlan{op, {"bytes"}, [variants](const OperatorPoint& p, Place& at) {
                        at = {{{"gpus", p.gpus}}, {real(p.bytes)}};
                        return p.variant.ends_with(variants);
                      }};
  };
  static const std::vector<FamilyPlan> kPlans = {
      {"gemm",
       {"m"},
       [](const OperatorPoint& p, Place& at) {
         at = {{{"n", p.n}, {"k", p.k}}, {real(p.m)}};
         return p.n >= 128 && p.k >= 256 && kept_tokens(p.m);
       }},
      {"attention_prefill",
       {"batch", "length"},
       [](const OperatorPoint& p, Place& at) {
         at = {heads_of(p), {real(p.batch), real(p.chunk)}};
         return kept(p) && p.prefix == 0;
       }},
      {"attention_chunk",
       {"chunk", "prefix"},
       [](const OperatorPoint& p, Place& at) {
         at = {heads_of(p), {real(p.chunk), real(p.prefix)}};
         return kept(p) && p.batch == 1 && power_of_two_or_zero(p.chunk) &&
                power_of_two_or_zero(p.prefix);
       }},
      {"attention_decode",
       {"batch", "context"},
       [](const OperatorPoint& p, Place& at) {
         at = {heads_of(p), {real(p.batch), real(p.context)}};
         return kept(p) && (p.longest == 0 || p.longest == p.context);
       }},
      {"attention_mixed",
       {"chunk", "batch", "context"},
       [](const OperatorPoint& p, Place& at) {
         at = {heads_of(p), {real(p.chunk), real(p.batch), real(p.context)}};
         return kept(p) && p.prefix == 0 && power_of_two_or_zero(p.chunk) &&
                (power_of_two_or_zero(p.context) || p.chunk <= kShortChunk);
       }},
      elementwise("norm", 4),
      elementwise("activation", 3),
      elementwise("rotary", 2),
      elementwise("embedding", 2),
      {"sampler",
       {"batch"},
       [](const OperatorPoint& p, Place& at) {
         at = {{{"width", p.width}}, {real(p.batch)}};
         return true;
       }},
      {"moe",
       {"tokens"},
       [](const OperatorPoint& p, Place& at) {
         at = {{{"hidden", p.hidden},
                {"inner", p.inner},
                {"experts", p.experts},
                {"topk", p.topk},
                {"expert_parallel", std::max<std::int64_t>(1, p.expert_parallel)}},
               {real(p.tokens)}};
         return power_of_two_or_zero(p.tokens) && p.expert_parallel <= kMostExpertParallel;
       }},
      {"mla_prefill",
       {"batch", "length"},
       [](const OperatorPoint& p, Place& at) {
         at = {{{"heads", p.heads}}, {real(p.batch), real(p.chunk)}};
         return p.prefix == 0;
       }},
      {"mla_decode",
       {"batch", "context"},
       [](const OperatorPoint& p, Place& at) {
         at = {{{"heads", p.heads}}, {real(p.batch), real(p.context)}};
         return true;
       }},
      collective("all_reduce"),
      collective("all_reduce_eager", "_eager"),
      collective("all_gather"),
      collective("reduce_scatter"),
      collective("all_to_all"),
      {"copy", {"bytes"}, [](const OperatorPoint& p, Place& at) {
         at.point = {real(p.bytes)};
         return true;
       }}};
  return kPlans;
}

/// How uneven a router distribution is, from the end of a variant: "…/power_law_1.2".
double unevenness(const std::string& variant) {
  const std::size_t at = variant.rfind("power_law_");
  return at == std::string::npos ? 0 : std::atof(variant.c_str() + at + 10);
}

/// A time at a point, the better of two: the more uneven router first, then the faster kernel.
struct Best {
  double uneven = -1, seconds = 0;
  void take(double of, double time) {
    if (of < uneven || (of == uneven && seconds <= time)) return;
    uneven = of;
    seconds = time;
  }
};

using Points = std::map<std::vector<double>, Best>;

/// Times by touched experts as times at the number that so many tokens touch on average.
void settle_touched(std::map<std::vector<double>, std::map<double, double>>& by_touched,
                    const OperatorShape& shape, Points& points) {
  for (const auto& [point, times] : by_touched) {
    const double expected = experts_touched(static_cast<std::int32_t>(shape.at("experts")),
                                            static_cast<std::int32_t>(shape.at("topk")), point[0]);
    std::vector<std::vector<double>> axes(1);
    std::vector<double> seconds;
    for (const auto& [touched, time] : times) {
      axes[0].push_back(touched);
      seconds.push_back(time);
    }
    points[point].take(0, TimeGrid(axes, seconds, {Joining::linear}).at(expected).seconds);
  }
}

/// Fills gaps between measured points of one axis in a straight line, so that rows with different
/// points can share an axis.
void fill_gaps(const std::vector<double>& axis, std::vector<double>& seconds) {
  std::size_t before = axis.size();
  for (std::size_t i = 0; i < axis.size(); ++i) {
    if (std::isnan(seconds[i])) continue;
    for (std::size_t j = before + 1; before < axis.size() && j < i; ++j) {
      seconds[j] = seconds[before] + (seconds[i] - seconds[before]) * (axis[j] - axis[before]) /
                                         (axis[i] - axis[before]);
    }
    before = i;
  }
}

/// Forgets times of a collective that are more than twice those of one of more bytes, which has all
/// of its work: something else held them up.
void forget_held_up(std::vector<double>& seconds) {
  constexpr double kMost = 2;  // algorithms that change with the bytes stay below 1.3
  double of_more = std::numeric_limits<double>::infinity();
  for (std::size_t i = seconds.size(); i-- > 0;) {
    if (seconds[i] > kMost * of_more) seconds[i] = kNotMeasured;
    if (!std::isnan(seconds[i])) of_more = std::min(of_more, seconds[i]);
  }
}

}  // namespace

ProfileFamily make_family(const std::vector<Sample>& samples, const std::string& op,
                          const std::string& format) {
  const auto plan = std::find_if(plans().begin(), plans().end(),
                                 [&op](const FamilyPlan& each) { return op == each.op; });
  ProfileFamily family;
  family.op = op;
  if (plan == plans().end()) return family;
  const std::string sampled = op == "attention_chunk"    ? "attention_prefill"
                              : op == "all_reduce_eager" ? "all_reduce"
                                                         : op;
  const bool attention = sampled.starts_with("attention_");
  std::map<OperatorShape, Points> rows;
  std::map<OperatorShape, std::map<std::vector<double>, std::map<double, double>>> touched;
  for (const Sample& sample : samples) {
    const OperatorPoint& p = sample.point;
    if (p.op != sampled) continue;
    const std::string& own = attention ? p.kv : p.format;
    const std::string named = own == "fp16" || own == "fp32" || own.empty() ? "bf16" : own;
    const bool any_format = op.find('_') != std::string::npos && p.gpus > 0;
    if (named != format && !(any_format && format == "bf16")) continue;
    Place at;
    if (!plan->place(p, at)) continue;
    if (p.touched > 0) {
      touched[at.shape][at.point][real(p.touched)] = sample.seconds;
    } else {
      rows[at.shape][at.point].take(unevenness(p.variant), sample.seconds);
    }
  }
  for (auto& [shape, by_touched] : touched) settle_touched(by_touched, shape, rows[shape]);
  if (rows.empty()) return family;

  family.axis_names = plan->axes;
  std::vector<std::set<double>> values(plan->axes.size());
  for (const auto& [shape, points] : rows) {
    for (const auto& [point, best] : points) {
      for (std::size_t i = 0; i < point.size(); ++i) values[i].insert(point[i]);
    }
  }
  for (const std::set<double>& axis : values) family.axes.emplace_back(axis.begin(), axis.end());
  for (const auto& each : rows) {
    const OperatorShape& shape = each.first;
    const Points& points = each.second;
    ProfileRow row{shape, {}};
    const auto visit = [&](auto&& self, std::vector<double>& point) -> void {
      if (point.size() == family.axes.size()) {
        const auto found = points.find(point);
        row.seconds.push_back(found == points.end() ? kNotMeasured : found->second.seconds);
        return;
      }
      for (const double value : family.axes[point.size()]) {
        point.push_back(value);
        self(self, point);
        point.pop_back();
      }
    };
    std::vector<double> point;
    visit(visit, point);
    if (shape.count("gpus") > 0) forget_held_up(row.seconds);
    if (family.axes.size() == 1) fill_gaps(family.axes[0], row.seconds);
    family.rows.push_back(std::move(row));
  }
  return family;
}

}  // namespace headway
