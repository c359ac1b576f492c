#include "sim/report/trace_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace headway {

namespace {

// Processes of the trace: the fleet's replicas are threads of one, requests belong to the other.
constexpr int kFleet = 1;
constexpr int kRequests = 2;

std::string json_string(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The format counts in microseconds; three decimals keep nanoseconds.
std::string microseconds(Time time) {
  return fmt::format("{:.3f}", static_cast<double>(time) / 1e6);
}

}  // namespace

TraceJson::TraceJson(const std::filesystem::path& target, const Scenario& scenario,
                     std::size_t limit_bytes)
    : file_(target), limit_bytes_(limit_bytes) {
  file_.write("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
  const auto name_process = [&](int process, const std::string& name) {
    event(fmt::format(R"({{"name":"process_name","ph":"M","pid":{},"args":{{"name":{}}}}})",
                      process, json_string(name)));
  };
  name_process(kFleet, "fleet");
  name_process(kRequests, "requests");
  for (const Pool& pool : scenario.fleet)
    for (std::int32_t replica = 0; replica < pool.places(); ++replica) {
      const bool llm = pool.kind == Pool::Kind::llm;
      tracks_.push_back(
          {fmt::format("{} #{}", pool.name, replica), !llm && pool.service.servers > 1, llm});
      if (replica >= pool.replicas) tracks_.back().phase = ReplicaPhase::off;
      if (room(0))
        event(fmt::format(
            R"({{"name":"thread_name","ph":"M","pid":{},"tid":{},"args":{{"name":{}}}}})", kFleet,
            tracks_.size() - 1, json_string(tracks_.back().name)));
    }
  for (const WorkloadClass& workload_class : scenario.workload)
    class_names_.push_back(json_string(workload_class.name));
}

bool TraceJson::room(Time now) {
  if (cut_at_ == kNever && file_.size() >= limit_bytes_) cut_at_ = now;
  return cut_at_ == kNever;
}

void TraceJson::event(const std::string& text) {
  file_.write(first_event_ ? "\n" : ",\n");
  first_event_ = false;
  file_.write(text);
}

void TraceJson::on_arrival(Time now, std::uint32_t) {
  ++in_system_;
  if (!room(now)) return;
  event(fmt::format(
      R"({{"name":"requests in the system","ph":"C","ts":{},"pid":{},"args":{{"requests":{}}}}})",
      microseconds(now), kRequests, in_system_));
}

void TraceJson::slice(const char* name, std::uint64_t id, Time from, Time to) {
  if (from == kNever || to == kNever || to < from) return;
  for (const bool begin : {true, false})
    event(
        fmt::format(R"({{"name":"{}","cat":"request","ph":"{}","id":{},"ts":{},"pid":{},"tid":0}})",
                    name, begin ? 'b' : 'e', id, microseconds(begin ? from : to), kRequests));
}

void TraceJson::on_departure(Time now, const RequestRecord& record) {
  --in_system_;
  last_ = std::max(last_, now);
  if (!room(now)) return;
  const std::string& name = class_names_[record.workload_class];
  const Time end = record.finished == kNever ? now : record.finished;
  event(fmt::format(
      R"({{"name":{},"cat":"request","ph":"b","id":{},"ts":{},"pid":{},"tid":0,"args":{{"input_tokens":{},"output_tokens":{},"preemptions":{},"attempts":{},"outcome":"{}"}}}})",
      name, record.id, microseconds(record.scheduled), kRequests, record.input_tokens,
      record.output_tokens, record.preemptions, record.attempts, outcome_name(record.outcome)));
  slice("client", record.id, record.scheduled,
        record.sent > record.scheduled ? record.sent : kNever);
  slice("queue", record.id, record.queued, record.started);
  const bool llm = record.replica < tracks_.size() && tracks_[record.replica].continuous;
  if (llm) {
    slice("prefill", record.id, record.started, record.first_token);
    slice("decode", record.id, record.first_token, record.finished);
  } else {
    slice("service", record.id, record.started, record.finished);
  }
  event(fmt::format(R"({{"name":{},"cat":"request","ph":"e","id":{},"ts":{},"pid":{},"tid":0}})",
                    name, record.id, microseconds(end), kRequests));
}

void TraceJson::on_steps(const StepSpan& span) {
  last_ = std::max(last_, span.end);
  if (!room(span.end) || span.replica >= tracks_.size()) return;
  const Track& track = tracks_[span.replica];
  const char* kind = !track.continuous             ? "batch"
                     : span.steps == 0             ? "waking"
                     : span.prefill_sequences == 0 ? "decode"
                     : span.decode_sequences == 0  ? "prefill"
                                                   : "mixed";
  const std::string where = fmt::format(R"("pid":{},"tid":{})", kFleet, span.replica);
  const std::string args = fmt::format(
      R"("args":{{"steps":{},"decode_sequences":{},"prefill_sequences":{},"prefill_tokens":{}}})",
      span.steps, span.decode_sequences, span.prefill_sequences, span.prefill_tokens);
  if (track.overlapping) {
    const std::uint64_t id = spans_++;
    event(fmt::format(R"({{"name":"{}","cat":"service","ph":"b","id":"s{}","ts":{},{},{}}})", kind,
                      id, microseconds(span.start), where, args));
    event(fmt::format(R"({{"name":"{}","cat":"service","ph":"e","id":"s{}","ts":{},{}}})", kind, id,
                      microseconds(span.end), where));
  } else {
    event(fmt::format(R"({{"name":"{}","ph":"X","ts":{},"dur":{},{},{}}})", kind,
                      microseconds(span.start), microseconds(span.end - span.start), where, args));
  }
  event(fmt::format(R"({{"name":{},"ph":"C","ts":{},{},"args":{{"waiting":{},"running":{}}}}})",
                    json_string("load of " + track.name), microseconds(span.start), where,
                    span.waiting, span.slots));
  if (track.continuous)
    event(fmt::format(R"({{"name":{},"ph":"C","ts":{},{},"args":{{"blocks":{}}}}})",
                      json_string("KV blocks of " + track.name), microseconds(span.start), where,
                      span.kv_blocks));
}

void TraceJson::phase_slice(std::uint32_t replica, Time end) {
  const Track& track = tracks_[replica];
  if (track.phase == ReplicaPhase::off || end <= track.since) return;
  event(fmt::format(R"({{"name":"{}","cat":"phase","ph":"X","ts":{},"dur":{},"pid":{},"tid":{}}})",
                    phase_name(track.phase), microseconds(track.since),
                    microseconds(end - track.since), kFleet, tracks_.size() + replica));
}

void TraceJson::on_phase(Time now, std::uint32_t replica, ReplicaPhase phase) {
  last_ = std::max(last_, now);
  if (!room(now) || replica >= tracks_.size()) return;
  Track& track = tracks_[replica];
  if (!track.changes) {
    track.changes = true;
    event(fmt::format(R"({{"name":"thread_name","ph":"M","pid":{},"tid":{},"args":{{"name":{}}}}})",
                      kFleet, tracks_.size() + replica, json_string("phases of " + track.name)));
  }
  phase_slice(replica, now);
  track.phase = phase;
  track.since = now;
}

void TraceJson::on_retry(Time now, std::uint32_t workload_class, Outcome why) {
  if (!room(now)) return;
  event(fmt::format(
      R"({{"name":"retry","ph":"i","s":"p","ts":{},"pid":{},"tid":0,"args":{{"class":{},"after":"{}"}}}})",
      microseconds(now), kRequests, class_names_[workload_class], outcome_name(why)));
}

void TraceJson::on_preemption(Time now, std::uint32_t replica) {
  if (!room(now)) return;
  event(fmt::format(R"({{"name":"preemption","ph":"i","s":"t","ts":{},"pid":{},"tid":{}}})",
                    microseconds(now), kFleet, replica));
}

void TraceJson::finish() {
  const Time end = std::min(last_, cut_at_);
  for (std::uint32_t replica = 0; replica < tracks_.size(); ++replica) {
    if (tracks_[replica].changes) phase_slice(replica, end);
  }
  file_.write("\n],\"otherData\":{\"format\":\"headway.trace\",\"version\":1,\"complete\":");
  if (cut_at_ == kNever) {
    file_.write("true}}\n");
    return;
  }
  file_.write(
      fmt::format("false,\"left_out_from_seconds\":{:.6f},\"reason\":\"events after this time are "
                  "left out: the "
                  "file is kept under {} bytes\"}}}}\n",
                  to_seconds(cut_at_), limit_bytes_));
}

}  // namespace headway
