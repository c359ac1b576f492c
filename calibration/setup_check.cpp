#include "calibration/setup_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "calibration/operator_form.hpp"
#include "calibration/stopping_rule.hpp"
#include "models/catalog.hpp"
#include "models/precision.hpp"
#include "models/units.hpp"

namespace headway {

namespace {

constexpr int kRuns = 5;
constexpr double kTimeoutSeconds = 5;
constexpr double kMostProductSeconds = 2;
constexpr double kMostCacheSeconds =
    0.05;  // of reading a cache of keys and values, by a copy's rate

// Sizes of Llama-3.1-8B, and of an expert layer that is small.
std::vector<OperatorPoint> points_of(const MeasuringDevice& device) {
  std::vector<OperatorPoint> points;
  const auto add = [&](const char* op, const std::string& format) -> OperatorPoint& {
    points.emplace_back();
    points.back().op = op;
    points.back().format = format;
    return points.back();
  };
  for (const std::int64_t bytes : {1 << 20, 1 << 28}) add("copy", "bf16").bytes = bytes;
  for (const std::string& format : device.formats())
    for (const std::int64_t m : {1, 64, 2048}) {
      OperatorPoint& gemm = add("gemm", format);
      gemm.m = m, gemm.n = 4096, gemm.k = 4096;
    }
  for (const std::string& format : device.formats()) {  // large enough for the highest rate
    OperatorPoint& gemm = add("gemm", format);
    gemm.m = gemm.n = gemm.k = 8192;
  }
  for (const std::string& kv : device.kv_formats())
    for (const char* op : {"attention_prefill", "attention_decode", "attention_mixed"}) {
      OperatorPoint& attention = add(op, "bf16");
      attention.kv = kv;
      attention.heads = 32, attention.kv_heads = 8, attention.head_dim = 128;
      attention.batch = 1;
      if (attention.op != "attention_decode") attention.chunk = 512, attention.prefix = 512;
      if (attention.op != "attention_prefill") attention.batch = 16, attention.context = 1024;
    }
  for (const std::string& kv : device.kv_formats()) {  // the same of decodes
    OperatorPoint& decode = add("attention_decode", "bf16");
    decode.kv = kv;
    decode.heads = 32, decode.kv_heads = 8, decode.head_dim = 128;
    decode.batch = 64, decode.context = 4096;
  }
  for (const char* op : {"norm", "activation", "rotary", "embedding"}) {
    OperatorPoint& rows = add(op, "bf16");
    rows.tokens = 512, rows.width = 4096;
  }
  OperatorPoint& sampler = add("sampler", "bf16");
  sampler.batch = 16, sampler.width = 128256;
  OperatorPoint& moe = add("moe", "bf16");
  moe.tokens = 16, moe.hidden = 2048, moe.inner = 768, moe.experts = 16, moe.topk = 4;
  moe.expert_parallel = 1;
  if (device.gpus() > 1)
    for (const char* op : {"all_reduce", "all_gather", "all_to_all"}) {
      OperatorPoint& message = add(op, "bf16");
      message.gpus = device.gpus();
      message.bytes = 1 << 26;
    }
  return points;
}

void check_operator(MeasuringDevice& device, CheckedOperator& checked) {
  try {
    const std::unique_ptr<PreparedOperator> prepared = device.prepare(checked.point);
    checked.verification = prepared->verification();
    std::vector<double> seconds(kRuns);
    for (double& run : seconds) run = prepared->run_once(kTimeoutSeconds);
    checked.seconds = median_interval(seconds).median;
    checked.flops_per_second = prepared->flops() / checked.seconds;
    checked.bytes_per_second = prepared->memory_bytes() / checked.seconds;
    checked.passed = true;
  } catch (const PointError& error) {
    checked.supported = error.fault() != PointFault::unsupported;
    checked.fault = fmt::format("{}: {}", point_fault_name(error.fault()), error.what());
  }
}

// Whether a point would take long on this device, by its copies and the products before it.
bool too_large(const OperatorPoint& point, const SetupCheck& check) {
  const double flops = 2.0 * static_cast<double>(point.m * point.n * point.k);
  if (point.m > 1 && flops > kMostProductSeconds * check.gemm_flops_per_second) return true;
  const double cache = 4.0 * static_cast<double>(point.batch * point.context) *
                       static_cast<double>(point.kv_heads * point.head_dim);
  return point.batch > 16 && cache > kMostCacheSeconds * check.copy_bytes_per_second;
}

std::string rate_text(double value, Dimension dimension) {
  return value > 0 ? format_quantity(value, dimension) : "-";
}

}  // namespace

bool SetupCheck::passed() const {
  bool any = false;
  for (const CheckedOperator& each : operators) {
    if (each.supported && !each.passed) return false;
    any = any || each.passed;
  }
  return any;
}

SetupCheck check_setup(MeasuringDevice& device, const std::function<bool()>& stopped) {
  SetupCheck check;
  for (OperatorPoint& point : points_of(device)) {
    if (too_large(point, check)) continue;
    if (stopped()) throw CalibrationFailure("ended by a signal");
    CheckedOperator checked;
    checked.point = std::move(point);
    check_operator(device, checked);
    if (checked.passed && checked.point.op == "copy")
      check.copy_bytes_per_second = checked.bytes_per_second;
    if (checked.passed && checked.point.op == "gemm")
      check.gemm_flops_per_second = std::max(check.gemm_flops_per_second, checked.flops_per_second);
    check.operators.push_back(std::move(checked));
  }
  return check;
}

std::vector<CheckedRate> checked_rates(const MeasuringDevice& device, const SetupCheck& check) {
  std::optional<Gpu> sheet;
  try {
    if (!device.identity().gpu.empty()) sheet = load_gpu(device.identity().gpu);
  } catch (const CatalogError&) {
    // A device that the catalogue does not have has no data sheet.
  }
  std::vector<CheckedRate> rates;
  rates.push_back({"copy", check.copy_bytes_per_second, sheet ? sheet->hbm_bytes_per_second : 0,
                   "data sheet", true});
  for (const std::string& format : device.formats()) {
    CheckedRate rate{"products in " + format, 0, 0, "data sheet", false};
    const std::optional<NumberFormat> number = parse_number_format(format);
    if (sheet && number) rate.ceiling = sheet->flops(*number);
    for (const CheckedOperator& each : check.operators)
      if (each.passed && each.point.op == "gemm" && each.point.format == format)
        rate.measured = std::max(rate.measured, each.flops_per_second);
    rates.push_back(rate);
  }
  for (const std::string& kv : device.kv_formats()) {
    CheckedRate rate{"decode attention with a " + kv + " cache", 0, check.copy_bytes_per_second,
                     "copy", true};
    for (const CheckedOperator& each : check.operators)
      if (each.passed && each.point.op == "attention_decode" && each.point.kv == kv)
        rate.measured = std::max(rate.measured, each.bytes_per_second);
    rates.push_back(rate);
  }
  std::erase_if(rates, [](const CheckedRate& rate) { return rate.measured <= 0; });
  return rates;
}

std::string setup_text(const MeasuringDevice& device, const SetupCheck& check) {
  const DeviceIdentity& identity = device.identity();
  std::string text = fmt::format("{} ({}), {}, {}\n\n", identity.device,
                                 identity.gpu.empty() ? "not in the catalogue" : identity.gpu,
                                 identity.engine, identity.driver);
  std::size_t width = 0;
  for (const CheckedOperator& each : check.operators)
    width = std::max(width, point_text(each.point).size());
  text += fmt::format("{:<{}} {:>10} {:>13} {:>11}  {}\n", "operator", width, "time", "arithmetic",
                      "memory", "error");
  for (const CheckedOperator& each : check.operators) {
    if (!each.passed) {
      text += fmt::format("{:<{}} {}{}\n", point_text(each.point), width,
                          each.supported ? "WRONG, " : "", each.fault);
      continue;
    }
    text += fmt::format("{:<{}} {:>10} {:>13} {:>11}  {:.1e}\n", point_text(each.point), width,
                        format_quantity(each.seconds, Dimension::time),
                        rate_text(each.flops_per_second, Dimension::flops),
                        rate_text(each.bytes_per_second, Dimension::bytes_per_second),
                        each.verification.error);
  }
  text += "\n";
  for (const CheckedRate& rate : checked_rates(device, check)) {
    const Dimension dimension = rate.bytes ? Dimension::bytes_per_second : Dimension::flops;
    text += fmt::format("{:<40} {:>13}", rate.name, rate_text(rate.measured, dimension));
    if (rate.ceiling > 0)
      text += fmt::format("  {:.0f} % of the {}'s {}", 100 * rate.measured / rate.ceiling,
                          rate.ceiling_name, rate_text(rate.ceiling, dimension));
    text += "\n";
  }
  return text;
}

}  // namespace headway
