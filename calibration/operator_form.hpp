// Which dimensions each operator has, by name: what readers, writers and plans check a point
// against.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "calibration/sample.hpp"

namespace headway {

/// A dimension of an operator point, by the name that samples files use.
struct PointDimension {
  const char* name;
  std::int64_t OperatorPoint::*member;
};

/// All dimensions, in the order in which they are written.
std::span<const PointDimension> point_dimensions();

/// Names of the operators, in the order of calibration/sample.hpp.
std::vector<std::string> operator_names();

/// What is wrong with a point, or "": an operator that does not exist, a dimension that it has not
/// or that is missing, a negative one, one over 10^15. The text names the value, what was expected
/// and the nearest valid word; `key` is set to the name of the dimension at fault, or "op".
std::string point_fault(const OperatorPoint& point, std::string& key);

/// A point for people: "gemm bf16 m=16 n=4096 k=4096".
std::string point_text(const OperatorPoint& point);

}  // namespace headway
