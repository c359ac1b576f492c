#include "calibration/import/import.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include "calibration/calibration_error.hpp"
#include "calibration/import/aiconfigurator.hpp"
#include "calibration/import/llmservingsim.hpp"
#include "models/catalog.hpp"

namespace headway {

namespace fs = std::filesystem;

namespace {

bool is_table_name(const std::string& name) {
  return name.ends_with(".csv") || name.ends_with(".csv.gz");
}

void add_folder(const std::string& folder, std::vector<std::string>& paths) {
  std::vector<std::string> found;
  try {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file() && is_table_name(entry.path().filename().string()))
        found.push_back(entry.path().string());
  } catch (const fs::filesystem_error& error) {
    throw CalibrationFailure(fmt::format("{}: {}", folder, error.code().message()));
  }
  if (found.empty())
    throw SampleError(fmt::format(
        "{}: no table in this folder or below it; expected files named .csv or .csv.gz", folder));
  std::sort(found.begin(), found.end());
  paths.insert(paths.end(), found.begin(), found.end());
}

// "vllm-0.19" is "vllm 0.19", which stands for "vllm 0.19.0" too.
bool names_engine(const std::string& asked, const std::string& engine) {
  std::string name = asked;
  const std::size_t dash = name.find('-');
  if (dash != std::string::npos) name[dash] = ' ';
  return engine == name || engine.starts_with(name + ".");
}

// The folders of a table that say what it is: "h100_sxm/gemm/vllm/0.24.0/gemm_perf.csv.gz".
std::string short_path(const std::string& path) {
  constexpr std::ptrdiff_t kParts = 5;
  const fs::path whole = fs::absolute(path).lexically_normal();
  std::vector<std::string> parts;
  for (const fs::path& part : whole.relative_path()) parts.push_back(part.string());
  const auto count = static_cast<std::ptrdiff_t>(parts.size());
  return fmt::format("{}", fmt::join(parts.end() - std::min(kParts, count), parts.end(), "/"));
}

// The engine version whose tables are taken; "" where no table names one.
std::string choose_engine(const std::vector<KernelTable>& tables, const std::string& asked) {
  std::set<std::string> engines, matching;
  for (const KernelTable& table : tables) {
    if (table.engine.empty()) continue;
    engines.insert(table.engine);
    if (names_engine(asked, table.engine)) matching.insert(table.engine);
  }
  if (engines.empty()) return asked;
  const std::set<std::string>& chosen = asked.empty() ? engines : matching;
  if (chosen.empty())
    throw SampleError(fmt::format("no table is of the engine \"{}\"; expected {}", asked,
                                  fmt::join(engines, ", ")));
  if (chosen.size() > 1)
    throw SampleError(fmt::format("tables of {} engine versions ({}); expected --engine with one",
                                  chosen.size(), fmt::join(chosen, ", ")));
  return *chosen.begin();
}

}  // namespace

KernelTable read_kernel_table(const std::string& path, const LayerModel& model) {
  CsvTable csv(path);
  if (is_aiconfigurator(csv)) return read_aiconfigurator(csv);
  if (is_llmservingsim(csv)) return read_llmservingsim(csv, model);
  throw SampleError(fmt::format(
      "{}:1:1: no known kernel table (columns {}); expected aiconfigurator's, with op_name and "
      "latency, or LLMServingSim's layer,tokens,time_us and its like",
      path, fmt::join(csv.columns(), ",")));
}

SampleFile import_tables(const ImportRequest& request) {
  SampleFile file;
  file.header.gpu = request.gpu == "cpu" ? request.gpu : load_gpu(request.gpu).name;
  std::vector<std::string> paths;
  for (const std::string& table : request.tables) {
    std::error_code ignored;
    if (fs::is_directory(table, ignored))
      add_folder(table, paths);
    else
      paths.push_back(table);
  }
  std::vector<KernelTable> tables;
  for (const std::string& path : paths) {
    KernelTable table = read_kernel_table(path, request.model);
    if (!request.engine.empty() && !table.engine.empty() &&
        !names_engine(request.engine, table.engine))
      table.samples = {};  // not taken: only that engine's name is told
    tables.push_back(std::move(table));
  }
  file.header.engine = choose_engine(tables, request.engine);
  if (file.header.engine.empty())
    throw SampleError("the tables name no engine version; expected --engine NAME");

  std::vector<std::string> sources;
  for (KernelTable& table : tables) {
    if (!table.engine.empty() && table.engine != file.header.engine) continue;
    if (file.header.device.empty()) file.header.device = table.device;
    if (!table.device.empty() && table.device != file.header.device)
      throw SampleError(fmt::format("{}: measured on \"{}\", other tables on \"{}\"; expected one",
                                    table.path, table.device, file.header.device));
    file.header.date = std::max(file.header.date, table.date);
    sources.push_back(short_path(table.path));
    std::move(table.samples.begin(), table.samples.end(), std::back_inserter(file.samples));
  }
  if (file.samples.empty())
    throw SampleError(fmt::format("{}: no row; expected measured times", request.tables.front()));
  file.header.source = fmt::format("tables {}", fmt::join(sources, ", "));
  return file;
}

}  // namespace headway
