#include "sim/cli/arguments.hpp"

#include <fmt/format.h>

#include "models/units.hpp"
#include "sim/report/version.hpp"
#include "sim/scenario/input_error.hpp"

namespace headway {

namespace {

constexpr const char* kOverview =
    "Answers how many GPUs, of which kind, run how, for a load and a promise to\n"
    "users, and what a request costs.\n";

constexpr const char* kMainFooter =
    "Examples:\n"
    "  headway run scenarios/chatbot.yaml\n"
    "  headway check scenarios/chatbot.yaml --set fleet.main.replicas=2\n"
    "  headway list gpus\n"
    "\n"
    "Exit codes: 0 fine, 1 the answer is no, 2 wrong input, 3 failed.\n"
    "`headway COMMAND --help` has the options and examples of each command.";

constexpr const char* kRunFooter =
    "Examples:\n"
    "  headway run scenarios/chatbot.yaml\n"
    "  headway run scenarios/chatbot.yaml --set fleet.main.replicas=8 --seed 2\n"
    "  headway run scenarios/chatbot.yaml --out results\n"
    "  headway run scenarios/chatbot.yaml --json | jq .mean_ttft_ms\n"
    "  headway run scenarios/chatbot.yaml --assert-slo --quiet && echo promise kept\n"
    "  headway run - --as scenarios/x.yaml <scenarios/chatbot.yaml --protocol\n"
    "\n"
    "--out writes summary.json, requests.csv, timeseries.csv and trace.json\n"
    "(for ui.perfetto.dev).\n"
    "Ctrl-C ends a run with the results it has, marked as partial (exit code 3).";

constexpr const char* kCheckFooter =
    "Examples:\n"
    "  headway check scenarios/chatbot.yaml\n"
    "  headway check scenarios/chatbot.yaml --set fleet.main.gpu=l40s-48gb\n"
    "  headway check scenarios/chatbot.yaml --json | jq .bound_requests_per_second\n"
    "\n"
    "Exit code 1: more is offered than the fleet can serve.";

constexpr const char* kValidateFooter =
    "Examples:\n"
    "  headway validate lss --rows\n"
    "  headway validate inference-perf blis-training --out validation\n"
    "\n"
    "The table has the columns of measured/serving.csv; the logs of lss runs, which\n"
    "are compared request by request, lie beside it. --out writes validation.csv\n"
    "and the scenario of every row.\n"
    "Exit code 1: a limit of --require is not met.";

constexpr const char* kEngineFooter =
    "Examples:\n"
    "  headway engine fit --help";

constexpr const char* kEngineFitFooter =
    "Examples:\n"
    "  headway engine fit $HEADWAY_DATA --rows ip-vllm-1,ip-vllm-3 -o engine.yaml\n"
    "\n"
    "RESULT is what `vllm bench serve --save-result` writes (.json; needs --engine\n"
    "and --gpu), or a table with the columns of measured/serving.csv. Says which\n"
    "constants the results tell, and what to measure next for the others. The file\n"
    "may stand for a name in a scenario: engine: ./engine.yaml.\n"
    "Ctrl-C ends the fit; nothing is written then.";

constexpr const char* kListFooter =
    "Examples:\n"
    "  headway list\n"
    "  headway list gpus\n"
    "  headway list keys";

constexpr const char* kReferenceFooter =
    "Examples:\n"
    "  headway reference > keys.md";

constexpr const char* kCompletionFooter =
    "Examples:\n"
    "  source <(headway completion bash)\n"
    "  headway completion zsh > ~/.zfunc/_headway";

// An option without a value is no option left out: `--out "$RESULTS"` of an empty variable would
// lose the results in silence.
std::string refuse_empty(const std::string& value) {
  return value.empty() ? "an empty value" : "";
}

void add_scenario(CLI::App& command, std::string& scenario, std::string& as,
                  std::vector<std::string>& sets) {
  command.add_option("SCENARIO", scenario, "Scenario file (YAML), or - for the standard input")
      ->required();
  command
      .add_option("--as", as,
                  "The file that the standard input stands for:\nmessages name it, its folder is "
                  "where relative\npaths start")
      ->type_name("FILE");
  command.add_option("--set", sets, "Override a value; may be repeated")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
}

void add_run(CLI::App& tree, RunArguments& run) {
  CLI::App& command = *tree.add_subcommand("run", "Simulate a scenario and show what came of it");
  add_scenario(command, run.scenario, run.as, run.sets);
  command.add_option("--out", run.out, "Write the result files into this folder")->type_name("DIR");
  command.add_flag("--json", run.json, "Print summary.json in place of the table");
  command.add_flag("--protocol", run.protocol,
                   "Print JSON lines in place of the table: progress,\nthen the result, for "
                   "programs (headway.run)");
  command.add_flag("-q,--quiet", run.quiet, "Print nothing but errors");
  command.add_flag("--assert-slo", run.assert_slo,
                   "Exit with 1 unless every promise is kept, and the\n"
                   "system neither unstable nor undecided");
  command.add_option("--seed", run.seed, "Seed of all draws (run.seed)")->type_name("N");
  command.add_option("--engine", run.engine, "Event engine (run.engine)")
      ->type_name("simgrid|heap");
  command
      .add_option("--stepping", run.stepping,
                  "reference: every step singly, the same times,\nslower (run.stepping)")
      ->type_name("fast|reference");
  command.add_option("--time-limit", run.time_limit, "End the run after this wall time: \"30 s\"")
      ->type_name("TIME");
  command.add_option("--memory-limit", run.memory_limit, "Memory of the run's process: \"2 GB\"")
      ->type_name("SIZE");
  for (CLI::Option* option : command.get_options())
    if (option->get_name() != "--set") option->check(refuse_empty);
  command.footer(kRunFooter);
}

void add_validate(CLI::App& tree, ValidateArguments& validate) {
  CLI::App& command = *tree.add_subcommand(
      "validate", "Predict measured results of real engines, and\nshow how far off the model is");
  command.add_option("GROUP", validate.groups, "Groups of rows; without it, all");
  command
      .add_option("--data", validate.data,
                  "The table, or a folder with\nmeasured/serving.csv (default HEADWAY_DATA)")
      ->type_name("DIR|FILE");
  command.add_option("--out", validate.out, "Write validation.csv and the scenarios there")
      ->type_name("DIR");
  command.add_option("--jobs", validate.jobs, "Runs at a time (default: one a core)")
      ->type_name("N");
  command.add_option("--require", validate.require, "Limits that the errors must keep (CSV)")
      ->type_name("FILE");
  command.add_flag("--rows", validate.rows, "Print every row: measured, predicted, error");
  command.add_flag("-q,--quiet", validate.quiet, "No progress");
  for (CLI::Option* option : command.get_options())
    if (option->get_name() != "GROUP") option->check(refuse_empty);
  command.footer(kValidateFooter);
}

void add_engine_fit(CLI::App& engine, EngineFitArguments& fit) {
  CLI::App& command =
      *engine.add_subcommand("fit", "Estimate an engine's overheads from serving\nbenchmarks");
  command.add_option("RESULT", fit.results, "Benchmark results: JSON files, tables, or folders")
      ->required();
  command.add_option("-o,--out", fit.out, "Write the fitted engine there (.yaml)")
      ->type_name("FILE");
  command.add_option("--rows", fit.rows, "Rows of the tables; without it, all")
      ->type_name("ID,...");
  command
      .add_option("--engine", fit.engine,
                  "The engine to start from: a name or a file\n(default: the rows')")
      ->type_name("BASE");
  command.add_option("--model", fit.model, "Of JSON results (default: their model_id)")
      ->type_name("NAME|PATH");
  command.add_option("--gpu", fit.gpu, "Of JSON results")->type_name("NAME");
  command.add_option("--precision", fit.precision, "Weights of JSON results (default bf16)")
      ->type_name("FORMAT");
  command.add_option("--tensor", fit.tensor, "GPUs of JSON results (default 1)")->type_name("N");
  command
      .add_option("--max-num-seqs", fit.max_num_seqs,
                  "Of JSON results (default: the engine's for\nthe GPU)")
      ->type_name("N");
  command.add_option("--max-num-batched-tokens", fit.max_num_batched_tokens, "The same")
      ->type_name("N");
  command
      .add_option("--repeated", fit.repeated,
                  "A JSON result whose prompts had been sent\nbefore: they hit the prefix cache; "
                  "may be\nrepeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command.add_option("--jobs", fit.jobs, "Runs at a time (default: one a core)")->type_name("N");
  command.add_flag("-q,--quiet", fit.quiet, "No progress");
  for (CLI::Option* option : command.get_options()) option->check(refuse_empty);
  command.footer(kEngineFitFooter);
}

void add_others(CLI::App& tree, Arguments& arguments) {
  CLI::App& check = *tree.add_subcommand(
      "check", "Validate a scenario and explain it: memory, step\ntimes, the bound on throughput");
  add_scenario(check, arguments.check.scenario, arguments.check.as, arguments.check.sets);
  check.add_flag("--json", arguments.check.json,
                 "Print load and bound in place of the\nexplanation, for programs (headway.check)");
  check.footer(kCheckFooter);

  CLI::App& engine = *tree.add_subcommand("engine", "Work on the description of an engine");
  engine.require_subcommand(0, 1);
  engine.footer(kEngineFooter);
  add_engine_fit(engine, arguments.engine_fit);

  CLI::App& list = *tree.add_subcommand("list", "List what a scenario may name");
  list.add_option("TOPIC", arguments.list_topic, "What to list; without it, the topics");
  list.footer(kListFooter);

  tree.add_subcommand("reference", "Print the reference of all keys (Markdown)")
      ->footer(kReferenceFooter);

  CLI::App& completion =
      *tree.add_subcommand("completion", "Print the completion script of a shell");
  completion.add_option("SHELL", arguments.shell, "bash or zsh")->required();
  completion.footer(kCompletionFooter);

  // What the completion scripts ask; not for people.
  CLI::App& complete = *tree.add_subcommand("complete", "")->group("");
  complete.prefix_command();
}

// The tree's word nearest to `word`, as the end of a message.
std::string suggestion(const std::string& word, const std::vector<std::string>& words) {
  const std::string nearest = nearest_word(word, words);
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

// Before the parser's own, less helpful, message: a first word that is no command.
void check_command_word(const CLI::App& tree, int argc, char** argv) {
  const std::vector<std::string> commands = command_names(tree);
  if (argc < 2)
    throw InputError(
        fmt::format("no command given; expected {} (headway --help)", fmt::join(commands, ", ")));
  const std::string word = argv[1];
  if (find_command(tree, word) != nullptr) return;
  if (word.starts_with('-')) {
    const std::vector<std::string> names = option_names(tree);
    for (const std::string& name : names)
      if (name == word) return;
    if (word == "-h") return;
    throw InputError(fmt::format("unknown option {}{}", word, suggestion(word, names)));
  }
  const std::string nearest = suggestion(word, commands);
  throw InputError(fmt::format(
      "unknown command '{}'{}", word,
      nearest.empty() ? fmt::format("; expected {}", fmt::join(commands, ", ")) : nearest));
}

// "headway engine fit": the command's name with those above it.
std::string full_name(const CLI::App& command) {
  const CLI::App* above = command.get_parent();
  return above == nullptr ? command.get_name() : full_name(*above) + " " + command.get_name();
}

void check_rest(const CLI::App& command) {
  const std::vector<std::string> rest = command.remaining();
  for (const std::string& word : rest)
    if (word.starts_with('-')) {
      const std::string name = word.substr(0, word.find('='));
      throw InputError(fmt::format("unknown option {} of {}{}", name, full_name(command),
                                   suggestion(name, option_names(command))));
    }
  const std::vector<std::string> below = command_names(command);
  if (!below.empty())
    throw InputError(rest.empty()
                         ? fmt::format("no command given; expected {0} {1} ({0} --help)",
                                       full_name(command), fmt::join(below, ", "))
                         : fmt::format("unknown command '{}' of {}; expected {}", rest.front(),
                                       full_name(command), fmt::join(below, ", ")));
  if (!rest.empty())
    throw InputError(
        fmt::format("unexpected argument '{}' of {}", rest.front(), full_name(command)));
}

void finish_commands(CLI::App& tree) {
  for (CLI::App* command : tree.get_subcommands([](CLI::App*) { return true; })) {
    if (command->get_name() == "complete") continue;
    command->set_help_flag("-h,--help", "Print this help");
    command->allow_extras();
    finish_commands(*command);
  }
}

CLI::App& innermost(CLI::App& tree) {
  CLI::App* command = &tree;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

}  // namespace

std::unique_ptr<CLI::App> command_tree(Arguments& arguments) {
  auto tree = std::make_unique<CLI::App>(kOverview, "headway");
  tree->set_version_flag("--version", std::string("headway ") + kVersion, "Print the version");
  tree->set_help_flag("-h,--help", "Print this help");
  tree->require_subcommand(0, 1);
  tree->footer(kMainFooter);
  add_run(*tree, arguments.run);
  add_validate(*tree, arguments.validate);
  add_others(*tree, arguments);
  finish_commands(*tree);
  return tree;
}

const CLI::App* find_command(const CLI::App& tree, const std::string& name) {
  for (const CLI::App* command : tree.get_subcommands([](const CLI::App*) { return true; }))
    if (command->get_name() == name) return command;
  return nullptr;
}

std::vector<std::string> command_names(const CLI::App& tree) {
  std::vector<std::string> names;
  for (const CLI::App* command : tree.get_subcommands([](const CLI::App*) { return true; }))
    if (!command->get_group().empty()) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

CLI::App* parse_arguments(CLI::App& tree, int argc, char** argv) {
  check_command_word(tree, argc, argv);
  try {
    tree.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    throw;
  } catch (const CLI::CallForVersion&) {
    throw;
  } catch (const CLI::ParseError& error) {
    const CLI::App& chosen = innermost(tree);
    // A misspelt option is the likely reason for what the parser misses.
    if (&chosen != &tree) check_rest(chosen);
    throw InputError(fmt::format("{} ({} --help)", error.what(), full_name(chosen)));
  }
  CLI::App& command = innermost(tree);
  if (command.get_name() != "complete") check_rest(command);
  return &command;
}

}  // namespace headway
