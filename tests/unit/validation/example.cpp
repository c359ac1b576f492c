#include "example.hpp"

#include <cstdlib>
#include <fstream>

namespace headway {

namespace fs = std::filesystem;

ExampleFile::ExampleFile(const std::string& name, const std::string& text) {
  std::string folder = (fs::path(testing::TempDir()) / "validation-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) ADD_FAILURE() << "no folder " << folder;
  folder_ = folder;
  path_ = folder_ / name;
  std::ofstream(path_) << text;
}

ExampleFile::~ExampleFile() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

MeasuredRow example_row() {
  MeasuredRow row;
  row.id = "row-0";
  row.group = "bench";
  row.engine = "vllm";
  row.engine_version = "0.11.0";
  row.gpu = "H100-SXM-80GB";
  row.model = "Llama-3.1-8B-Instruct";
  row.precision = "bf16";
  row.loop = Loop::open_constant;
  row.rate = 10;
  row.requests = 600;
  row.input_tokens = 203.4;
  row.output_tokens = 64;
  row.measured[Measure::ttft_mean] = 30;
  return row;
}

}  // namespace headway
