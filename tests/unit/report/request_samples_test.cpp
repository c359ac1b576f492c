#include "sim/report/request_samples.hpp"

#include <gtest/gtest.h>

#include "sim/report/requests_csv.hpp"
#include "sim/scenario/input_error.hpp"
#include "tests/unit/report/example.hpp"

namespace headway {
namespace {

constexpr Time kSecond = 1'000'000'000'000;

// A request that is answered `seconds` after it was due, of so many output tokens: the first one
// comes after half of that.
RequestRecord request(std::uint32_t workload_class, Time seconds, std::int32_t output_tokens) {
  RequestRecord record;
  record.workload_class = workload_class;
  record.scheduled = record.sent = record.queued = record.started = kSecond;
  record.first_token = kSecond + seconds * kSecond / 2;
  record.finished = kSecond + seconds * kSecond;
  record.output_tokens = output_tokens;
  return record;
}

std::string message_of(const std::string& path) {
  try {
    read_request_samples(path, {});
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

class RequestSamplesOfAFile : public testing::Test {
 protected:
  RequestSamplesOfAFile() : path((folder / "requests.csv").string()) {}
  void write(const std::vector<RequestRecord>& records) {
    RequestsCsv csv(path, example_scenario());
    for (const RequestRecord& record : records) csv.on_departure(record.finished, record);
    csv.file().commit();
  }
  void write_text(const std::string& text) { std::ofstream(path) << text; }
  TemporaryFolder folder;
  std::string path;
};

// TPOT of 3 tokens in the second half of 4 s: 1 s. A class's name with a comma moves no column.
TEST_F(RequestSamplesOfAFile, are_those_that_were_written) {
  write({request(0, 2, 1), request(1, 4, 3)});
  const RequestSamples samples = read_request_samples(path, {});
  EXPECT_EQ(samples.ttft, (std::vector<double>{1, 2}));
  EXPECT_EQ(samples.e2e, (std::vector<double>{2, 4}));
  EXPECT_EQ(samples.tpot, (std::vector<double>{1}));
}

TEST_F(RequestSamplesOfAFile, leave_out_what_the_figures_leave_out) {
  RequestRecord rejected = request(0, 100, 1);
  rejected.outcome = Outcome::rejected_queue_full;
  write({request(0, 2, 2), rejected, request(0, 4, 1), request(0, 6, 2), request(0, 8, 2)});
  WarmUp warm_up;
  warm_up.requests = 1;
  warm_up.drain_requests = 1;
  const RequestSamples samples = read_request_samples(path, warm_up);
  EXPECT_EQ(samples.e2e, (std::vector<double>{4, 6}));
  EXPECT_EQ(samples.tpot, (std::vector<double>{3}));
}

TEST_F(RequestSamplesOfAFile, that_is_none_of_ours_are_refused_with_the_place) {
  write({request(0, 2, 2)});
  const std::string good = file_text(path);
  write_text(good + "1,chat,main\n");
  EXPECT_EQ(message_of(path), path + ":4: a damaged line; expected 20 fields, times in seconds");
  write_text(good + "1,chat,main,0,completed,1,1,1,1,2,2,1,2,0,0,-1,0.5,1,1,0\n");
  EXPECT_EQ(message_of(path), path + ":4: a damaged line; expected 20 fields, times in seconds");
  write_text(good + "1,chat,main,0,completed,1,1,1,1,2,2,1,2,0,0,1,0.5,nan,1,0\n");
  EXPECT_EQ(message_of(path), path + ":4: a damaged line; expected 20 fields, times in seconds");
  write_text("# headway.requests version 2; times\n");
  EXPECT_EQ(message_of(path).substr(0, path.size() + 3), path + ":1:");
  write_text("# headway.requests version 1; times\nrequest,class\n");
  EXPECT_EQ(message_of(path), path + ":2: no column outcome");
  EXPECT_EQ(message_of("/nonexistent/requests.csv"), "/nonexistent/requests.csv: cannot be read");
}

}  // namespace
}  // namespace headway
