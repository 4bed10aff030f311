#include "verify/state_graph.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>

#include <sys/mman.h>

namespace rip::verify {

void StateGraph::prefetch_key(std::uint64_t hash) const {
  if (table_.empty()) return;
  const std::uint32_t tag = static_cast<std::uint32_t>(hash) & tags_;
  for (std::size_t at = slot_of(hash); table_[at] != 0; at = at + 1 == table_.size() ? 0 : at + 1) {
    if ((table_[at] & tags_) == tag) return __builtin_prefetch(keys_[(table_[at] & ~tags_) - 1]);
  }
}

std::uint32_t StateGraph::find(const std::uint8_t* key, std::uint64_t hash) const {
  if (table_.empty()) return kNone;
  const std::uint32_t tag = static_cast<std::uint32_t>(hash) & tags_;
  for (std::size_t at = slot_of(hash); table_[at] != 0; at = at + 1 == table_.size() ? 0 : at + 1) {
    const std::uint32_t entry = table_[at];
    if ((entry & tags_) != tag) continue;
    const std::uint32_t node = (entry & ~tags_) - 1;
    if (std::memcmp(keys_[node], key, keys_.width()) == 0) return node;
  }
  return kNone;
}

void StateGraph::put(std::uint32_t node, std::uint64_t hash) {
  std::size_t at = slot_of(hash);
  while (table_[at] != 0) at = at + 1 == table_.size() ? 0 : at + 1;
  table_[at] = entry(node, hash);
}

void StateGraph::put_beside_others(std::uint32_t node, std::uint64_t hash) {
  std::size_t at = slot_of(hash);
  const auto taken = [&] {
    std::atomic_ref slot(table_[at]);
    std::uint32_t free = 0;
    return slot.load(std::memory_order_relaxed) != 0 || !slot.compare_exchange_strong(free, entry(node, hash), std::memory_order_relaxed);
  };
  while (taken()) at = at + 1 == table_.size() ? 0 : at + 1;
}

/// Smaller tables may have room to spare.
constexpr std::size_t kSmall = std::size_t{1} << 18;

std::size_t StateGraph::next_size(std::size_t more) const {
  std::size_t next = table_.size();
  do next = std::max<std::size_t>(1024, next < kSmall ? next * 2 : next / 5 * 7);
  while (5 * (size() + more) > 4 * next);
  return next;
}

std::uint32_t StateGraph::add(const std::uint8_t* key, std::uint64_t hash, Kind kind, std::uint32_t parent) {
  if (is_full_with(keys_.size() + 1)) fill_table(next_size(1));
  const auto node = static_cast<std::uint32_t>(keys_.size());
  keys_.push_back(key);
  parents_.push_back(parent);
  if (keeps_edges_) kinds_.push_back(kind);
  put(node, hash);
  return node;
}

/// The table is read at random: with large pages an address is found sooner. No more than a wish.
static void advise_large_pages(void* data, std::size_t bytes) {
  constexpr std::uintptr_t kPage = std::uintptr_t{1} << 21;
  const auto begin = (reinterpret_cast<std::uintptr_t>(data) + kPage - 1) & ~(kPage - 1);
  const auto end = (reinterpret_cast<std::uintptr_t>(data) + bytes) & ~(kPage - 1);
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

void StateGraph::fill_table(std::size_t size, Team* team) {
  table_.clear();
  table_.shrink_to_fit();
  table_.reserve(size);
  advise_large_pages(table_.data(), size * sizeof(std::uint32_t));
  table_.assign(size, 0);
  const auto node_bits = static_cast<unsigned>(std::bit_width(size));
  tags_ = node_bits >= 32 ? 0 : ~((std::uint32_t{1} << node_bits) - 1);
  const std::size_t parts = team != nullptr ? team->size() : 1;
  const auto fill_part = [&](std::size_t part) {
    const std::size_t end = keys_.size() * (part + 1) / parts;
    constexpr std::size_t kAtOnce = 32;
    std::array<std::uint64_t, kAtOnce> hashes{};
    for (std::size_t begin = keys_.size() * part / parts; begin < end; begin += kAtOnce) {
      const std::size_t n = std::min(kAtOnce, end - begin);
      for (std::size_t i = 0; i < n; ++i) prefetch(hashes[i] = hash(keys_[begin + i], keys_.width()));
      for (std::size_t i = 0; i < n; ++i) {
        if (parts > 1) put_beside_others(static_cast<std::uint32_t>(begin + i), hashes[i]);
        else put(static_cast<std::uint32_t>(begin + i), hashes[i]);
      }
    }
  };
  if (team != nullptr) team->run(fill_part);
  else fill_part(0);
}

void StateGraph::rewrite(std::size_t bytes, const std::function<void(const std::uint8_t*, std::uint8_t*)>& write) {
  Records wider(bytes);
  std::vector<std::uint8_t> key(bytes);
  for (std::uint32_t node = 0; node < keys_.size(); ++node) {
    std::fill(key.begin(), key.end(), std::uint8_t{0});
    write(keys_[node], key.data());
    wider.push_back(key.data());
  }
  keys_ = std::move(wider);
  if (!table_.empty()) fill_table(table_.size());
}

std::uint64_t StateGraph::bytes() const {
  return keys_.bytes() + kinds_.bytes() + parents_.bytes() + table_.capacity() * sizeof(std::uint32_t) + edges_.bytes() + weights_.bytes() + ends_.bytes();
}

std::vector<std::uint32_t> StateGraph::path_to(std::uint32_t node) const {
  std::vector<std::uint32_t> path;
  for (; node != kNone; node = parents_[node]) path.push_back(node);
  std::reverse(path.begin(), path.end());
  return path;
}

// Kahn (1962): what can be taken away, one after the other, with nothing before it, lies on no circle.
template <class Weight>
std::uint64_t StateGraph::most(Weight&& weight) const {
  std::vector<std::uint32_t> before(size(), 0);
  for (std::size_t i = 0; i < edges_.size(); ++i) ++before[edges_[i]];
  std::vector<std::uint32_t> sum(size(), 0), free{0};
  std::size_t taken = 0;
  std::uint64_t greatest = 0;
  if (before[0] != 0) return kEndless;
  while (!free.empty()) {
    const std::uint32_t node = free.back();
    free.pop_back();
    ++taken;
    greatest = std::max<std::uint64_t>(greatest, sum[node]);
    for (std::size_t i = first_edge(node); i < ends_[node]; ++i) {
      sum[edges_[i]] = std::max(sum[edges_[i]], sum[node] + weight(node, i));
      if (--before[edges_[i]] == 0) free.push_back(edges_[i]);
    }
  }
  return taken == size() ? greatest : kEndless;
}

std::uint64_t StateGraph::longest() const {
  return most([&](std::uint32_t node, std::size_t) { return kinds_[node] == Kind::decision ? 1u : 0u; });
}

std::uint64_t StateGraph::heaviest() const {
  return most([&](std::uint32_t, std::size_t edge) { return weights_.empty() ? 0u : std::uint32_t{weights_[edge]}; });
}

bool StateGraph::can_always_end() const {
  std::vector<char> ends(size(), 0);
  std::size_t found = 0;
  for (std::size_t node = 0; node < size(); ++node) found += ends[node] = kinds_[node] == Kind::end ? 1 : 0;
  // most edges lead to later nodes, so few sweeps are needed
  for (bool changed = true; changed && found < size();) {
    changed = false;
    for (auto node = static_cast<std::uint32_t>(size()); node-- > 0;) {
      if (ends[node] != 0) continue;
      for (std::size_t i = first_edge(node); i < ends_[node] && ends[node] == 0; ++i) ends[node] = ends[edges_[i]];
      if (ends[node] == 0) continue;
      changed = true;
      ++found;
    }
  }
  return found == size();
}

// Tarjan (1972) without recursion: the strongly connected components; of those with a circle the one with the earliest node.
std::pair<std::uint32_t, std::vector<std::uint32_t>> StateGraph::circle() const {
  std::vector<std::uint32_t> order(size(), 0), low(size(), 0), component(size(), kNone), stack;
  struct Frame { std::uint32_t node; std::size_t edge; };
  std::vector<Frame> frames{{0, first_edge(0)}};
  std::uint32_t next = 1, first = kNone;
  order[0] = low[0] = next++;
  stack.push_back(0);
  while (!frames.empty()) {
    Frame& frame = frames.back();
    if (frame.edge < ends_[frame.node]) {
      const std::uint32_t to = edges_[frame.edge++];
      if (order[to] == 0) {
        order[to] = low[to] = next++;
        stack.push_back(to);
        frames.push_back({to, first_edge(to)});
      } else if (component[to] == kNone) {
        low[frame.node] = std::min(low[frame.node], order[to]);
      }
      continue;
    }
    const std::uint32_t node = frame.node;
    frames.pop_back();
    if (!frames.empty()) low[frames.back().node] = std::min(low[frames.back().node], low[node]);
    if (low[node] != order[node]) continue;
    const bool alone = stack.back() == node;
    bool circles = !alone;
    for (std::size_t i = first_edge(node); alone && i < ends_[node]; ++i) circles = circles || edges_[i] == node;
    std::uint32_t earliest = node, member = kNone;
    do {
      member = stack.back();
      stack.pop_back();
      component[member] = node;
      earliest = std::min(earliest, member);
    } while (member != node);
    if (circles) first = std::min(first, earliest);
  }
  if (first == kNone) return {kNone, {}};
  // the shortest way round: breadth first inside of the component
  std::vector<std::uint32_t> from(size(), kNone);
  std::vector<std::uint32_t> queue{first};
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const std::uint32_t node = queue[at];
    for (std::size_t i = first_edge(node); i < ends_[node]; ++i) {
      const std::uint32_t to = edges_[i];
      if (to == first) {
        std::vector<std::uint32_t> round{first};
        for (std::uint32_t back = node; back != first; back = from[back]) round.push_back(back);
        std::reverse(round.begin(), round.end());
        return {first, round};
      }
      if (component[to] != component[first] || from[to] != kNone) continue;
      from[to] = node;
      queue.push_back(to);
    }
  }
  return {kNone, {}};
}

}  // namespace rip::verify
