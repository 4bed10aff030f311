#include "verify/state_graph.h"

#include <algorithm>

namespace rip::verify {

std::uint32_t StateGraph::find(Hash128 key) const {
  if (table_.empty()) return kNone;
  const std::size_t mask = table_.size() - 1;
  for (std::size_t at = key.low & mask; table_[at] != 0; at = (at + 1) & mask) {
    if (keys_[table_[at] - 1] == key) return table_[at] - 1;
  }
  return kNone;
}

std::uint32_t StateGraph::add(Hash128 key, Kind kind, Origin origin) {
  if (2 * (keys_.size() + 1) > table_.size()) grow();
  const auto node = static_cast<std::uint32_t>(keys_.size());
  keys_.push_back(key);
  kinds_.push_back(kind);
  origins_.push_back(origin);
  const std::size_t mask = table_.size() - 1;
  std::size_t at = key.low & mask;
  while (table_[at] != 0) at = (at + 1) & mask;
  table_[at] = node + 1;
  return node;
}

void StateGraph::grow() {
  table_.assign(std::max<std::size_t>(1024, table_.size() * 2), 0);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t node = 0; node < keys_.size(); ++node) {
    std::size_t at = keys_[node].low & mask;
    while (table_[at] != 0) at = (at + 1) & mask;
    table_[at] = static_cast<std::uint32_t>(node) + 1;
  }
}

std::uint64_t StateGraph::bytes() const {
  return keys_.capacity() * sizeof(Hash128) + kinds_.capacity() + origins_.capacity() * sizeof(Origin) +
         table_.capacity() * sizeof(std::uint32_t) + edges_.capacity() * sizeof(std::uint32_t) + weights_.capacity() + ends_.capacity() * sizeof(std::uint64_t);
}

std::vector<std::uint32_t> StateGraph::path_to(std::uint32_t node) const {
  std::vector<std::uint32_t> path;
  for (; origins_[node].parent != kNone; node = origins_[node].parent) path.push_back(origins_[node].edge);
  std::reverse(path.begin(), path.end());
  return path;
}

// Kahn (1962): what can be taken away, one after the other, with nothing before it, lies on no circle.
template <class Weight>
std::uint64_t StateGraph::most(Weight&& weight) const {
  std::vector<std::uint32_t> before(size(), 0);
  for (const std::uint32_t to : edges_) ++before[to];
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
