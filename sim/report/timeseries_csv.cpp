#include "sim/report/timeseries_csv.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "sim/scenario/input_error.hpp"

namespace headway {

namespace {

constexpr std::string_view kFormat = "# headway.timeseries version ";
constexpr std::string_view kBucket = "; buckets of ";
constexpr std::string_view kColumns =
    "start_s,arrivals,completions,rejections,output_tokens,in_system,queue,running,kv_share,"
    "busy_share,timeouts,hang_ups,losses,retries,ready_replicas,existing_replicas";
constexpr std::size_t kColumnCount = 16;

// The next line of `text`, which loses it and its line break.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

bool read_number(std::string_view text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string timeseries_csv(const Timeline& timeline) {
  std::string text = fmt::format("{}1{}{} s; counts within the bucket, means over it\n{}\n",
                                 kFormat, kBucket, timeline.bucket_seconds, kColumns);
  double start = 0;
  for (const Timeline::Bucket& bucket : timeline.buckets) {
    text +=
        fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", start, bucket.arrivals,
                    bucket.completions, bucket.rejections, bucket.output_tokens, bucket.in_system,
                    bucket.queue, bucket.running, bucket.kv_share, bucket.busy, bucket.timeouts,
                    bucket.hang_ups, bucket.losses, bucket.retries, bucket.ready, bucket.existing);
    start = static_cast<double>(&bucket - timeline.buckets.data() + 1) * timeline.bucket_seconds;
  }
  return text;
}

Timeline parse_timeseries(std::string_view text, const std::string& where) {
  std::string_view first = take_line(text);
  if (!first.starts_with(kFormat))
    throw InputError(where + ":1: not a time line of headway; expected \"" + std::string(kFormat) +
                     "1 …\"");
  first.remove_prefix(kFormat.size());
  const std::size_t bucket = first.find(kBucket);
  const std::string_view version = first.substr(0, bucket);
  if (version != "1")
    throw InputError(where + ":1: a time line of version " + std::string(version) +
                     "; this headway reads version 1");
  Timeline timeline;
  const std::string_view width =
      bucket == std::string_view::npos ? "" : first.substr(bucket + kBucket.size());
  if (!read_number(width.substr(0, width.find(' ')), timeline.bucket_seconds))
    throw InputError(where + ":1: no width of the buckets");
  if (take_line(text) != kColumns)
    throw InputError(where + ":2: other columns; expected " + std::string(kColumns));
  for (int line_number = 3; !text.empty(); ++line_number) {
    std::string_view line = take_line(text);
    std::array<double, kColumnCount> values{};
    std::size_t column = 0;
    for (; column < values.size() && !line.empty(); ++column) {
      const std::size_t comma = line.find(',');
      if (!read_number(line.substr(0, comma), values[column])) break;
      line.remove_prefix(comma == std::string_view::npos ? line.size() : comma + 1);
    }
    if (column != values.size() || !line.empty())
      throw InputError(where + ":" + std::to_string(line_number) + ": a damaged line; expected " +
                       std::to_string(values.size()) + " numbers");
    const auto count = [&](std::size_t index) { return static_cast<std::int64_t>(values[index]); };
    timeline.buckets.push_back({count(1), count(2), count(3), count(4), values[5], values[6],
                                values[7], values[8], values[9], count(10), count(11), count(12),
                                count(13), values[14], values[15]});
  }
  return timeline;
}

}  // namespace headway
