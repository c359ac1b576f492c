// What an engine logged of a run: stamps of every request, and its state each second.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headway {

/// One request; seconds on the engine's own clock.
struct LoggedRequest {
  std::int64_t number = 0;  // the digits at the end of its name: order of arrival, from 0
  std::int64_t input_tokens = 0, output_tokens = 0;
  double queued = 0, scheduled = 0, first_token = 0, last_token = 0;
};

/// The requests of a log in JSON lines (request_id, input_toks, output_toks, queued_ts,
/// scheduled_ts, first_token_ts, last_token_ts), in order of their numbers. Throws InputError with
/// file and line for anything else, for a missing number, and for stamps out of order.
std::vector<LoggedRequest> read_request_log(const std::string& path);

/// The engine's state at one time.
struct LoggedState {
  double seconds = 0;  // from the start of the benchmark
  double running = 0, waiting = 0;
  double kv_share = 0;  // of the KV cache, 0..1
};

/// The states of a log with columns t, running, waiting and kv_cache_pct. Throws InputError.
std::vector<LoggedState> read_state_log(const std::string& path);

/// Time of the first request of a trace with the column arrival_time_ns, in seconds. Throws
/// InputError.
double first_arrival_seconds(const std::string& path);

}  // namespace headway
