// What a scenario leaves open: chance, and options or cards that several would fit. Either all ways are tried one after
// the other, or samples are drawn with the true weights. Flow: verify/scenario makes one for each run.
#pragma once

#include "interp/run/rng.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace rip::verify {

class Free {
 public:
  /// Takes the choices of `path`, then the first one each time.
  explicit Free(std::vector<std::uint32_t> path) : path_(std::move(path)) {}
  /// Draws at random.
  explicit Free(std::uint64_t seed) : rng_(Rng(seed)) {}

  /// An index into `weights`; their sum is not 0.
  std::uint32_t pick(const std::vector<std::uint64_t>& weights) {
    std::uint32_t index = 0;
    if (rng_) {
      std::uint64_t sum = 0;
      for (const std::uint64_t weight : weights) sum += weight;
      std::uint64_t at = rng_->below(sum);
      while (at >= weights[index]) at -= weights[index++];
    } else if (taken_.size() < path_.size()) {
      index = path_[taken_.size()];
      if (index >= weights.size()) index = 0;
    }
    if (weights.size() > 1) taken_.emplace_back(index, static_cast<std::uint32_t>(weights.size()));
    return index;
  }
  std::uint32_t pick(std::size_t n) { return pick(std::vector<std::uint64_t>(n, 1)); }

  /// A component out of several, with a name for the question: a run that follows another one takes the same component, and
  /// where that cannot be had one that could not be had there.
  std::int32_t pick_component(std::int64_t question, const std::vector<std::int32_t>& components, const std::vector<std::uint64_t>& weights) {
    std::int32_t chosen = -1;
    const auto before = followed_.find(question);
    if (before != followed_.end()) {
      const Named& there = before->second;
      for (const std::int32_t c : components) {
        if (c == there.component) chosen = c;
      }
      for (std::size_t i = 0; i < components.size() && chosen < 0; ++i) {
        if (std::find(there.all.begin(), there.all.end(), components[i]) == there.all.end()) chosen = components[i];
      }
    }
    if (chosen < 0) chosen = components[pick(weights)];
    named_[question] = {chosen, components};
    return chosen;
  }
  /// Components are chosen as the other run has chosen them.
  void follow(const Free& other) { followed_ = other.named_; }

  /// At least this many ways exist, as far as this run has shown.
  std::uint64_t ways_at_least() const {
    std::uint64_t n = 1;
    for (const auto& [index, of] : taken_) n += of - 1;
    return n;
  }
  /// The next path in order, if there is one.
  std::optional<std::vector<std::uint32_t>> next() const {
    for (std::size_t n = taken_.size(); n > 0; --n) {
      if (taken_[n - 1].first + 1 >= taken_[n - 1].second) continue;
      std::vector<std::uint32_t> path;
      for (std::size_t i = 0; i < n; ++i) path.push_back(taken_[i].first);
      ++path.back();
      return path;
    }
    return std::nullopt;
  }

 private:
  struct Named {
    std::int32_t component;
    std::vector<std::int32_t> all;
  };
  std::map<std::int64_t, Named> named_, followed_;
  std::vector<std::uint32_t> path_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> taken_;
  std::optional<Rng> rng_;
};

}  // namespace rip::verify
