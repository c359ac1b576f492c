// A growing column of numbers in reserved address space: no copy when it grows, no memory before it
// is written, and pages given back as soon as they have been read.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <utility>

namespace headway {

/// A fixed capacity of zeros, of which only the pages written to take memory. Not thread-safe.
template <typename T>
class Column {
 public:
  Column() = default;
  /// Reserves room for `capacity` values. Throws std::bad_alloc if the address space is refused.
  explicit Column(std::size_t capacity) : bytes_(capacity * sizeof(T)) {
    void* const p = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<T*>(p);
  }
  Column(Column&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Column& operator=(Column&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Column() {
    if (data_ != nullptr) munmap(data_, bytes_);
  }

  bool reserved() const { return data_ != nullptr; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  const T* data() const { return data_; }

  /// Gives back the memory of the values before `end`; they read as zero from now on, but for those
  /// that share a page with `end`.
  void release(std::size_t end) {
    constexpr std::size_t kPage = 4096;
    const std::size_t length = end * sizeof(T) / kPage * kPage;
    if (length > 0) madvise(data_, length, MADV_DONTNEED);
  }

 private:
  T* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace headway
