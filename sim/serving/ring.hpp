// A double-ended queue in one block of memory, of a power-of-two capacity.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace headway {

template <class T>
class Ring {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T& front() { return items_[head_]; }
  const T& front() const { return items_[head_]; }
  T& operator[](std::size_t i) { return items_[(head_ + i) & (items_.size() - 1)]; }
  const T& operator[](std::size_t i) const { return items_[(head_ + i) & (items_.size() - 1)]; }
  void push_back(const T& item) {
    if (size_ == items_.size()) grow();
    items_[(head_ + size_++) & (items_.size() - 1)] = item;
  }
  void push_front(const T& item) {
    if (size_ == items_.size()) grow();
    head_ = (head_ - 1) & (items_.size() - 1);
    items_[head_] = item;
    ++size_;
  }
  void pop_front() {
    head_ = (head_ + 1) & (items_.size() - 1);
    --size_;
  }

 private:
  void grow() {
    std::vector<T> larger(items_.empty() ? 16 : items_.size() * 2);
    for (std::size_t i = 0; i < size_; ++i) larger[i] = (*this)[i];
    items_ = std::move(larger);
    head_ = 0;
  }
  std::vector<T> items_;
  std::size_t head_ = 0, size_ = 0;
};

}  // namespace headway
