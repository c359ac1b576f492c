#include <fmt/format.h>

#include <memory>

#include "calibration/import/import.hpp"
#include "calibration/sample_file.hpp"
#include "calibration/standard_streams.hpp"
#include "calibration/subcommand.hpp"
#include "models/catalog.hpp"

namespace headway {

namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  headway-calibrate import tables/h100_sxm --gpu h100-sxm-80gb \\\n"
    "    --engine \"vllm 0.24.0\" -o h100.samples\n"
    "  headway-calibrate import RTX4090/meta-llama/Llama-3.1-8B/bf16/tp1 \\\n"
    "    --gpu rtx-4090-24gb --model llama-3.1-8b --tensor 1 -o 4090.samples\n"
    "\n"
    "Reads the tables of aiconfigurator (CSV, gzip) and of LLMServingSim (CSV; it\n"
    "names layers, whose shapes follow from --model and --tensor).";

struct ImportArguments {
  ImportRequest request;
  std::string model, output;
};

int import_samples(ImportArguments& arguments) {
  if (!arguments.model.empty()) arguments.request.model.architecture = load_model(arguments.model);
  const SampleFile file = import_tables(arguments.request);
  write_samples(arguments.output, file);
  if (arguments.output != "/dev/stdout")
    write_output(fmt::format("{}: {} samples of {}, {}\n", arguments.output, file.samples.size(),
                             file.header.gpu, file.header.engine));
  return kCalibrationFine;
}

}  // namespace

Subcommand import_subcommand(CLI::App& tree) {
  const auto arguments = std::make_shared<ImportArguments>();
  CLI::App& app = *tree.add_subcommand("import", "Read public kernel tables into a samples file");
  app.add_option("TABLE", arguments->request.tables, "Table, or folder with tables below it")
      ->required();
  app.add_option("--gpu", arguments->request.gpu, "GPU that was measured, by its catalogue name")
      ->type_name("NAME")
      ->required();
  app.add_option("--engine", arguments->request.engine,
                 "Whose kernels: \"vllm 0.24.0\"; needed where the\ntables are of several")
      ->type_name("NAME");
  app.add_option("--model", arguments->model,
                 "Model whose layers were measured: catalogue name\nor config.json (LLMServingSim)")
      ->type_name("MODEL");
  app.add_option("--tensor", arguments->request.model.tensor,
                 "GPUs that shared a layer; default: N of a folder\nnamed tpN (LLMServingSim)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  app.add_option("-o,--output", arguments->output, "Samples file to write")
      ->type_name("FILE")
      ->required();
  app.footer(kFooter);
  const auto files = [] { return std::vector<std::string>{":files"}; };
  return {&app,
          [arguments] { return import_samples(*arguments); },
          {{"", files}, {"--output", files}, {"--gpu", gpu_names}, {"--model", model_names}}};
}

}  // namespace headway
