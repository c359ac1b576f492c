#include "sim/workload/trace_source.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/workload/arrival_process.hpp"

namespace headway {

TraceSource::TraceSource(const WorkloadClass& workload_class, std::uint64_t seed,
                         std::uint32_t entity)
    : lengths_(workload_class, seed, entity),
      reader_(open_trace(workload_class.arrivals.trace_path, workload_class.arrivals.trace_format,
                         !lengths_.gives_input(), !lengths_.gives_output())),
      speed_(workload_class.arrivals.trace_speed),
      limit_(workload_class.arrivals.trace_limit),
      offset_(workload_class.arrivals.trace_offset) {}

bool TraceSource::read(TraceRow& row) {
  if (!reader_->next(row)) return false;
  if (rows_++ > 0 && row.stamp < previous_)
    fail_at(
        reader_->lines(), row.stamp_field.column,
        fmt::format("{} is before {} of the request above; expected requests in order of arrival",
                    quoted(row.stamp_field.text), quoted(previous_text_)));
  previous_ = row.stamp;
  previous_text_.assign(row.stamp_field.text);
  return true;
}

Time TraceSource::rebased(const TraceRow& row) const {
  const Stamp distance = row.stamp - first_;
  if (speed_ == 1 && distance <= kLastArrival) return static_cast<Time>(distance);
  const long double at = static_cast<long double>(distance) / static_cast<long double>(speed_);
  if (at <= static_cast<long double>(kLastArrival)) return std::llround(at);
  fail_at(
      reader_->lines(), row.stamp_field.column,
      fmt::format("the trace spans {:.0f} days up to {}; expected 106 days at most: set a limit, "
                  "an offset or a speed",
                  static_cast<double>(at / 86400e12L), quoted(row.stamp_field.text)));
}

bool TraceSource::next(Time& at, RequestBody& body) {
  if (limit_ > 0 && requests_ == static_cast<std::uint64_t>(limit_)) return false;
  TraceRow row;
  do {
    if (read(row)) continue;
    if (requests_ == 0)
      fail_at(reader_->lines(), 1,
              rows_ == 0
                  ? std::string("the trace ends without a request; expected one a line")
                  : fmt::format("the trace has {} requests, and the offset skips {}; expected "
                                "a smaller offset",
                                rows_, offset_));
    return false;
  } while (rows_ <= offset_);
  if (requests_ == 0) first_ = row.stamp;
  at = rebased(row);
  body = {row.input_tokens, row.output_tokens, 0};
  lengths_.apply(requests_++, body);
  return true;
}

std::string TraceSource::note() const {
  if (reader_->failed_rows() == 0) return "";
  return fmt::format(
      "{}: {} of {} requests are marked as failed (0 response tokens); they are simulated with an "
      "output of 1 token",
      reader_->lines().path(), reader_->failed_rows(), rows_);
}

}  // namespace headway
