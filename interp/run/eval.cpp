// Values: numbers, flags, seats, components.
#include "interp/run/clauses.h"
#include "interp/run/interpreter.h"

#include <algorithm>

namespace rip {

using ir::NodeOp;

void Interpreter::store(std::int32_t offset, ir::Width width, std::int64_t value) {
  switch (width) {
    case ir::Width::i8:
      at<std::int8_t>(offset) = value == ir::kNone ? std::numeric_limits<std::int8_t>::min() : static_cast<std::int8_t>(value);
      return;
    case ir::Width::i16:
      at<std::int16_t>(offset) = value == ir::kNone ? std::numeric_limits<std::int16_t>::min() : static_cast<std::int16_t>(value);
      return;
    case ir::Width::i32: at<std::int32_t>(offset) = static_cast<std::int32_t>(value); return;
  }
}

std::int64_t Interpreter::fail(FaultCode code, std::int32_t node) {
  if (fault == FaultCode::none) {
    fault = code;
    fault_at = node;
    fault_in_code = false;
  }
  return 0;
}

void Interpreter::fail_here(FaultCode code) {
  if (fault == FaultCode::none) {
    fault = code;
    fault_at = header().pc;
    fault_in_code = true;
  }
}

std::int64_t Interpreter::eval_position(ir::Node node) {
  const ir::ExprNode& x = p.nodes[static_cast<std::size_t>(node)];
  const std::int32_t* list = &p.pool[static_cast<std::size_t>(x.a)];
  std::int64_t position = 0;
  for (std::int32_t i = 0, n = list[0]; i < n; ++i) {
    const std::int64_t value = eval(list[1 + 3 * i]);
    const std::int64_t low = list[2 + 3 * i];
    const std::int64_t size = list[3 + 3 * i];
    if (value == ir::kNone) return fail(FaultCode::none_used, list[1 + 3 * i]);
    if (value < low || value >= low + size) return fail(FaultCode::out_of_range, list[1 + 3 * i]);
    position = position * size + (value - low);
  }
  return position;
}

bool Interpreter::fits(std::int32_t component, const ir::Phrase& phrase) {
  if (p.components[static_cast<std::size_t>(component)].type != phrase.type) return false;
  for (const auto& part : phrase.parts) {
    if (p.tables[static_cast<std::size_t>(part.table + component)] != eval(part.value)) return false;
  }
  if (phrase.owner != ir::kNoNode && p.components[static_cast<std::size_t>(component)].owner != eval(phrase.owner)) return false;
  return phrase.face < 0 || face(component) == phrase.face;
}

bool Interpreter::arm_fits(const ir::MatchArm& arm, std::int64_t subject) {
  if (arm.patterns.empty()) return true;
  for (const auto& [low, high] : arm.patterns) {
    const std::int64_t a = eval(low);
    const std::int64_t b = low == high ? a : eval(high);
    if (subject >= a && subject <= b) return true;
  }
  return false;
}

const ir::MatchArm* Interpreter::matching_arm(const ir::ExprNode& node, ir::Node where) {
  const std::int64_t subject = eval(node.a);
  for (const auto& arm : p.matches[static_cast<std::size_t>(node.b)]) {
    if (arm_fits(arm, subject)) return &arm;
  }
  fail(FaultCode::not_fitting, where);
  return nullptr;
}

void Interpreter::bind_arguments(const ir::Let& let, std::int32_t pool) {
  // all arguments are read before any is bound: an argument may call the same let
  const std::int32_t* args = &p.pool[static_cast<std::size_t>(pool)];
  const std::size_t n = let.params.size();
  std::int64_t scalars[16];
  for (std::size_t i = 0; i < n && i < 16; ++i) {
    if (let.params[i].kind == ir::Let::Param::Kind::scalar) scalars[i] = eval(args[1 + i]);
  }
  for (std::size_t i = 0; i < n && i < 16; ++i) {
    const auto& param = let.params[i];
    switch (param.kind) {
      case ir::Let::Param::Kind::scalar: scratch[static_cast<std::size_t>(param.slot)] = scalars[i]; break;
      case ir::Let::Param::Kind::set: {
        Word words[ir::kMaxWords];
        eval_set(args[1 + i], param.domain, words);
        std::copy_n(words, param.domain.words, &sets[static_cast<std::size_t>(param.slot) * ir::kMaxWords]);
        break;
      }
      case ir::Let::Param::Kind::list: {
        List list;
        eval_list(args[1 + i], list);
        List& into = lists[static_cast<std::size_t>(param.slot)];
        into.size = list.size;
        std::copy_n(list.values, list.size, into.values);
        break;
      }
    }
  }
}

std::int64_t Interpreter::call(ir::Node node) {
  const ir::ExprNode& x = p.nodes[static_cast<std::size_t>(node)];
  const ir::Let& let = p.lets[static_cast<std::size_t>(x.a)];
  if (--work_left < 0) return fail(FaultCode::endless, node);
  if (!let.params.empty()) bind_arguments(let, x.b);
  return eval(let.value);
}

std::int64_t Interpreter::zone_item(std::int32_t z, std::int64_t n) {
  const std::int32_t size = count(z);
  if (n < 1 || n > size) return ir::kNone;
  return ids(p.zones[static_cast<std::size_t>(z)])[n - 1];
}

std::int64_t Interpreter::newest(ZoneRange range) {
  if (range.count == 1) return zone_item(range.first, count(range.first));
  std::int64_t found = ir::kNone;
  each_zone_in_order(range, [&](std::int32_t z) {
    if (const std::int32_t n = count(z); n > 0) found = ids(p.zones[static_cast<std::size_t>(z)])[n - 1];
    return found == ir::kNone;
  });
  return found;
}

std::int64_t Interpreter::oldest(ZoneRange range) {
  if (range.count == 1) return zone_item(range.first, 1);
  std::int64_t found = ir::kNone;
  each_zone_in_order(range, [&](std::int32_t z) {
    if (count(z) > 0) found = ids(p.zones[static_cast<std::size_t>(z)])[0];
    return found == ir::kNone;
  });
  return found;
}

std::int64_t Interpreter::score_of(std::int64_t seat) {
  if (p.score == ir::kNoNode) return 0;
  const std::int64_t kept = scratch[static_cast<std::size_t>(p.score_slot)];
  scratch[static_cast<std::size_t>(p.score_slot)] = seat;
  const std::int64_t value = eval(p.score);
  scratch[static_cast<std::size_t>(p.score_slot)] = kept;
  return value;
}

/// Everything but the leaves, which the header answers.
std::int64_t Interpreter::eval_tree(ir::Node node) {
  const ir::ExprNode& x = p.nodes[static_cast<std::size_t>(node)];
  switch (x.op) {
    case NodeOp::me: {
      const std::int64_t seat = header().me;
      return seat == ir::kNone ? fail(FaultCode::none_used, node) : seat;
    }
    case NodeOp::cell_in_phase:
      if ((header().running >> x.b & 1u) == 0) return fail(FaultCode::phase_not_running, node);
      return load(x.a, x.width);
    case NodeOp::var: {
      const auto position = static_cast<std::int32_t>(eval_position(x.b));
      const ir::Var& var = p.vars[static_cast<std::size_t>(x.c)];
      if (var.phase >= 0 && (header().running >> p.phases[static_cast<std::size_t>(var.phase)].bit & 1u) == 0) {
        return fail(FaultCode::phase_not_running, node);
      }
      return load(x.a + position * (1 << static_cast<int>(x.width)), x.width);
    }
    case NodeOp::position: return eval_position(node);
    case NodeOp::table: return p.tables[static_cast<std::size_t>(x.a + eval_position(x.b))];
    case NodeOp::attribute: {
      const std::int64_t c = eval(x.a);
      return c == ir::kNone ? fail(FaultCode::none_used, x.a) : p.tables[static_cast<std::size_t>(x.b + c)];
    }
    case NodeOp::face: {
      const std::int64_t c = eval(x.a);
      return c == ir::kNone ? fail(FaultCode::none_used, x.a) : face(static_cast<std::int32_t>(c));
    }
    case NodeOp::owner: {
      const std::int64_t c = eval(x.a);
      if (c == ir::kNone) return fail(FaultCode::none_used, x.a);
      const std::int64_t owner = p.components[static_cast<std::size_t>(c)].owner;
      return owner < 0 ? ir::kNone : owner;
    }
    case NodeOp::zone_count: {
      const ZoneRange range = eval_zone(x.a);
      std::int64_t total = 0;
      for (std::int32_t z = range.first; z < range.first + range.count; ++z) total += count(z);
      return total;
    }
    case NodeOp::place_card:
    case NodeOp::top: return newest(eval_zone(x.a));
    case NodeOp::bottom: return oldest(eval_zone(x.a));
    case NodeOp::nth: {
      const ZoneRange range = eval_zone(x.a);
      return range.count == 0 ? ir::kNone : zone_item(range.first, eval(x.b));
    }
    case NodeOp::add: return eval(x.a) + eval(x.b);
    case NodeOp::sub: return eval(x.a) - eval(x.b);
    case NodeOp::mul: return eval(x.a) * eval(x.b);
    case NodeOp::div: {
      const std::int64_t a = eval(x.a);
      const std::int64_t b = eval(x.b);
      if (b == 0) return fail(FaultCode::out_of_range, x.b);
      const std::int64_t q = a / b;
      return q - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
    }
    case NodeOp::mod: {
      const std::int64_t a = eval(x.a);
      const std::int64_t b = eval(x.b);
      if (b == 0) return fail(FaultCode::out_of_range, x.b);
      const std::int64_t r = a % b;
      return r != 0 && (r < 0) != (b < 0) ? r + b : r;
    }
    case NodeOp::neg: return -eval(x.a);
    case NodeOp::abs: {
      const std::int64_t a = eval(x.a);
      return a < 0 ? -a : a;
    }
    case NodeOp::min2: return std::min(eval(x.a), eval(x.b));
    case NodeOp::max2: return std::max(eval(x.a), eval(x.b));
    case NodeOp::eq: return eval(x.a) == eval(x.b);
    case NodeOp::ne: return eval(x.a) != eval(x.b);
    case NodeOp::lt: return eval(x.a) < eval(x.b);
    case NodeOp::le: return eval(x.a) <= eval(x.b);
    case NodeOp::gt: return eval(x.a) > eval(x.b);
    case NodeOp::ge: return eval(x.a) >= eval(x.b);
    case NodeOp::eq_const: return eval(x.a) == x.b;
    case NodeOp::ne_const: return eval(x.a) != x.b;
    case NodeOp::le_const: return eval(x.a) <= x.b;
    case NodeOp::ge_const: return eval(x.a) >= x.b;
    case NodeOp::require: {
      const std::int64_t a = eval(x.a);
      return a == ir::kNone ? fail(FaultCode::none_used, x.a) : a;
    }
    case NodeOp::fits: {
      const std::int64_t c = eval(x.a);
      return c != ir::kNone && fits(static_cast<std::int32_t>(c), p.phrases[static_cast<std::size_t>(x.b)]);
    }
    case NodeOp::in_range: {
      const std::int64_t a = eval(x.a);
      return a >= x.b && a <= x.c;
    }
    case NodeOp::in_zone: {
      const std::int64_t c = eval(x.a);
      if (c == ir::kNone) return 0;
      const ZoneRange range = eval_zone(x.b);
      const std::int32_t z = zone_of(static_cast<std::int32_t>(c));
      return z >= range.first && z < range.first + range.count;
    }
    case NodeOp::is_none: return eval(x.a) == ir::kNone;
    case NodeOp::logical_and: return truth(x.a) && truth(x.b);
    case NodeOp::logical_or: return truth(x.a) || truth(x.b);
    case NodeOp::logical_not: return !truth(x.a);
    case NodeOp::if_else: return truth(x.a) ? eval(x.b) : eval(x.c);
    case NodeOp::match: {
      const ir::MatchArm* arm = matching_arm(x, node);
      return arm == nullptr ? 0 : eval(arm->value);
    }
    case NodeOp::count: {
      std::int64_t n = 0;
      each(p.clauses[static_cast<std::size_t>(x.a)], [&] {
        ++n;
        return true;
      });
      return n;
    }
    case NodeOp::some: {
      bool found = false;
      each(p.clauses[static_cast<std::size_t>(x.a)], [&] {
        found = true;
        return false;
      });
      return found;
    }
    case NodeOp::every: {
      bool all = true;
      each(p.clauses[static_cast<std::size_t>(x.a)], [&] { return all = truth(x.b); });
      return all;
    }
    case NodeOp::sum: {
      std::int64_t total = 0;
      each(p.clauses[static_cast<std::size_t>(x.a)], [&] {
        total += eval(x.b);
        return true;
      });
      return total;
    }
    case NodeOp::min:
    case NodeOp::max: {
      bool any = false;
      std::int64_t value = 0;
      each(p.clauses[static_cast<std::size_t>(x.a)], [&] {
        const std::int64_t v = eval(x.b);
        if (!any || (x.op == NodeOp::min ? v < value : v > value)) value = v;
        any = true;
        return true;
      });
      return any ? value : fail(FaultCode::empty_first, node);
    }
    case NodeOp::first: return first_of(p.clauses[static_cast<std::size_t>(x.a)], node);
    case NodeOp::call: return call(node);
    case NodeOp::next:
    case NodeOp::previous: {
      const std::int64_t a = eval(x.a);
      if (a == ir::kNone) return fail(FaultCode::none_used, x.a);
      if (x.op == NodeOp::next) return a >= x.c ? x.b : a + 1;
      return a <= x.b ? x.c : a - 1;
    }
    case NodeOp::game_over: return header().status == static_cast<std::uint8_t>(Status::over);
    case NodeOp::running: return header().running >> x.a & 1u;
    case NodeOp::score: return score_of(eval(x.a));
    case NodeOp::clockwise:
    case NodeOp::clockwise_after: {
      const std::int64_t seat = eval(x.a);
      const std::int64_t base = eval(x.b);
      if (base == ir::kNone) return fail(FaultCode::none_used, x.b);
      std::int64_t steps = seat - base;
      if (steps < 0) steps += p.players;
      return steps == 0 && x.op == NodeOp::clockwise_after ? p.players : steps;
    }
    default: return eval_collection(node);
  }
}

/// Numbers and flags that are read off sets and lists, which need room on the stack.
std::int64_t Interpreter::eval_collection(ir::Node node) {
  const ir::ExprNode& x = p.nodes[static_cast<std::size_t>(node)];
  switch (x.op) {
    case NodeOp::item: {
      List list;
      eval_list(x.a, list);
      const std::int64_t n = eval(x.b);
      if (n < 1 || n > list.size) return fail(FaultCode::out_of_range, x.b);
      return list.values[n - 1];
    }
    case NodeOp::set_eq: {
      const ir::Domain domain = pool_domain(x.c);
      Word a[ir::kMaxWords];
      Word b[ir::kMaxWords];
      eval_set(x.a, domain, a);
      eval_set(x.b, domain, b);
      return std::equal(a, a + domain.words, b);
    }
    case NodeOp::subset: {
      const ir::Domain domain = pool_domain(x.c);
      Word a[ir::kMaxWords];
      Word b[ir::kMaxWords];
      eval_set(x.a, domain, a);
      eval_set(x.b, domain, b);
      for (std::int32_t w = 0; w < domain.words; ++w) {
        if ((a[w] & ~b[w]) != 0) return 0;
      }
      return 1;
    }
    case NodeOp::list_eq: {
      List a;
      List b;
      eval_list(x.a, a);
      eval_list(x.b, b);
      return a.size == b.size && std::equal(a.values, a.values + a.size, b.values);
    }
    case NodeOp::fits_list: {
      List a;
      eval_list(x.a, a);
      const std::int32_t* phrases = &p.pool[static_cast<std::size_t>(x.b)];
      if (phrases[0] != a.size) return 0;
      for (std::int32_t i = 0; i < a.size; ++i) {
        if (!fits(a.values[i], p.phrases[static_cast<std::size_t>(phrases[1 + i])])) return 0;
      }
      return 1;
    }
    case NodeOp::some_fits: {
      const ir::Domain domain = pool_domain(x.c);
      Word words[ir::kMaxWords];
      eval_set(x.a, domain, words);
      const ir::Phrase& phrase = p.phrases[static_cast<std::size_t>(x.b)];
      const ir::ComponentType& type = p.types[static_cast<std::size_t>(phrase.type)];
      for (std::int32_t c = type.first; c < type.last; ++c) {
        if ((words[c >> 6] >> (c & 63) & 1u) != 0 && fits(c, phrase)) return 1;
      }
      return 0;
    }
    case NodeOp::one_fitting: {
      const ir::Phrase& phrase = p.phrases[static_cast<std::size_t>(x.a)];
      const ir::ComponentType& type = p.types[static_cast<std::size_t>(phrase.type)];
      Word words[ir::kMaxWords];
      if (x.b != ir::kNoNode) eval_set(x.b, pool_domain(x.c), words);
      std::int64_t found = ir::kNone;
      for (std::int32_t c = type.first; c < type.last; ++c) {
        if (x.b != ir::kNoNode && (words[c >> 6] >> (c & 63) & 1u) == 0) continue;
        if (!fits(c, phrase)) continue;
        if (found != ir::kNone) return fail(FaultCode::not_fitting, node);
        found = c;
      }
      return found == ir::kNone ? fail(FaultCode::not_fitting, node) : found;
    }
    case NodeOp::in_set: {
      const std::int64_t a = eval(x.a);
      const ir::Domain domain = pool_domain(x.c);
      if (a == ir::kNone || a < domain.low || a >= domain.low + 64 * domain.words) return 0;
      Word words[ir::kMaxWords];
      eval_set(x.b, domain, words);
      const std::int64_t bit = a - domain.low;
      return words[bit >> 6] >> (bit & 63) & 1u;
    }
    case NodeOp::in_list: {
      const std::int64_t a = eval(x.a);
      List list;
      eval_list(x.b, list);
      return std::find(list.values, list.values + list.size, a) != list.values + list.size;
    }
    case NodeOp::set_empty: {
      const ir::Domain domain = pool_domain(x.b);
      Word words[ir::kMaxWords];
      eval_set(x.a, domain, words);
      return std::all_of(words, words + domain.words, [](Word w) { return w == 0; });
    }
    case NodeOp::list_empty: {
      List list;
      eval_list(x.a, list);
      return list.size == 0;
    }
    case NodeOp::count_set: {
      const ir::Domain domain = pool_domain(x.b);
      Word words[ir::kMaxWords];
      eval_set(x.a, domain, words);
      std::int64_t n = 0;
      for (std::int32_t w = 0; w < domain.words; ++w) n += __builtin_popcountll(words[w]);
      return n;
    }
    case NodeOp::count_list: {
      List list;
      eval_list(x.a, list);
      return list.size;
    }
    default: return fail(FaultCode::not_fitting, node);
  }
}

}  // namespace rip
