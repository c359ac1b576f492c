// requests.csv: one flat line a request, written as the run goes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/model/events.hpp"
#include "sim/report/atomic_file.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

/// Writes a line for each request that left the system, in the order of leaving. Format
/// `headway.requests` version 1 (sim/README.md). Times in seconds from the run's start, to the
/// nanosecond; a time that was not reached is an empty field.
class RequestsCsv : public Observer {
 public:
  /// Opens the file and writes the header. Throws RunError.
  RequestsCsv(const std::filesystem::path& target, const Scenario& scenario);

  void on_departure(Time now, const RequestRecord& record) override;
  void on_arrival(Time, std::uint32_t) override {}
  void on_token_gaps(Time, std::int64_t) override {}
  void on_steps(const StepSpan&) override {}
  void on_preemption(Time, std::uint32_t) override {}

  AtomicFile& file() { return file_; }

 private:
  AtomicFile file_;
  std::vector<std::string> class_fields_;    // "chat," by class, quoted where needed
  std::vector<std::string> replica_fields_;  // "main,3," by replica over all pools
};

/// A text as one CSV field (RFC 4180): quoted where it holds a comma, a quote or a line break.
std::string csv_field(const std::string& text);

}  // namespace headway
