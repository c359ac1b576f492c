// Runs as child processes: a crash, a limit or a cancel of one run touches no other. Several go at
// once, over the cores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sim/report/report.hpp"
#include "sim/report/run_protocol.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

/// One run to be made.
struct RunOrder {
  Scenario scenario;
  std::filesystem::path out;      // a folder that is there for the result files; empty: none
  double time_limit_seconds = 0;  // of wall time, 0 = none; then the run ends, with what it has
  std::int64_t memory_limit_bytes = 0;  // of the process's heap and private maps, 0 = none
};

/// What became of it.
struct RunReply {
  enum class Status {
    complete,
    partial,  // cancelled or at its time limit: figures of what had happened
    failed    // no figures: `error` says why
  };
  Status status = Status::failed;
  Report report;             // without the time line, which is in timeseries.csv
  std::string summary_json;  // the bytes of summary.json
  std::string error;         // one message for people
  bool wrong_input = false;  // the error is the user's input (exit code 2), not the environment (3)
};

/// How running runs are to end.
enum class Stop {
  no,
  with_results,  // at the next chance, with what they have
  at_once        // killed
};

/// Told of what happens, from the thread that called run_all; every member may be empty.
struct RunWatch {
  std::function<void(std::size_t order, const ChildProgress&)> on_progress;
  std::function<void(std::size_t order, const RunReply&)> on_reply;
  std::function<Stop()> stop;  // asked every 50 ms and after every signal
};

/// Makes the runs, at most `jobs` at a time (0: one for each core), each in a process forked from
/// this one. Replies come in the order of the orders. The caller must have one thread, no engine
/// started and no database open. Runs end when this process does; a run that fails leaves no file.
/// Throws RunError where no process can be made.
std::vector<RunReply> run_all(const std::vector<RunOrder>& orders, int jobs,
                              const RunWatch& watch = {});

}  // namespace headway
