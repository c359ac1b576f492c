// The latencies of single requests, read back from requests.csv.
#pragma once

#include <string>
#include <vector>

#include "sim/metrics/summary.hpp"

namespace headway {

/// Seconds, in the order in which the requests completed.
struct RequestSamples {
  std::vector<double> ttft, tpot, e2e;  // TPOT: of requests with two output tokens or more
};

/// The samples that the figures of a summary are made of: of the requests that completed, without
/// those at the start that `warm_up` left out, and without those that ended after the load. Times
/// are the file's, to the nanosecond. Throws InputError for a file that cannot be read, another
/// format or version, other columns, or a damaged line, with its number.
RequestSamples read_request_samples(const std::string& path, const WarmUp& warm_up);

}  // namespace headway
