// A matrix in device memory that the host can look into.
#pragma once

#include <cstdint>
#include <vector>

#include "calibration/cuda/device_memory.hpp"
#include "calibration/cuda/storage_format.hpp"

namespace headway {

/// Row-major, without padding; fp4 rows have an even number of columns.
class DeviceMatrix {
 public:
  DeviceMatrix() = default;
  /// Not filled. Throws PointError out_of_memory, DeviceLost.
  DeviceMatrix(StorageFormat format, std::int64_t rows, std::int64_t columns);
  /// Filled on the stream with numbers spread over (-scale, scale), as launch_fill does.
  DeviceMatrix(cudaStream_t stream, StorageFormat format, std::int64_t rows, std::int64_t columns,
               float scale, std::uint32_t salt);

  void* data() const { return buffer_.data(); }
  StorageFormat format() const { return format_; }
  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  double bytes() const { return static_cast<double>(buffer_.bytes()); }

  /// `count` values of a row from a column on (even for fp4), on the host. The stream that writes
  /// them has to have come to its end.
  std::vector<float> part(std::int64_t row, std::int64_t column, std::int64_t count) const;
  /// The same columns of several rows, row by row.
  std::vector<float> block(std::int64_t row, std::int64_t rows, std::int64_t column,
                           std::int64_t count) const;
  std::vector<float> row(std::int64_t row) const { return part(row, 0, columns_); }
  float value(std::int64_t row, std::int64_t column) const { return part(row, column, 1).front(); }

 private:
  StorageFormat format_ = StorageFormat::bf16;
  std::int64_t rows_ = 0, columns_ = 0;
  DeviceBuffer buffer_;
};

/// Σ a[i] · b[i] in double, over the shorter of both.
double dot(const std::vector<float>& a, const std::vector<float>& b);

}  // namespace headway
