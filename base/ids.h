// Typed indices: an id of one kind cannot be used as one of another. The tables of the IR are IdVecs.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace rip {

/// The position of an element in the IdVec with the same Tag. `Id<struct ZoneTag>`.
template <class Tag>
struct Id {
  static constexpr std::uint32_t kNone = 0xffffffff;

  std::uint32_t value = kNone;

  constexpr explicit operator bool() const { return value != kNone; }
  friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

/// A vector that only an Id of its own Tag indexes.
template <class Tag, class T>
class IdVec {
 public:
  Id<Tag> push_back(T item) {
    items_.push_back(std::move(item));
    return {static_cast<std::uint32_t>(items_.size() - 1)};
  }
  T& operator[](Id<Tag> id) { return items_[id.value]; }
  const T& operator[](Id<Tag> id) const { return items_[id.value]; }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

 private:
  std::vector<T> items_;
};

}  // namespace rip

template <class Tag>
struct std::hash<rip::Id<Tag>> {
  std::size_t operator()(rip::Id<Tag> id) const { return std::hash<std::uint32_t>()(id.value); }
};
