// Tables of measured results, written for one test.
#pragma once

#include <filesystem>
#include <string>

#include "sim/validation/measured_table.hpp"

namespace headway {

/// A file of the test's own, removed with the object.
class ExampleFile {
 public:
  ExampleFile(const std::string& name, const std::string& text);
  ~ExampleFile();
  ExampleFile(const ExampleFile&) = delete;
  ExampleFile& operator=(const ExampleFile&) = delete;

  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path folder_, path_;
};

/// A row that runs: Llama-3.1-8B in bf16 on an H100 under vLLM 0.11, 10 requests/s.
MeasuredRow example_row();

/// The message of the InputError that `call` throws; fails the test where it throws none.
template <class Call>
std::string refusal(Call call);

}  // namespace headway

#include <gtest/gtest.h>

#include "sim/scenario/input_error.hpp"

namespace headway {

template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "not refused";
  return "";
}

}  // namespace headway
