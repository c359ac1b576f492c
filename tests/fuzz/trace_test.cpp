// Hostile traces: each is read to its end, or to one message that names the line.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <iostream>

#include "mutation.hpp"
#include "sim/scenario/input_error.hpp"
#include "sim/workload/source.hpp"

namespace headway {
namespace {

using Format = Arrivals::TraceFormat;

struct Example {
  Format format;
  const char* text;
};

const std::vector<Example> kExamples = {
    {Format::azure,
     "TIMESTAMP,ContextTokens,GeneratedTokens\n"
     "2023-11-16 18:15:46.6805900,374,44\n2023-11-16 18:15:50.9951690,396,109\n"
     "2023-11-16 18:15:51.2224670,879,55\n2023-11-16T18:15:51.9+00:00,91,16\n"},
    {Format::burstgpt,
     "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
     "5,ChatGPT,472,18,490,Conversation log\n45.5,ChatGPT,1087,230,1317,Conversation log\n"
     "118,GPT-4,417,0,417,\"API log\"\n1e3,GPT-4,417,276,693,API log\n"},
    {Format::mooncake,
     "{\"timestamp\": 0, \"input_length\": 6758, \"output_length\": 500, \"hash_ids\": [0, 1, 2]}\n"
     "{\"timestamp\": 3000, \"input_length\": 7322, \"output_length\": 490, \"hash_ids\": []}\n"
     "{\"timestamp\": 3e3, \"input_length\": 1, \"output_length\": 1, \"x\": {\"y\": [null, "
     "\"\\u00e9\"]}}\n"},
    {Format::plain,
     "arrival_seconds,input_tokens,output_tokens\n0,10,20\n0.5,11,21\n1e1,12,22.0\n"},
    {Format::plain,
     "arrival_time_ns,input_toks,output_toks,comment\r\n0,10,20,\"a, b\"\r\n500,11,21,\r\n"}};

const std::vector<std::string> kWords = {
    "\"\"", ",,", "18:15",   "-00:01",          "Z",    "2023-13-32 25:61:61",
    "null", "{}", "\\u0000", "\"timestamp\": ", "1e19", "e-400"};

/// A file without a disk behind it: thousands of them a second.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(::memfd_create("trace", 0)) {}
  ~MemoryFile() { ::close(descriptor_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }
  void write(const std::string& text) {
    const bool written =
        ::ftruncate(descriptor_, 0) == 0 &&
        ::pwrite(descriptor_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
    if (!written) throw std::runtime_error("no memory file");
  }

 private:
  int descriptor_;
};

/// Reads the whole trace. Each arrival has to be in order and each length in its range.
std::string read(const WorkloadClass& workload, int& requests) {
  try {
    const auto source = make_source(workload, 1, 0);
    Time at = 0, before = 0;
    RequestBody body;
    for (; source->next(at, body); before = at) {
      if (at < before || at < 0) throw std::logic_error("arrivals are out of order");
      if (body.input_tokens < 1 || body.output_tokens < 1) throw std::logic_error("no tokens");
      ++requests;
    }
    source->note();
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(HostileTraces, AreReadToTheirEndOrToOneMessage) {
  MemoryFile file;
  const std::string path = file.path();
  const Budget budget;
  int whole = 0, requests = 0;
  std::uint64_t seed = 0;
  for (; seed < 12000 && !budget.spent(); ++seed) {
    FuzzDice dice(seed);
    const Example& example = dice.one_of(kExamples);
    const std::string text =
        seed < kExamples.size() ? kExamples[seed].text : mutated(example.text, dice, kWords);
    file.write(text);
    WorkloadClass workload;
    Arrivals& arrivals = workload.arrivals;
    arrivals.kind = Arrivals::Kind::trace;
    arrivals.trace_path = path;
    arrivals.trace_format = seed < kExamples.size() ? kExamples[seed].format : example.format;
    if (dice.chance(0.1)) arrivals.trace_format = static_cast<Format>(dice.below(4));
    if (dice.chance(0.2))
      arrivals.trace_speed = dice.one_of(std::vector<double>{1e-6, 0.1, 3, 1e6});
    if (dice.chance(0.1)) arrivals.trace_offset = static_cast<std::int64_t>(dice.below(5));
    if (dice.chance(0.1)) arrivals.trace_limit = static_cast<std::int64_t>(dice.below(5));
    if (dice.chance(0.1)) workload.input_tokens = Distribution{.a = 5};
    std::string message;
    const double before = budget.seconds();
    ASSERT_NO_THROW(message = read(workload, requests)) << "seed " << seed << ":\n" << text;
    ASSERT_LT(budget.seconds() - before, kLongestRound) << "seed " << seed << " takes too long";
    ASSERT_LT(message.size(), 2000u) << "seed " << seed;
    if (!message.empty()) {
      ASSERT_EQ(message.rfind(path, 0), 0u) << "seed " << seed << ": " << message;
    }
    whole += message.empty();
  }
  std::cout << seed << " traces, " << whole << " read to their end, " << requests << " requests\n";
  EXPECT_GT(whole, static_cast<int>(seed / 30)) << "the mutations are too wild to test much";
}

}  // namespace
}  // namespace headway
