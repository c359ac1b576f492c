#include "sim/cli/engine_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <set>

#include "models/catalog.hpp"
#include "models/units.hpp"
#include "sim/cli/command_line.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/progress_line.hpp"
#include "sim/cli/standard_output.hpp"
#include "sim/report/atomic_file.hpp"
#include "sim/scenario/input_error.hpp"
#include "sim/validation/bench_json.hpp"
#include "sim/validation/catalogue_match.hpp"
#include "sim/validation/engine_fit.hpp"
#include "sim/validation/engine_fit_file.hpp"
#include "sim/validation/engine_fit_table.hpp"
#include "sim/validation/measured_data.hpp"
#include "sim/validation/recipe.hpp"

namespace headway {

namespace {

namespace fs = std::filesystem;

std::int32_t count_of(const char* option, const std::string& text, std::int32_t most,
                      std::int32_t otherwise) {
  if (text.empty()) return otherwise;
  std::int32_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 1 || count > most)
    throw InputError(
        fmt::format("{} {}: expected a whole number from 1 to {}", option, text, most));
  return count;
}

bool is_json(const std::string& path) {
  return path.ends_with(".json");
}

/// The base as rows name it: a path from the root of the file system, since the scenarios of rows
/// stand in no folder.
std::string base_entry(const std::string& engine) {
  if (engine.empty()) return "";
  const std::string file = engine_file(engine);
  return file == engine ? fs::absolute(file).lexically_normal().string() : engine;
}

BenchSetup setup_of(const EngineFitArguments& arguments) {
  BenchSetup setup;
  // A name that is in no catalogue is refused with the nearest one that is.
  if (!arguments.gpu.empty() && catalogue_gpu(arguments.gpu).empty()) load_gpu(arguments.gpu);
  if (!arguments.model.empty() && catalogue_model(arguments.model).empty())
    load_model(arguments.model);
  setup.model = arguments.model;
  setup.gpu = arguments.gpu;
  setup.engine = base_entry(arguments.engine);
  if (!arguments.precision.empty()) setup.precision = arguments.precision;
  setup.tensor = count_of("--tensor", arguments.tensor, 1024, 1);
  setup.max_num_seqs = count_of("--max-num-seqs", arguments.max_num_seqs, 1'000'000, 0);
  setup.max_num_batched_tokens =
      count_of("--max-num-batched-tokens", arguments.max_num_batched_tokens, 100'000'000, 0);
  return setup;
}

/// The ids of --rows, none of them twice.
std::vector<std::string> wanted_rows(const std::string& text) {
  std::vector<std::string> ids;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string id = text.substr(at, end - at);
    if (id.empty() || std::find(ids.begin(), ids.end(), id) != ids.end())
      throw InputError(
          fmt::format("--rows {}: {}; expected ids of rows with commas between", text,
                      id.empty() ? "an id is empty" : "the id " + id + " stands twice"));
    ids.push_back(id);
    at = end + 1;
  }
  return ids;
}

/// The cases of a table's rows that are wanted. They are made with all rows of their groups, since
/// a stage depends on those before it.
void add_table(const std::string& path, std::vector<std::string>& wanted, bool all,
               const std::string& engine, std::vector<RowCase>& cases,
               std::vector<std::string>& known) {
  const MeasuredData data = find_measured(path);
  std::vector<MeasuredRow> rows = read_measured_table(data.table.string());
  std::set<std::string> groups, chosen;
  for (MeasuredRow& row : rows) {
    known.push_back(row.id);
    const auto found = std::find(wanted.begin(), wanted.end(), row.id);
    if (!all && found == wanted.end()) continue;
    if (!all) wanted.erase(found);
    groups.insert(row.group);
    chosen.insert(row.id);
    row.engine_entry = engine;
  }
  std::erase_if(rows, [&](const MeasuredRow& row) { return !groups.contains(row.group); });
  for (RowCase& one : make_cases(std::move(rows), data.folder))
    if (chosen.contains(one.row.id)) cases.push_back(std::move(one));
}

std::vector<RowCase> cases_of(const EngineFitArguments& arguments) {
  BenchSetup setup = setup_of(arguments);
  std::vector<std::string> wanted = wanted_rows(arguments.rows), known;
  const bool all = wanted.empty();
  std::vector<RowCase> cases;
  const auto add_json = [&](const std::string& path, bool repeated) {
    setup.repeated = repeated;
    for (RowCase& one : make_cases({read_bench_json(path, setup)}, "")) cases.push_back(one);
  };
  for (const std::string& path : arguments.results) {
    if (is_json(path))
      add_json(path, false);
    else
      add_table(path, wanted, all, setup.engine, cases, known);
  }
  for (const std::string& path : arguments.repeated) add_json(path, true);
  if (!wanted.empty()) {
    const std::string near = nearest_word(wanted.front(), known);
    throw InputError(fmt::format(
        "--rows: no table has a row {}{}", wanted.front(),
        near.empty() ? "; expected the id of one" : fmt::format("; did you mean {}?", near)));
  }
  return cases;
}

/// The one engine that all rows are of, as a scenario names it.
std::string engine_of(const std::vector<RowCase>& cases) {
  std::set<std::string> engines, ids;
  for (const RowCase& one : cases) {
    if (!one.engine.empty()) engines.insert(one.engine);
    if (!ids.insert(one.row.id).second)
      throw InputError(
          fmt::format("{}: the id {} stands twice among the results; expected files of "
                      "different names",
                      one.row.where, one.row.id));
  }
  if (engines.size() != 1)
    throw InputError(fmt::format(
        "the results are of {}; expected one engine: choose with --rows, "
        "or name it with --engine",
        engines.empty() ? "no known engine" : fmt::format("{}", fmt::join(engines, " and "))));
  return *engines.begin();
}

EngineFit make_fit(const EngineFitArguments& arguments, const Engine& base,
                   const std::vector<RowCase>& cases) {
  const int jobs = count_of("--jobs", arguments.jobs, 4096, 0);
  count_interrupts();
  ProgressLine line(!arguments.quiet);
  return fit_engine(
      base, cases, jobs,
      [&](const FitProgress& progress) {
        line.show(progress.fraction,
                  fmt::format("{} of at most {} runs", progress.runs, progress.most_runs));
      },
      wanted_stop);
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw RunError("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int engine_fit_command(const EngineFitArguments& arguments) {
  count_of("--jobs", arguments.jobs, 4096, 0);
  const fs::path out = arguments.out;
  if (!out.empty() && out.extension() != ".yaml")
    throw InputError(fmt::format("-o {}: expected a name that ends with .yaml", arguments.out));
  const std::vector<RowCase> cases = cases_of(arguments);
  const std::string engine = engine_of(cases);
  const Engine base = load_engine(engine);
  const std::string base_text = read_text(engine_file(engine));
  // A file that cannot be written is found before the runs, not after them.
  if (!out.empty())
    prepare_folder(out.has_parent_path() ? out.parent_path() : fs::path("."),
                   {out.filename().string()});

  const EngineFit fit = make_fit(arguments, base, cases);
  print(fit_text(fit, style_for(STDOUT_FILENO)));
  if (out.empty()) return kFine;
  AtomicFile file(out);
  file.write(fitted_engine_text(base_text, fit));
  file.commit();
  return kFine;
}

}  // namespace headway
