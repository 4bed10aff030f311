// A vector that grows without copying what it holds and without room to spare. Used by verify/state_graph, verify/search.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace rip::verify {

template <class T>
class Chunked {
 public:
  void push_back(T value) {
    if (size_ == chunks_.size() * kChunk) chunks_.push_back(std::make_unique_for_overwrite<T[]>(kChunk));
    (*this)[size_++] = value;
  }
  T& operator[](std::size_t i) { return chunks_[i / kChunk][i % kChunk]; }
  const T& operator[](std::size_t i) const { return chunks_[i / kChunk][i % kChunk]; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::uint64_t bytes() const { return (chunks_.size() - gone_) * kChunk * sizeof(T) + chunks_.capacity() * sizeof(void*); }
  /// What stands before `i` is not needed any more.
  void forget(std::size_t i) {
    for (; gone_ < std::min(i / kChunk, chunks_.size()); ++gone_) chunks_[gone_].reset();
  }

 private:
  static constexpr std::size_t kChunk = 1 << 14;
  std::vector<std::unique_ptr<T[]>> chunks_;
  std::size_t size_ = 0, gone_ = 0;
};

/// Records of the same number of bytes, one behind the other.
class Records {
 public:
  explicit Records(std::size_t width = 0) : width_(width) {}
  std::size_t width() const { return width_; }
  std::size_t size() const { return size_; }
  void push_back(const std::uint8_t* record) {
    if (width_ > 0 && size_ == chunks_.size() * kChunk) chunks_.push_back(std::make_unique_for_overwrite<std::uint8_t[]>(kChunk * width_));
    const std::size_t at = size_++;
    if (width_ > 0) std::copy_n(record, width_, (*this)[at]);
  }
  std::uint8_t* operator[](std::size_t i) { return width_ == 0 ? nullptr : chunks_[i / kChunk].get() + i % kChunk * width_; }
  const std::uint8_t* operator[](std::size_t i) const { return width_ == 0 ? nullptr : chunks_[i / kChunk].get() + i % kChunk * width_; }
  std::uint64_t bytes() const { return (chunks_.size() - gone_) * kChunk * width_ + chunks_.capacity() * sizeof(void*); }
  /// What stands before `i` is not needed any more.
  void forget(std::size_t i) {
    for (; gone_ < std::min(i / kChunk, chunks_.size()); ++gone_) chunks_[gone_].reset();
  }
  std::size_t first() const { return gone_ * kChunk; }  ///< that is not forgotten

 private:
  static constexpr std::size_t kChunk = 1 << 14;
  std::size_t width_, size_ = 0, gone_ = 0;
  std::vector<std::unique_ptr<std::uint8_t[]>> chunks_;
};

}  // namespace rip::verify
