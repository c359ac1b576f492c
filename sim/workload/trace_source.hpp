// A trace as a source of requests: rebased to the run's start, sped up, cut out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sim/workload/request_lengths.hpp"
#include "sim/workload/source.hpp"
#include "sim/workload/trace_reader.hpp"

namespace headway {

/// The rows of a trace from `trace_offset` on, at most `trace_limit` of them. The first row used
/// arrives at 0, every other at its distance from that row divided by `trace_speed`. Length laws of
/// the class replace the trace's lengths. Rows that the offset skips are checked all the same.
class TraceSource : public Source {
 public:
  /// Opens the file. Throws InputError.
  TraceSource(const WorkloadClass& workload_class, std::uint64_t seed, std::uint32_t entity);
  /// Throws InputError for a broken line, for stamps out of order, for a trace without a request to
  /// use, and for one that spans over 106 days.
  bool next(Time& at, RequestBody& body) override;
  std::string note() const override;

 private:
  bool read(TraceRow& row);
  Time rebased(const TraceRow& row) const;

  Content content(const TraceRow& row) const;

  RequestLengths lengths_;
  const std::uint64_t trace_;  // the file, of whose blocks the ids are
  std::unique_ptr<TraceReader> reader_;
  double speed_;
  std::int64_t limit_, offset_;
  std::int64_t rows_ = 0;       // read so far
  std::uint64_t requests_ = 0;  // given so far
  Stamp first_ = 0;             // of the first row used
  Stamp previous_ = 0;
  std::string previous_text_;
};

}  // namespace headway
