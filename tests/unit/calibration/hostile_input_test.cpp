// Samples files and kernel tables with bytes changed, cut out and put in: read or refused, never
// more.
#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <random>

#include "calibration/calibration_error.hpp"
#include "calibration/import/import.hpp"
#include "calibration/operator_form.hpp"
#include "calibration/sample_file.hpp"
#include "models/catalog.hpp"
#include "tests/unit/calibration/temporary_folder.hpp"

namespace headway {
namespace {

const char* const kSamples =
    R"({"format":"headway.samples","version":1,"gpu":"cpu","device":"x","engine":"e 1"})"
    "\n"
    R"({"op":"gemm","format":"bf16","m":16,"n":4096,"k":4096,"seconds":1.5e-05,"repeats":12})"
    "\n"
    R"({"op":"moe","tokens":1,"hidden":2,"inner":3,"experts":4,"topk":5,"expert_parallel":6,"seconds":1})"
    "\n";
const char* const kTable =
    "framework,version,device,op_name,kernel_source,gemm_dtype,m,n,k,latency\n"
    "VLLM,0.19.0,NVIDIA H100,gemm,x,bfloat16,16,4096,4096,0.0125\n"
    "VLLM,0.19.0,NVIDIA H100,gemm,x,fp8,32,4096,4096,0.0225\n";
const char* const kLayers =
    "prefill_chunk,kv_prefill,n_decode,kv_decode,time_us\n"
    "0,0,4,512,9\n64,32,0,0,9\n64,32,4,512,9\n";

std::string mutated(std::string text, std::mt19937_64& random) {
  const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random() % end); };
  constexpr const char* kWords[] = {"-1", "1e999", "nan",  "\"", "{",    ",",
                                    "\n", "[]",    "null", "0",  "\\u0", "9223372036854775808"};
  for (std::size_t change = 0; change <= below(4) && !text.empty(); ++change) {
    const std::size_t at = below(text.size());
    switch (below(4)) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, 1 + below(20));
        break;
      case 2:
        text.insert(at, kWords[below(std::size(kWords))]);
        break;
      default:
        text.insert(at, text.substr(below(text.size()), below(60)));
        break;
    }
  }
  return text;
}

void expect_sound(const SampleFile& file) {
  std::string key;
  for (const Sample& sample : file.samples) {
    EXPECT_EQ(point_fault(sample.point, key), "");
    EXPECT_TRUE(std::isfinite(sample.seconds) && sample.seconds > 0);
    EXPECT_NO_THROW(parse_sample_line(sample_line(sample), "line", 1));
  }
}

TEST(HostileInput, ChangedSamplesFilesAreReadOrRefused) {
  const TemporaryFolder folder;
  std::mt19937_64 random(7);
  int refused = 0;
  constexpr int kRounds = 500;
  for (int round = 0; round < kRounds; ++round) {
    const std::string path = folder.put("s", mutated(kSamples, random));
    try {
      expect_sound(read_samples(path));
    } catch (const SampleError&) {
      ++refused;
    }
    try {
      expect_sound(read_interrupted_samples(path).file);
    } catch (const SampleError&) {
      continue;
    }
  }
  EXPECT_GT(refused, kRounds / 2);
  EXPECT_LT(refused, kRounds);
}

TEST(HostileInput, ChangedTablesAreReadOrRefused) {
  const TemporaryFolder folder;
  std::mt19937_64 random(8);
  ImportRequest request;
  request.gpu = "h100";
  request.engine = "vllm 0.19.0";
  request.model.architecture = load_model("llama-3.1-8b");
  request.model.tensor = 2;
  int refused = 0;
  constexpr int kRounds = 500;
  for (int round = 0; round < kRounds; ++round) {
    request.tables = {folder.put("t.csv", mutated(round % 2 == 0 ? kTable : kLayers, random))};
    try {
      expect_sound(import_tables(request));
    } catch (const SampleError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, kRounds / 2);
  EXPECT_LT(refused, kRounds);
}

TEST(HostileInput, DamagedGzipDataAreReadOrRefused) {
  const TemporaryFolder folder;
  const std::string path = folder.path("t.csv.gz");
  gzFile file = gzopen(path.c_str(), "wb");
  for (int row = 0; row < 300; ++row) gzputs(file, row == 0 ? kTable : kTable + 72);
  gzclose(file);
  const std::string whole = TemporaryFolder::read(path);
  std::mt19937_64 random(9);
  ImportRequest request;
  request.gpu = "h100";
  request.tables = {path};
  for (int round = 0; round < 300; ++round) {
    folder.put("t.csv.gz", mutated(whole, random));
    try {
      expect_sound(import_tables(request));
    } catch (const SampleError&) {
      continue;
    }
  }
}

}  // namespace
}  // namespace headway
