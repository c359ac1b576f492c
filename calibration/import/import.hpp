// Public kernel tables into one samples file.
#pragma once

#include <string>
#include <vector>

#include "calibration/import/kernel_table.hpp"
#include "calibration/sample.hpp"

namespace headway {

struct ImportRequest {
  std::vector<std::string> tables;  // files, or folders that stand for all tables below them
  std::string gpu;                  // catalogue name or alias
  std::string
      engine;  // "vllm 0.19.0", "vllm-0.19": take the tables of this one; "" where all agree
  LayerModel model;
};

/// Reads the tables into samples of one GPU and one engine version; tables of kernels that any
/// engine calls are taken with each. Throws SampleError where nothing is found, where tables are of
/// several engine versions and none was named, or of several devices; and what reading throws.
SampleFile import_tables(const ImportRequest& request);

}  // namespace headway
