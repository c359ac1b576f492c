#include "calibration/cuda/device_matrix.hpp"

#include <algorithm>

#include "calibration/cuda/row_kernels.hpp"

namespace headway {

DeviceMatrix::DeviceMatrix(StorageFormat format, std::int64_t rows, std::int64_t columns)
    : format_(format),
      rows_(rows),
      columns_(columns),
      buffer_(storage_bytes(format, rows * columns)) {}

DeviceMatrix::DeviceMatrix(cudaStream_t stream, StorageFormat format, std::int64_t rows,
                           std::int64_t columns, float scale, std::uint32_t salt)
    : DeviceMatrix(format, rows, columns) {
  launch_fill(stream, format, data(), rows * columns, scale, salt);
}

std::vector<float> DeviceMatrix::part(std::int64_t row, std::int64_t column,
                                      std::int64_t count) const {
  return block(row, 1, column, count);
}

std::vector<float> DeviceMatrix::block(std::int64_t row, std::int64_t rows, std::int64_t column,
                                       std::int64_t count) const {
  const std::int64_t bits = storage_bits(format_);
  const std::int64_t pitch = columns_ * bits / 8, first = row * pitch + column * bits / 8;
  const std::size_t part = storage_bytes(format_, count);
  std::vector<std::uint8_t> bytes(part * static_cast<std::size_t>(rows));
  HEADWAY_CUDA(cudaMemcpy2D(bytes.data(), part, buffer_.as<std::uint8_t>() + first,
                            std::max(part, static_cast<std::size_t>(pitch)), part,
                            static_cast<std::size_t>(rows), cudaMemcpyDeviceToHost));
  return storage_values(format_, bytes, count * rows);
}

double dot(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

}  // namespace headway
