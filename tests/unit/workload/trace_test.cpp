#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sim/scenario/input_error.hpp"
#include "sim/workload/source.hpp"

namespace headway {
namespace {

using Format = Arrivals::TraceFormat;
using testing::HasSubstr;
namespace fs = std::filesystem;

struct Request {
  Time at;
  std::int32_t input, output;
  bool operator==(const Request&) const = default;
};
void PrintTo(const Request& r, std::ostream* out) {
  *out << "{" << r.at << ", " << r.input << ", " << r.output << "}";
}

/// A trace file that goes with the test.
class TraceTest : public testing::Test {
 protected:
  ~TraceTest() override { fs::remove(path_); }

  WorkloadClass trace(const std::string& text, Format format) {
    std::ofstream(path_, std::ios::binary) << text;
    WorkloadClass workload;
    workload.arrivals.kind = Arrivals::Kind::trace;
    workload.arrivals.trace_path = path_;
    workload.arrivals.trace_format = format;
    return workload;
  }
  static std::vector<Request> read(const WorkloadClass& workload) {
    const auto source = make_source(workload, 1, 0);
    std::vector<Request> all;
    Time at = 0;
    RequestBody body;
    while (source->next(at, body)) all.push_back({at, body.input_tokens, body.output_tokens});
    return all;
  }
  static std::string error(const WorkloadClass& workload) {
    try {
      read(workload);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  std::string path_ =
      fs::path(testing::TempDir()) /
      (std::string("trace-") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

constexpr const char* kPlain =
    "arrival_seconds,input_tokens,output_tokens\n10.5,100,20\n10.5,200,30\n12,300,40\n14.25,400,"
    "50\n";

TEST_F(TraceTest, APlainTraceStartsAtZeroWithItsFirstRow) {
  EXPECT_EQ(
      read(trace(kPlain, Format::plain)),
      (std::vector<Request>{
          {0, 100, 20}, {0, 200, 30}, {1'500'000'000'000, 300, 40}, {3'750'000'000'000, 400, 50}}));
}

TEST_F(TraceTest, SpeedLimitAndOffsetCutTheTrace) {
  WorkloadClass workload = trace(kPlain, Format::plain);
  workload.arrivals.trace_speed = 3;
  workload.arrivals.trace_offset = 1;
  workload.arrivals.trace_limit = 2;
  EXPECT_EQ(read(workload), (std::vector<Request>{{0, 200, 30}, {500'000'000'000, 300, 40}}));
}

TEST_F(TraceTest, AnOffsetPastTheEndIsAnError) {
  WorkloadClass workload = trace(kPlain, Format::plain);
  workload.arrivals.trace_offset = 4;
  EXPECT_THAT(error(workload), HasSubstr("the trace has 4 requests, and the offset skips 4"));
}

TEST_F(TraceTest, RowsThatTheOffsetSkipsAreCheckedAllTheSame) {
  WorkloadClass workload =
      trace("arrival_seconds,input_tokens,output_tokens\n1,x,20\n2,200,30\n", Format::plain);
  workload.arrivals.trace_offset = 1;
  EXPECT_THAT(error(workload), HasSubstr(":2:3: 'x' is not a number of input tokens"));
}

TEST_F(TraceTest, LawsOfTheClassReplaceTheTracesLengths) {
  WorkloadClass workload = trace(kPlain, Format::plain);
  workload.output_tokens = Distribution{Distribution::Kind::fixed, 7, 0, {}, 0, 1e18};
  const auto all = read(workload);
  EXPECT_EQ(all[3], (Request{3'750'000'000'000, 400, 7}));
  // With both lengths given, arrival times are enough.
  workload = trace("arrival_seconds\n1\n3\n", Format::plain);
  EXPECT_THAT(error(workload), HasSubstr("names no column of input tokens"));
  workload.input_tokens = workload.output_tokens =
      Distribution{Distribution::Kind::fixed, 9, 0, {}, 0, 1e18};
  EXPECT_EQ(read(workload), (std::vector<Request>{{0, 9, 9}, {2'000'000'000'000, 9, 9}}));
}

TEST_F(TraceTest, WindowsLineEndsByteOrderMarkQuotesAndBlanksAreRead) {
  EXPECT_EQ(read(trace("\xEF\xBB\xBF"
                       "output_tokens, note ,arrival_seconds,input_tokens\r\n"
                       "20,\"a, b\",1e0,100.0\r\n\"30\",, 2.5 ,200\r\n\r\n\r\n",
                       Format::plain)),
            (std::vector<Request>{{0, 100, 20}, {1'500'000'000'000, 200, 30}}));
}

TEST_F(TraceTest, TheLastLineMayLackItsEnd) {
  EXPECT_EQ(read(trace("arrival_seconds,input_tokens,output_tokens\n1,2,3", Format::plain)).size(),
            1u);
}

TEST_F(TraceTest, EpochStampsKeepTheirPicoseconds) {
  const auto all =
      read(trace("arrival_seconds,input_tokens,output_tokens\n"
                 "1700000000.000000000001,2,3\n1700086400.250000000003,2,3\n",
                 Format::plain));
  EXPECT_EQ(all[1].at, 86'400'250'000'000'002);
  const auto nanoseconds =
      read(trace("arrival_time_ns,input_toks,output_toks\n"
                 "1700000000000000001,2,3\n1700000000000000003.5,2,3\n",
                 Format::plain));
  EXPECT_EQ(nanoseconds[1].at, 2500);
}

TEST_F(TraceTest, AzuresWallClockIsReadToItsSevenDigitsAcrossMidnight) {
  EXPECT_EQ(read(trace("TIMESTAMP,ContextTokens,GeneratedTokens\n"
                       "2023-12-31 23:59:59.9999999,374,44\n2024-01-01 00:00:00,396,109\n"
                       "2024-02-29 00:00:00.0000001,5,6\n",
                       Format::azure)),
            (std::vector<Request>{{0, 374, 44},
                                  {100'000, 396, 109},
                                  {Time{59} * 86'400 * 1'000'000'000'000 + 200'000, 5, 6}}));
}

TEST_F(TraceTest, WallClocksWithAZoneAreReadInUtc) {
  EXPECT_EQ(read(trace("TIMESTAMP,ContextTokens,GeneratedTokens\n"
                       "2024-05-10 02:00:00.5+02:00,1,2\n2024-05-10T00:00:01Z,3,4\n",
                       Format::azure))[1],
            (Request{500'000'000'000, 3, 4}));
}

TEST_F(TraceTest, FailedBurstGptRequestsAreReadAsOneTokenAndCounted) {
  const WorkloadClass workload = trace(
      "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log "
      "Type\n"
      "5,,2.5,ChatGPT,472,18,490,Conversation log\n"
      "45,7,0.1,GPT-4,0,0,0,Conversation log\n"
      "118,7,3,GPT-4,417,0,417,API log\n",
      Format::burstgpt);
  EXPECT_EQ(read(workload),
            (std::vector<Request>{
                {0, 472, 18}, {40'000'000'000'000, 1, 1}, {113'000'000'000'000, 417, 1}}));
  const auto source = make_source(workload, 1, 0);
  EXPECT_EQ(source->note(), "");
  Time at = 0;
  RequestBody body;
  while (source->next(at, body)) {
  }
  EXPECT_THAT(source->note(), HasSubstr("2 of 3 requests are marked as failed"));
}

TEST_F(TraceTest, MooncakeObjectsAreReadInMilliseconds) {
  EXPECT_EQ(read(trace("{\"timestamp\": 1000, \"input_length\": 6758, \"output_length\": 500, "
                       "\"hash_ids\": [0, 1], \"x\": {\"a\": \"}\\\"\"}}\n"
                       "{\"output_length\":3,\"input_length\":2,\"timestamp\":1000.5}\r\n",
                       Format::mooncake)),
            (std::vector<Request>{{0, 6758, 500}, {500'000'000, 2, 3}}));
}

TEST_F(TraceTest, MooncakeBlocksThatStandBehindTheSameAreAlike) {
  const auto object = [](const char* length, const char* ids) {
    return std::string("{\"timestamp\": 0, \"input_length\": ") + length +
           ", \"output_length\": 1, \"hash_ids\": " + ids + "}\n";
  };
  const WorkloadClass workload = trace(object("1000", "[7, 8]") + object("1500", "[7, 9, 8]") +
                                           object("1030", "[7 , 8]") + object("2", "[]"),
                                       Format::mooncake);
  const auto source = make_source(workload, 1, 0);
  Time at = 0;
  RequestBody a, b, c, d;
  ASSERT_TRUE(source->next(at, a) && source->next(at, b) && source->next(at, c) &&
              source->next(at, d));
  EXPECT_EQ(a.content.shared.back().end, 1000);
  EXPECT_EQ(b.content.shared[1].end, 1024);
  EXPECT_EQ(a.content.shared[0], b.content.shared[0]);
  EXPECT_NE(a.content.shared[1].identity, b.content.shared[2].identity) << "8 behind another block";
  EXPECT_EQ(a.content.shared[1].identity, c.content.shared[1].identity);
  EXPECT_EQ(c.content.shared[1].end, 1024) << "the last 6 tokens are the request's alone";
  EXPECT_TRUE(d.content.shared.empty());
  EXPECT_THAT(error(trace(object("512", "[7, 8]"), Format::mooncake)),
              HasSubstr(":1:71: hash_ids has 2 ids; expected at most 1"));
  EXPECT_THAT(error(trace(object("512", "[-1]"), Format::mooncake)),
              HasSubstr(":1:72: found '-1]' in hash_ids; expected a whole number"));
  EXPECT_THAT(error(trace(object("512", "7"), Format::mooncake)),
              HasSubstr("expected a list of whole numbers"));
}

TEST_F(TraceTest, ATraceSlowedBeyondTheLongestRunIsRefusedByName) {
  WorkloadClass workload = trace(kPlain, Format::plain);
  workload.arrivals.trace_speed = 1e-7;
  EXPECT_THAT(error(workload), HasSubstr(":4:1: the trace spans 174 days up to '12'"));
}

TEST_F(TraceTest, ALineOfTenMegabytesIsNamed) {
  const std::string header = "arrival_seconds,input_tokens,output_tokens\n1,2,3\n";
  EXPECT_THAT(error(trace(header + std::string(10'000'000, '7') + ",1,1\n", Format::plain)),
              HasSubstr(":3:1: a line of over 1 MiB"));
  EXPECT_THAT(error(trace(header + std::string(10'000'000, '\0'), Format::plain)),
              HasSubstr(":3:1: a line of over 1 MiB"));
  // Just below the limit the line is read, and its content is what is wrong.
  EXPECT_THAT(error(trace(header + std::string((1 << 20) - 10, '7'), Format::plain)),
              HasSubstr(":3:1048567: the line '777"));
}

TEST_F(TraceTest, LinesThatStraddleTheReadBufferComeWhole) {
  std::string text = "arrival_seconds,input_tokens,output_tokens,note\n";
  for (int i = 0; i < 3000; ++i)
    text += std::to_string(i) + "," + std::to_string(i + 1) + ",3," +
            std::string(static_cast<std::size_t>(i % 700), 'n') + "\n";
  const auto all = read(trace(text, Format::plain));
  ASSERT_EQ(all.size(), 3000u);
  for (int i = 0; i < 3000; ++i)
    ASSERT_EQ(all[static_cast<std::size_t>(i)], (Request{Time{i} * 1'000'000'000'000, i + 1, 3}));
}

TEST_F(TraceTest, AMissingFileAndAFolderAreNamed) {
  WorkloadClass workload = trace(kPlain, Format::plain);
  workload.arrivals.trace_path = path_ + ".absent";
  EXPECT_THAT(error(workload), HasSubstr("No such file"));
  workload.arrivals.trace_path = testing::TempDir();
  EXPECT_THAT(error(workload), HasSubstr("is a folder; expected a trace file"));
}

/// The folder of the real traces, or "" where there is none.
std::string data_folder() {
  const char* const set = std::getenv("HEADWAY_DATA");
  const std::string folder = set && *set ? set : HEADWAY_SOURCE_DIR "/../shared/data";
  return fs::exists(folder + "/traces") ? folder + "/traces/" : "";
}

struct Totals {
  std::int64_t requests = 0, input = 0, output = 0;
  Time last = 0;
  bool operator==(const Totals&) const = default;
};

Totals totals(const std::string& path, Format format) {
  WorkloadClass workload;
  workload.arrivals.kind = Arrivals::Kind::trace;
  workload.arrivals.trace_path = path;
  workload.arrivals.trace_format = format;
  const auto source = make_source(workload, 1, 0);
  Totals sum;
  RequestBody body;
  while (source->next(sum.last, body)) {
    ++sum.requests;
    sum.input += body.input_tokens;
    sum.output += body.output_tokens;
  }
  return sum;
}

// Totals counted with awk over the files' columns.
TEST(RealTraces, HaveTheTotalsOfTheirFiles) {
  const std::string folder = data_folder();
  if (folder.empty()) GTEST_SKIP() << "no HEADWAY_DATA: the real traces were not read";
  EXPECT_EQ(totals(folder + "azure-2023-conv.csv", Format::azure),
            (Totals{19'366, 22'361'870, 4'088'665, 3'501'721'937'000'000}));
  EXPECT_EQ(totals(folder + "azure-2023-code.csv", Format::azure),
            (Totals{8'819, 18'059'974, 245'896, 3'435'948'056'000'000}));
  EXPECT_EQ(totals(folder + "mooncake-conversation.jsonl", Format::mooncake),
            (Totals{12'031, 144'793'823, 4'122'048, 3'536'999'000'000'000}));
  EXPECT_EQ(totals(folder + "sharegpt-300-llama-3.1-8b.csv", Format::plain).requests, 300);
}

}  // namespace
}  // namespace headway
