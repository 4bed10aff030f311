// Sets, lists and zones as values.
#include "interp/run/clauses.h"
#include "interp/run/interpreter.h"

#include <algorithm>

namespace rip {

using ir::NodeOp;

namespace {
/// In a set literal the node behind this marker is itself a set.

void add(ir::Domain domain, Word* out, std::int64_t value) {
  const std::int64_t bit = value - domain.low;
  if (value == ir::kNone || bit < 0 || bit >= 64 * static_cast<std::int64_t>(domain.words)) return;
  out[bit >> 6] |= Word{1} << (bit & 63);
}
}  // namespace

ZoneRange Interpreter::eval_zone(ir::Node node) {
  const ir::ExprNode& x = p.nodes[static_cast<std::size_t>(node)];
  switch (x.op) {
    case NodeOp::zone: return {x.a, x.b};
    case NodeOp::zone_at: {
      const FaultCode before = fault;
      const auto position = static_cast<std::int32_t>(eval_position(x.b));
      if (before == FaultCode::none && fault != FaultCode::none) return {0, 0};
      return {x.a + position * x.c, x.c};
    }
    case NodeOp::if_else: return truth(x.a) ? eval_zone(x.b) : eval_zone(x.c);
    case NodeOp::call: {
      const ir::Let& let = p.lets[static_cast<std::size_t>(x.a)];
      if (!let.params.empty()) bind_arguments(let, x.b);
      return eval_zone(let.value);
    }
    default: break;
  }
  fail(FaultCode::not_fitting, node);
  return {0, 0};
}

std::uint32_t Interpreter::eval_seats(ir::Node node) {
  Word word[ir::kMaxWords];
  eval_set(node, {0, 1}, word);
  return static_cast<std::uint32_t>(word[0]) & all_seats;
}

void Interpreter::eval_set(ir::Node node, ir::Domain domain, Word* out) {
  std::fill_n(out, domain.words, Word{0});
  add_to_set(node, domain, out);
}

void Interpreter::add_to_set(ir::Node node, ir::Domain domain, Word* out) {
  const ir::ExprNode& x = p.nodes[static_cast<std::size_t>(node)];
  auto add_words = [&](const Word* words, std::int32_t low, std::int32_t n) {
    if (low == domain.low && n <= domain.words) {
      for (std::int32_t w = 0; w < n; ++w) out[w] |= words[w];
      return;
    }
    for (std::int32_t w = 0; w < n; ++w) {
      for (Word rest = words[w]; rest != 0; rest &= rest - 1) add(domain, out, low + 64 * w + __builtin_ctzll(rest));
    }
  };
  switch (x.op) {
    case NodeOp::set_literal: {
      const std::int32_t* list = &p.pool[static_cast<std::size_t>(x.a)];
      for (std::int32_t i = 1; i <= list[0]; ++i) {
        if (list[i] == ir::kSetKid) {
          add_to_set(list[++i], domain, out);
        } else {
          add(domain, out, eval(list[i]));
        }
      }
      return;
    }
    case NodeOp::range_set: {
      const std::int64_t high = std::min<std::int64_t>(eval(x.b), domain.low + 64 * static_cast<std::int64_t>(domain.words) - 1);
      for (std::int64_t v = std::max<std::int64_t>(eval(x.a), domain.low); v <= high; ++v) add(domain, out, v);
      return;
    }
    case NodeOp::component_set:
      for (std::int32_t c = x.a; c < x.b; ++c) add(domain, out, c);
      return;
    case NodeOp::seats:
      for (int seat = 0; seat < p.players; ++seat) add(domain, out, seat);
      return;
    case NodeOp::set_union:
      add_to_set(x.a, domain, out);
      add_to_set(x.b, domain, out);
      return;
    case NodeOp::set_difference: {
      Word a[ir::kMaxWords];
      Word b[ir::kMaxWords];
      eval_set(x.a, domain, a);
      eval_set(x.b, domain, b);
      for (std::int32_t w = 0; w < domain.words; ++w) out[w] |= a[w] & ~b[w];
      return;
    }
    case NodeOp::singleton: add(domain, out, eval(x.a)); return;
    case NodeOp::zone_set: {
      const ZoneRange range = eval_zone(x.a);
      for (std::int32_t z = range.first; z < range.first + range.count; ++z) {
        const std::uint16_t* cards = ids(p.zones[static_cast<std::size_t>(z)]);
        for (std::int32_t i = 0, n = count(z); i < n; ++i) out[cards[i] >> 6] |= Word{1} << (cards[i] & 63);
      }
      return;
    }
    case NodeOp::list_set: {
      List list;
      eval_list(x.a, list);
      for (std::int32_t i = 0; i < list.size; ++i) add(domain, out, list.values[i]);
      return;
    }
    case NodeOp::set_of:
      each(p.clauses[static_cast<std::size_t>(x.a)], [&] {
        add(domain, out, eval(x.b));
        return true;
      });
      return;
    case NodeOp::best: {
      Word words[ir::kMaxWords] = {};
      best_of(p.clauses[static_cast<std::size_t>(x.a)], domain, words);
      for (std::int32_t w = 0; w < domain.words; ++w) out[w] |= words[w];
      return;
    }
    case NodeOp::set_var: add_words(&at<Word>(x.a), x.c, x.b); return;
    case NodeOp::set_var_at: {
      const ir::Var& var = p.vars[static_cast<std::size_t>(x.a)];
      const auto position = static_cast<std::int32_t>(eval_position(x.b));
      add_words(&at<Word>(var.cell.offset + position * 8 * var.domain.words), var.domain.low, var.domain.words);
      return;
    }
    case NodeOp::scratch_set: add_words(&sets[static_cast<std::size_t>(x.a) * ir::kMaxWords], x.b, x.c); return;
    case NodeOp::mask_table: {
      const std::int64_t c = eval(x.a);
      if (c == ir::kNone) {
        fail(FaultCode::none_used, x.a);
        return;
      }
      const Word mask = static_cast<Word>(p.tables[static_cast<std::size_t>(x.b + c)]);
      add_words(&mask, x.c, 1);
      return;
    }
    case NodeOp::winners:
      for (int seat = 0; seat < p.players; ++seat) {
        if ((header().winners >> seat & 1u) != 0) add(domain, out, seat);
      }
      return;
    case NodeOp::top_of_set: {
      Word words[ir::kMaxWords];
      const ir::Domain inner = pool_domain(x.c);
      eval_set(x.b, inner, words);
      List list;
      for (std::int32_t w = 0; w < inner.words; ++w) {
        for (Word rest = words[w]; rest != 0; rest &= rest - 1) list.push(inner.low + 64 * w + __builtin_ctzll(rest));
      }
      sort_by_place(list);
      const std::int64_t n = eval(x.a);
      for (std::int32_t i = 0; i < list.size && i < n; ++i) add(domain, out, list.values[i]);
      return;
    }
    case NodeOp::if_else: add_to_set(truth(x.a) ? x.b : x.c, domain, out); return;
    case NodeOp::match: {
      const ir::MatchArm* arm = matching_arm(x, node);
      if (arm != nullptr) add_to_set(arm->value, domain, out);
      return;
    }
    case NodeOp::call: {
      const ir::Let& let = p.lets[static_cast<std::size_t>(x.a)];
      if (!let.params.empty()) bind_arguments(let, x.b);
      add_to_set(let.value, domain, out);
      return;
    }
    default: break;
  }
  fail(FaultCode::not_fitting, node);
}

void Interpreter::eval_list(ir::Node node, List& out) {
  append(node, out);
  if (out.cut) fail(FaultCode::too_many, node);
}

void Interpreter::append(ir::Node node, List& out) {
  const ir::ExprNode& x = p.nodes[static_cast<std::size_t>(node)];
  switch (x.op) {
    case NodeOp::list_literal: {
      const std::int32_t* list = &p.pool[static_cast<std::size_t>(x.a)];
      for (std::int32_t i = 1; i <= list[0]; ++i) out.push(eval(list[i]));
      return;
    }
    case NodeOp::list_of: {
      const ir::Clause& clause = p.clauses[static_cast<std::size_t>(x.a)];
      if (clause.keys.empty() && !clause.backwards) {
        each(clause, [&] {
          out.push(eval(x.b));
          return true;
        });
        return;
      }
      // bind each row again in its final order, then read the value
      Rows found;
      collect(clause, found);
      const auto width = static_cast<std::int32_t>(clause.binders.size());
      for (std::int32_t row = 0; row < found.size; row += width) {
        bind_row(clause, found.values + row);
        out.push(eval(x.b));
      }
      return;
    }
    case NodeOp::zone_list: {
      append_zones(eval_zone(x.a), out);
      return;
    }
    case NodeOp::top_list:
    case NodeOp::bottom_list: {
      const std::int64_t n = eval(x.a);
      each_zone_in_order(eval_zone(x.b), [&](std::int32_t z) {
        const std::uint16_t* cards = ids(p.zones[static_cast<std::size_t>(z)]);
        const std::int32_t size = count(z);
        for (std::int32_t i = 0; i < size && i < n; ++i) out.push(cards[x.op == NodeOp::top_list ? size - 1 - i : i]);
        return true;
      });
      return;
    }
    case NodeOp::first_of_list: {
      List list;
      eval_list(x.b, list);
      const std::int64_t n = eval(x.a);
      for (std::int32_t i = 0; i < list.size && i < n; ++i) out.push(list.values[i]);
      return;
    }
    case NodeOp::family: {
      const ir::Var& var = p.vars[static_cast<std::size_t>(x.a)];
      const std::int64_t first = x.b == ir::kNoNode ? 0 : eval_position(x.b) * x.c;
      for (std::int32_t i = 0; i < x.c; ++i) {
        out.push(load(var.cell.offset + static_cast<std::int32_t>(first + i) * (1 << static_cast<int>(var.cell.width)), var.cell.width));
      }
      return;
    }
    case NodeOp::table_list:
      for (std::int32_t i = 0; i < x.b; ++i) out.push(p.tables[static_cast<std::size_t>(x.a + i)]);
      return;
    case NodeOp::set_list: {
      const ir::Domain domain = pool_domain(x.b);
      Word words[ir::kMaxWords];
      eval_set(x.a, domain, words);
      const std::int32_t from = out.size;
      for (std::int32_t w = 0; w < domain.words; ++w) {
        for (Word rest = words[w]; rest != 0; rest &= rest - 1) out.push(domain.low + 64 * w + __builtin_ctzll(rest));
      }
      if (x.c != 0) {
        List list;
        for (std::int32_t i = from; i < out.size; ++i) list.push(out.values[i]);
        sort_by_place(list);
        std::copy_n(list.values, list.size, out.values + from);
      }
      return;
    }
    case NodeOp::scratch_list: {
      const List& list = lists[static_cast<std::size_t>(x.a)];
      for (std::int32_t i = 0; i < list.size; ++i) out.push(list.values[i]);
      return;
    }
    case NodeOp::list_var: {
      const std::int32_t n = at<std::int32_t>(x.a);
      for (std::int32_t i = 0; i < n; ++i) out.push(at<std::int32_t>(x.a + 4 + 4 * i));
      return;
    }
    case NodeOp::score_list:
      for (int seat = 0; seat < p.players; ++seat) out.push(score_of(seat));
      return;
    case NodeOp::singleton: {
      const std::int64_t value = eval(x.a);
      if (value != ir::kNone) out.push(value);
      return;
    }
    case NodeOp::if_else: eval_list(truth(x.a) ? x.b : x.c, out); return;
    case NodeOp::match: {
      const ir::MatchArm* arm = matching_arm(x, node);
      if (arm != nullptr) eval_list(arm->value, out);
      return;
    }
    case NodeOp::call: {
      const ir::Let& let = p.lets[static_cast<std::size_t>(x.a)];
      if (!let.params.empty()) bind_arguments(let, x.b);
      eval_list(let.value, out);
      return;
    }
    default: break;
  }
  fail(FaultCode::not_fitting, node);
}

}  // namespace rip
