// What the PEGTL rules leave behind: a plain tree of named nodes, turned into the syntax tree by grammar/build_*.cpp; the
// formatter reads it too, since it keeps every place.
#pragma once

#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

namespace rip::grammar {

enum class Kind : std::uint8_t {
#define RIP_KIND(name) name,
#include "grammar/kinds.def"
#undef RIP_KIND
};

struct Node {
  Kind kind;
  std::uint32_t begin = 0, end = 0;  ///< bytes, without blanks behind it
  std::vector<Node*> kids;
  std::string_view text;

  /// The first child of this kind, or null.
  const Node* find(Kind wanted) const {
    for (const Node* kid : kids) {
      if (kid->kind == wanted) return kid;
    }
    return nullptr;
  }
  bool has(Kind wanted) const { return find(wanted) != nullptr; }
};

/// A whole script as nodes.
struct NodeTree {
  std::deque<Node> arena;
  const Node* root = nullptr;  ///< null if it cannot be read
};

}  // namespace rip::grammar
