#include "sim/report/requests_csv.hpp"

#include <charconv>
#include <cstring>

namespace headway {

namespace {

constexpr const char* kHeader =
    "# headway.requests version 1; times in seconds from the run's start, ttft_s, tpot_s and e2e_s "
    "from the scheduled arrival\n"
    "request,class,pool,replica,outcome,scheduled_s,sent_s,queued_s,started_s,first_token_s,"
    "finished_s,input_tokens,output_tokens,prefix_hit_tokens,preemptions,ttft_s,tpot_s,e2e_s,"
    "attempts,escalations\n";

// Room for a line's 20 numbers, 24 bytes each; the names are counted apart.
constexpr std::size_t kNumbersBytes = 480;

template <typename Integer>
char* put_integer(char* at, Integer value) {
  return std::to_chars(at, at + 24, value).ptr;
}

// Seconds with nine decimals, rounded to the nearest nanosecond; nothing for a time not reached.
char* put_seconds(char* at, Time time) {
  if (time == kNever || time < 0) {
    *at++ = ',';
    return at;
  }
  const std::int64_t nanoseconds = time / 1000 + (time % 1000 >= 500 ? 1 : 0);
  at = put_integer(at, nanoseconds / 1'000'000'000);
  *at++ = '.';
  auto fraction = static_cast<std::uint32_t>(nanoseconds % 1'000'000'000);
  for (int digit = 8; digit >= 0; --digit) {
    at[digit] = static_cast<char>('0' + fraction % 10);
    fraction /= 10;
  }
  at += 9;
  *at++ = ',';
  return at;
}

char* put_text(char* at, const std::string& text) {
  std::memcpy(at, text.data(), text.size());
  return at + text.size();
}

Time between(Time from, Time to) {
  return from == kNever || to == kNever ? kNever : to - from;
}

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"') quoted += '"';
    quoted += letter;
  }
  return quoted + '"';
}

RequestsCsv::RequestsCsv(const std::filesystem::path& target, const Scenario& scenario)
    : file_(target) {
  for (const WorkloadClass& workload_class : scenario.workload)
    class_fields_.push_back(csv_field(workload_class.name) + ",");
  for (const Pool& pool : scenario.fleet)
    for (std::int32_t replica = 0; replica < pool.places(); ++replica)
      replica_fields_.push_back(csv_field(pool.name) + "," + std::to_string(replica) + ",");
  file_.write(kHeader);
}

void RequestsCsv::on_departure(Time, const RequestRecord& record) {
  static const std::string no_replica = ",,";
  const bool met = met_replica(record) && record.replica < replica_fields_.size();
  const std::string& class_field = class_fields_[record.workload_class];
  const std::string& replica_field = met ? replica_fields_[record.replica] : no_replica;
  const char* outcome = outcome_name(record.outcome);
  const std::size_t outcome_bytes = std::strlen(outcome);

  char small[1024];
  std::string large;
  char* line = small;
  const std::size_t bytes =
      kNumbersBytes + class_field.size() + replica_field.size() + outcome_bytes;
  if (bytes > sizeof small) {
    large.resize(bytes);
    line = large.data();
  }
  const bool completed = record.outcome == Outcome::completed;
  const Time ttft = completed ? between(record.scheduled, record.first_token) : kNever;
  const Time e2e = completed ? between(record.scheduled, record.finished) : kNever;
  const Time tpot = completed && record.output_tokens >= 2
                        ? between(record.first_token, record.finished)
                        : kNever;

  char* at = put_integer(line, record.id);
  *at++ = ',';
  at = put_text(at, class_field);
  at = put_text(at, replica_field);
  std::memcpy(at, outcome, outcome_bytes);
  at += outcome_bytes;
  *at++ = ',';
  for (const Time time : {record.scheduled, record.sent, record.queued, record.started,
                          record.first_token, record.finished})
    at = put_seconds(at, time);
  for (const std::int32_t count :
       {record.input_tokens, record.output_tokens, record.prefix_hit_tokens, record.preemptions}) {
    at = put_integer(at, count);
    *at++ = ',';
  }
  at = put_seconds(at, ttft);
  at = put_seconds(at, tpot == kNever ? kNever : tpot / (record.output_tokens - 1));
  at = put_seconds(at, e2e);
  for (const std::int32_t count : {record.attempts, record.escalations}) {
    at = put_integer(at, count);
    *at++ = ',';
  }
  at[-1] = '\n';
  file_.write({line, static_cast<std::size_t>(at - line)});
}

}  // namespace headway
