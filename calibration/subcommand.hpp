// A subcommand of headway-calibrate: one file each, listed in calibration/command_line.cpp.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace headway {

/// What a command line leads to, and what the shell may complete.
struct Subcommand {
  CLI::App* app = nullptr;   // its options, in the tree
  std::function<int()> run;  // after parsing; returns the exit code
  /// Words that an option ("--gpu") or, under "", a positional argument takes; the single word
  /// ":files" or ":folders" stands for those.
  std::map<std::string, std::function<std::vector<std::string>()>> words;
};

/// Exit codes of every subcommand.
enum CalibrationExit {
  kCalibrationFine = 0,
  kCalibrationNo = 1,      // check: the set-up does not measure what it should
  kCalibrationInput = 2,   // samples, tables, model or arguments
  kCalibrationFailed = 3,  // the environment: no device, a lost device, disk, Ctrl-C
};

/// `import`: public kernel tables into samples.
Subcommand import_subcommand(CLI::App& tree);

/// `profile`: samples into a profile.
Subcommand profile_subcommand(CLI::App& tree);

/// `run`: measures a device.
Subcommand run_subcommand(CLI::App& tree);

/// `check`: proves that a device can be measured.
Subcommand check_subcommand(CLI::App& tree);

}  // namespace headway
