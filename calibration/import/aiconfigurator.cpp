#include "calibration/import/aiconfigurator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <utility>

#include "calibration/calibration_error.hpp"
#include "calibration/operator_form.hpp"

namespace headway {

namespace {

constexpr double kSecondsPerMillisecond = 1e-3;

const std::vector<std::string>& known_columns() {
  static const std::vector<std::string> known = {"framework",
                                                 "version",
                                                 "device",
                                                 "op_name",
                                                 "kernel_source",
                                                 "batch_size",
                                                 "isl",
                                                 "num_heads",
                                                 "head_dim",
                                                 "num_key_value_heads",
                                                 "window_size",
                                                 "beam_width",
                                                 "attn_dtype",
                                                 "step",
                                                 "kv_cache_dtype",
                                                 "gemm_dtype",
                                                 "m",
                                                 "n",
                                                 "k",
                                                 "model",
                                                 "architecture",
                                                 "mla_dtype",
                                                 "gemm_type",
                                                 "tp_size",
                                                 "moe_dtype",
                                                 "num_tokens",
                                                 "hidden_size",
                                                 "inter_size",
                                                 "topk",
                                                 "num_experts",
                                                 "moe_tp_size",
                                                 "moe_ep_size",
                                                 "distribution",
                                                 "nccl_dtype",
                                                 "num_gpus",
                                                 "message_size",
                                                 "allreduce_dtype",
                                                 "backend",
                                                 "implementation",
                                                 "latency"};
  return known;
}

struct Dtype {
  const char* name;
  const char* format;
  std::int64_t bytes;  // of an element in a message; 0: no collective has it
};

constexpr Dtype kDtypes[] = {
    {"bfloat16", "bf16", 2}, {"float16", "fp16", 2},        {"half", "fp16", 2},
    {"fp8", "fp8", 1},       {"fp8_block", "fp8_block", 1}, {"int8", "int8", 1},
    {"sq", "int8", 0},       {"int8_wo", "int8_wo", 0},     {"int4_wo", "int4", 0},
    {"nvfp4", "fp4", 0},     {"w4a16_mxfp4", "mxfp4", 0}};

std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& letter : lowered)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return lowered;
}

class Rows {
 public:
  explicit Rows(CsvTable& csv) : csv_(csv) {}

  KernelTable read();

 private:
  std::size_t column(const char* name) { return csv_.need(name); }
  std::int64_t count(const char* name) { return csv_.integer(column(name)); }
  std::int64_t count_or_zero(const char* name) {
    const std::size_t index = csv_.find(name);
    return index == CsvTable::kAbsent ? 0 : csv_.integer(index);
  }
  const Dtype& dtype(const char* name);

  void gemm(OperatorPoint& point);
  void attention(OperatorPoint& point, bool prefill);
  void mla(OperatorPoint& point, bool prefill, bool module);
  void moe(OperatorPoint& point);
  void collective(OperatorPoint& point, const std::string& op);
  void fill(OperatorPoint& point);
  void identify(KernelTable& table);

  CsvTable& csv_;
  std::size_t op_ = CsvTable::kAbsent;
};

const Dtype& Rows::dtype(const char* name) {
  const std::size_t index = column(name);
  for (const Dtype& one : kDtypes)
    if (csv_.text(index) == one.name) return one;
  csv_.fail(index,
            fmt::format("unknown number format ({}); expected bfloat16, fp8, …", csv_.text(index)));
}

void Rows::gemm(OperatorPoint& point) {
  point.op = "gemm";
  point.format = dtype("gemm_dtype").format;
  point.m = count("m");
  point.n = count("n");
  point.k = count("k");
}

void Rows::attention(OperatorPoint& point, bool prefill) {
  point.op = prefill ? "attention_prefill" : "attention_decode";
  point.format = dtype("attn_dtype").format;
  point.kv = dtype("kv_cache_dtype").format;
  point.heads = count("num_heads");
  point.kv_heads = count("num_key_value_heads");
  point.head_dim = count("head_dim");
  point.window = count_or_zero("window_size");
  point.batch = count("batch_size");
  if (count_or_zero("beam_width") > 1)
    csv_.fail(column("beam_width"), "beam search; expected a beam width of 1");
  if (prefill) {
    point.chunk = count("isl");
    point.prefix = count("step");
  } else {
    point.context = count("step") + 1;
  }
}

void Rows::mla(OperatorPoint& point, bool prefill, bool module) {
  point.op = prefill ? "mla_prefill" : "mla_decode";
  if (!module) point.op += "_kernel";
  point.format = dtype(module ? "gemm_type" : "mla_dtype").format;
  point.kv = dtype("kv_cache_dtype").format;
  point.heads = count("num_heads");
  point.batch = count("batch_size");
  if (prefill) {
    point.chunk = count("isl");
    point.prefix = count("step");
  } else {
    point.context = count("step") + 1;
  }
}

void Rows::moe(OperatorPoint& point) {
  point.op = "moe";
  point.format = dtype("moe_dtype").format;
  point.variant =
      fmt::format("{}/{}", csv_.text(column("kernel_source")), csv_.text(column("distribution")));
  point.tokens = count("num_tokens");
  point.hidden = count("hidden_size");
  point.experts = count("num_experts");
  point.topk = count("topk");
  point.expert_parallel = count("moe_ep_size");
  const std::int64_t inner = count("inter_size"), tensor = count("moe_tp_size");
  if (tensor < 1 || inner % tensor != 0)
    csv_.fail(column("moe_tp_size"),
              fmt::format("moe_tp_size ({}) does not divide inter_size ({})", tensor, inner));
  point.inner = inner / tensor;
}

void Rows::collective(OperatorPoint& point, const std::string& op) {
  const bool nccl = csv_.find("nccl_dtype") != CsvTable::kAbsent;
  point.op = op == "alltoall" ? "all_to_all" : op;
  const Dtype& element = dtype(nccl ? "nccl_dtype" : "allreduce_dtype");
  point.format = element.format;
  point.gpus = count("num_gpus");
  point.bytes = count("message_size") * element.bytes;
  if (!nccl) {
    const std::size_t backend = csv_.find("backend");
    point.variant = csv_.text(backend == CsvTable::kAbsent ? column("kernel_source") : backend);
    return;
  }
  const std::size_t version = csv_.find("version");
  point.variant = "nccl-";
  // A table without the column stands in a folder that is named after the version.
  point.variant += version == CsvTable::kAbsent
                       ? std::filesystem::path(csv_.path()).parent_path().filename().string()
                       : std::string(csv_.text(version));
}

void Rows::fill(OperatorPoint& point) {
  const std::string op(csv_.text(op_));
  if (op == "gemm") return gemm(point);
  if (op == "context_attention") return attention(point, true);
  if (op == "generation_attention") return attention(point, false);
  if (op == "mla_context_module") return mla(point, true, true);
  if (op == "mla_generation_module") return mla(point, false, true);
  if (op == "mla_context") return mla(point, true, false);
  if (op == "mla_generation") return mla(point, false, false);
  if (op == "moe") return moe(point);
  if (op == "all_reduce" || op == "all_gather" || op == "reduce_scatter" || op == "alltoall")
    return collective(point, op);
  csv_.fail(op_, fmt::format("unknown op_name ({}); expected gemm, context_attention, "
                             "generation_attention, mla_context_module, moe, all_reduce, …",
                             op));
}

// Engine and device stand in each row, the same in all.
void Rows::identify(KernelTable& table) {
  const std::size_t device = csv_.find("device"), framework = csv_.find("framework"),
                    version = csv_.find("version");
  const auto same = [&](std::string& known, const std::string& found, std::size_t at) {
    if (known.empty()) known = found;
    if (known != found)
      csv_.fail(at, fmt::format("a row of {} in a table of {}; expected one", found, known));
  };
  if (device != CsvTable::kAbsent) same(table.device, std::string(csv_.text(device)), device);
  // NCCL is one for all engines; the framework that a table of it names is the one that ran it.
  if (framework != CsvTable::kAbsent && version != CsvTable::kAbsent &&
      csv_.find("nccl_dtype") == CsvTable::kAbsent)
    same(table.engine, lower(csv_.text(framework)) + " " + std::string(csv_.text(version)),
         version);
}

KernelTable Rows::read() {
  csv_.refuse_others(known_columns());
  op_ = csv_.need("op_name");
  const std::size_t latency = csv_.need("latency");
  KernelTable table;
  table.path = csv_.path();
  std::string key;
  while (csv_.next()) {
    identify(table);
    Sample sample;
    fill(sample.point);
    const std::string fault = point_fault(sample.point, key);
    if (!fault.empty()) csv_.fail(0, fault);
    sample.seconds = csv_.seconds(latency, kSecondsPerMillisecond);
    table.samples.push_back(std::move(sample));
  }
  return table;
}

}  // namespace

bool is_aiconfigurator(const CsvTable& csv) {
  return csv.find("op_name") != CsvTable::kAbsent;
}

KernelTable read_aiconfigurator(CsvTable& csv) {
  return Rows(csv).read();
}

}  // namespace headway
