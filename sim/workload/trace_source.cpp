#include "sim/workload/trace_source.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/workload/arrival_process.hpp"

namespace headway {
namespace {

std::uint64_t fingerprint(const std::string& text) {
  std::uint64_t hash = 0;
  for (const char letter : text) hash = mix64(hash + static_cast<unsigned char>(letter) + 1);
  return hash;
}

/// Where the class has a length law of its own, the trace's blocks end with the prompt.
void end_at(Content& content, std::int32_t input_tokens) {
  while (!content.shared.empty() && content.shared.back().end > input_tokens) {
    Content::Part& last = content.shared.back();
    const std::size_t parts = content.shared.size();
    if (parts > 1 && content.shared[parts - 2].end >= input_tokens) {
      content.shared.pop_back();
    } else {
      last.end = input_tokens;
    }
  }
}

}  // namespace

TraceSource::TraceSource(const WorkloadClass& workload_class, std::uint64_t seed,
                         std::uint32_t entity)
    : lengths_(workload_class, seed, entity),
      trace_(fingerprint(workload_class.arrivals.trace_path)),
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
  body = {row.input_tokens, row.output_tokens, 0, content(row)};
  lengths_.apply(requests_++, body);
  end_at(body.content, body.input_tokens);
  return true;
}

/// An id speaks for all before it; should a trace use one behind different blocks, they are told
/// apart.
Content TraceSource::content(const TraceRow& row) const {
  Content content;
  std::uint64_t before = trace_;
  std::int64_t end = 0;
  for (const std::uint64_t id : row.block_ids) {
    before = content_identity(ContentOf::trace_block, before, id);
    end = std::min<std::int64_t>(end + kTraceBlockTokens, row.input_tokens);
    content.shared.push_back({before, static_cast<std::int32_t>(end)});
  }
  return content;
}

std::string TraceSource::note() const {
  if (reader_->failed_rows() == 0) return "";
  return fmt::format(
      "{}: {} of {} requests are marked as failed (0 response tokens); they are simulated with an "
      "output of 1 token",
      reader_->lines().path(), reader_->failed_rows(), rows_);
}

}  // namespace headway
