// Measured results of real serving engines: a table with one configuration a row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/validation/measure.hpp"

namespace headway {

/// How a benchmark sends its requests.
enum class Loop {
  trace,          // at the times, and with the lengths, of a log
  open_constant,  // `requests` requests, evenly spaced at `rate`
  closed,         // `concurrency` requests in flight
  all_at_once,    // everything at the start: maximum load
  static_batch    // one batch of `batch` requests
};
const char* loop_name(Loop loop);  // as in the table: "open-constant"

/// One configuration that was run, and what came of it. Numbers that the source does not state are
/// 0, texts are empty.
struct MeasuredRow {
  std::string id;     // letters, digits, '-', '_' and '.': it names files
  std::string group;  // rows of one source
  std::string source;
  std::string engine, engine_version;  // "vllm", "0.15.1"
  std::string engine_entry;            // what a scenario may name; empty: by engine and version
  std::string gpu, model, precision;   // as the source writes them
  std::string note;
  Loop loop = Loop::open_constant;
  std::int32_t tensor = 1, pipeline = 1, expert = 1;
  double rate = 0;               // requests per second; open_constant
  double interval_cv = 0;        // of the times between requests: 0 even, 1 Poisson; open_constant
  std::int64_t concurrency = 0;  // closed: requests in flight; open_constant: the client's cap
  std::int64_t batch = 0;        // static_batch
  std::int64_t requests = 0;
  double input_tokens = 0, output_tokens = 0;               // means; trace: stated for the reader
  std::vector<std::int32_t> input_lengths, output_lengths;  // of each request; empty: all alike
  bool repeated = false;  // open_constant: the same prompts had been answered before
  std::int32_t max_num_seqs = 0, max_num_batched_tokens = 0;
  std::int64_t kv_blocks = 0;
  std::optional<bool> chunked_prefill, prefix_caching;
  Measures measured;
  std::string where;  // "file:line", for messages
};

/// Reads a table of the columns of measured/serving.csv, named in its first line: id, group,
/// engine, gpu, model, precision and loop are needed, others may be left out. Throws InputError
/// with the place for an unknown column, a value out of range, an id that stands twice, a loop
/// without what it needs, a row that measures nothing, and a table without rows.
std::vector<MeasuredRow> read_measured_table(const std::string& path);

/// The groups of the rows, in order of their first row.
std::vector<std::string> groups_of(const std::vector<MeasuredRow>& rows);

}  // namespace headway
