// Readers of request logs, one row a request, streamed.
//
// azure     CSV  TIMESTAMP,ContextTokens,GeneratedTokens           wall-clock stamps
// burstgpt  CSV  Timestamp,…,Request tokens,Response tokens,…      seconds
// mooncake  JSONL {"timestamp": ms, "input_length": n, "output_length": n, "hash_ids": [i, …], …}
// plain     CSV  arrival_seconds,input_tokens,output_tokens        or arrival_time_ns, input_toks,
//                                                                  output_toks
//
// CSV columns may stand in any order, and others may stand beside them. Every line is checked;
// blank lines may stand at the end only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario/scenario.hpp"
#include "sim/workload/trace_field.hpp"

namespace headway {

struct TraceRow {
  Stamp stamp = 0;
  TraceField stamp_field;                // valid until the next row is read
  std::int32_t input_tokens = 1;         // ≥ 1
  std::int32_t output_tokens = 1;        // ≥ 1
  std::vector<std::uint64_t> block_ids;  // mooncake's hash_ids, of each kTraceBlockTokens tokens of
                                         // the prompt; empty if the trace gives none
};

/// Tokens of the blocks that a Mooncake trace names by hash_ids: equal ids stand for equal prompts
/// up to the block's end (Qin et al., "Mooncake", FAST 2025).
inline constexpr std::int32_t kTraceBlockTokens = 512;

class TraceReader {
 public:
  virtual ~TraceReader() = default;
  /// The next row, or false at the end of the file. Throws InputError for a broken line.
  bool next(TraceRow& row);
  /// The file, and the line of the row last read.
  const LineReader& lines() const { return lines_; }
  /// Rows so far that the log marks as failed: BurstGPT's with 0 response tokens. They were sent,
  /// so they are read as requests, of at least 1 input token and of 1 output token.
  std::int64_t failed_rows() const { return failed_rows_; }

 protected:
  explicit TraceReader(const std::string& path) : lines_(path) {}
  virtual void parse(std::string_view line, TraceRow& row) = 0;

  LineReader lines_;
  std::int64_t failed_rows_ = 0;
};

/// Opens a trace and reads its header. `need_input`, `need_output`: false if the class gives the
/// lengths itself; a plain trace may then lack the column. Throws InputError.
std::unique_ptr<TraceReader> open_trace(const std::string& path, Arrivals::TraceFormat format,
                                        bool need_input, bool need_output);

/// The readers behind open_trace.
std::unique_ptr<TraceReader> open_csv_trace(const std::string& path, Arrivals::TraceFormat format,
                                            bool need_input, bool need_output);
std::unique_ptr<TraceReader> open_mooncake_trace(const std::string& path);

/// "; it looks like an Azure trace: say format: azure" for the first line of a trace in a known
/// format other than `format`, else "".
std::string format_hint(std::string_view first_line, Arrivals::TraceFormat format);

}  // namespace headway
