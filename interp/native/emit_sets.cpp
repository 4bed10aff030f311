// Sets, lists and zones.
#include "interp/native/emit.h"

#include <algorithm>

namespace rip::native {

using ir::NodeOp;

std::int32_t Emitter::family_of(std::int32_t z) const {
  std::int32_t first = z;
  while (first > 0 && zone(first - 1).family == zone(z).family) --first;
  return first;
}

ZoneText Emitter::zone_text(ir::Node n) {
  const ir::ExprNode& x = node(n);
  if (x.op == NodeOp::zone) return {f("i64({})", x.a), x.b, family_of(x.a), true};
  if (x.op == NodeOp::zone_at) {
    const std::string at = position(x.b);
    const std::string stride = x.c == 1 ? "" : f(" * {}", x.c);
    return {f("({} + {}{})", x.a, at, stride), x.c, family_of(x.a), false};
  }
  throw Unsupported{};
}

std::string Emitter::seats(ir::Node n) { return f("(u32({}.w[0]) & G::all_seats)", set(n, {0, 1})); }

std::string Emitter::set(ir::Node n, ir::Domain domain) {
  const auto kept = bound_;
  const auto kept_loops = loops_;
  try {
    return set_value(n, domain);
  } catch (const Unsupported&) {
    bound_ = kept;
    loops_ = kept_loops;
    can_fail_ = true;
    return f("({{ Set<{0}> o; {1}c.eval_set(&c, {2}, {3}, {0}, o.w); o; }})", domain.words, spill(n), n, domain.low);
  }
}

std::string Emitter::add_words(const std::string& words, std::int32_t low, std::int32_t count, ir::Domain domain) {
  return f("words_as<{}, {}>({}, {}, {})", domain.words, count, words, low, domain.low);
}

std::string Emitter::set_value(ir::Node n, ir::Domain domain) {
  const ir::ExprNode& x = node(n);
  const std::string type = f("Set<{}>", domain.words);
  const auto constant = [&](std::int64_t low, std::int64_t high) {
    std::string words;
    for (std::int32_t w = 0; w < domain.words; ++w) {
      std::uint64_t word = 0;
      for (std::int64_t bit = 0; bit < 64; ++bit) {
        const std::int64_t value = domain.low + 64 * w + bit;
        if (value >= low && value <= high) word |= std::uint64_t{1} << bit;
      }
      words += f("{}{}u", w > 0 ? ", " : "", word);
    }
    return f("({}{{{{{}}}}})", type, words);
  };
  switch (x.op) {
    case NodeOp::set_literal: {
      std::string text = f("({{ {} o; ", type);
      const std::int32_t* list = pool(x.a);
      for (std::int32_t i = 1; i <= list[0]; ++i) {
        if (list[i] == ir::kSetKid) text += f("o = o | {}; ", set(list[++i], domain));
        else text += f("o.add({}, {}); ", domain.low, ex(list[i]));
      }
      return text + "o; })";
    }
    case NodeOp::range_set:
      if (node(x.a).op == NodeOp::constant && node(x.b).op == NodeOp::constant) return constant(node(x.a).a, node(x.b).a);
      return f("range_as<{}>({}, {}, {})", domain.words, domain.low, ex(x.a), ex(x.b));
    case NodeOp::component_set: return constant(x.a, x.b - 1);
    case NodeOp::seats: return constant(0, p.players - 1);
    case NodeOp::set_union: return f("({} | {})", set(x.a, domain), set(x.b, domain));
    case NodeOp::set_difference: return f("({} - {})", set(x.a, domain), set(x.b, domain));
    case NodeOp::singleton: return f("({{ {} o; o.add({}, {}); o; }})", type, domain.low, ex(x.a));
    case NodeOp::zone_set: {
      const ZoneText z = zone_text(x.a);
      return f("zone_as<{}, {}, {}>(s, {})", domain.words, family(z), z.count, z.first);
    }
    case NodeOp::list_set: {
      const std::string i = label();
      return f("({{ {0} o; List l; {1} for (i32 {2} = 0; {2} < l.n; ++{2}) o.add({3}, l.v[{2}]); o; }})", type, append(x.a, "l"), i, domain.low);
    }
    case NodeOp::set_of: {
      const std::string o = label();
      return f("({{ {0} o_{1}; {2} o_{1}; }})", type, o, each(clause(x.a), [&] { return f("o_{}.add({}, {});", o, domain.low, ex(x.b)); }));
    }
    case NodeOp::best: return best(clause(x.a), domain);
    case NodeOp::set_var: return add_words(f("&at<u64>(s, {})", x.a), x.c, x.b, domain);
    case NodeOp::set_var_at: {
      const ir::Var& var = p.vars[static_cast<std::size_t>(x.a)];
      return add_words(f("&at<u64>(s, {} + {} * {})", var.cell.offset, 8 * var.domain.words, position(x.b)), var.domain.low, var.domain.words, domain);
    }
    case NodeOp::scratch_set: return add_words(f("(c.sets + {})", x.a * ir::kMaxWords), x.b, x.c, domain);
    case NodeOp::mask_table: {
      const std::string value = component(x.a);
      return f("({{ const u64 w = static_cast<u64>(G::tables[{} + {}]); {}; }})", x.b, value, add_words("&w", x.c, 1, domain));
    }
    case NodeOp::winners: return f("({{ const u64 w = head(s).winners; {}; }})", add_words("&w", 0, 1, domain));
    case NodeOp::if_else: return f("({} ? {} : {})", truth(x.a), set(x.b, domain), set(x.c, domain));
    case NodeOp::match: {
      const std::string q = label();
      std::string text = f("({{ const i64 {} = {}; ", q, ex(x.a));
      for (const ir::MatchArm& arm : p.matches[static_cast<std::size_t>(x.b)]) text += f("{} ? {} : ", arm_fits(arm, q), set(arm.value, domain));
      return text + f("({}, {}{{}}); }})", fail(), type);
    }
    case NodeOp::call: return call(n, type, f("s{}_{}", domain.words, domain.low < 0 ? f("m{}", -domain.low) : std::to_string(domain.low)),
                                   [&](ir::Node value) { return set(value, domain); });
    default: throw Unsupported{};
  }
}

// ---- lists: statements that append ----

std::string Emitter::append(ir::Node n, const std::string& list) {
  const auto kept = bound_;
  const auto kept_loops = loops_;
  can_fail_ = true;  // a list may be too long
  try {
    return append_value(n, list) + f(" if (RIP_RARE({}.cut)) bad(c);", list);
  } catch (const Unsupported&) {
    bound_ = kept;
    loops_ = kept_loops;
    return f("{0}{1}.n += c.eval_list(&c, {2}, {1}.v + {1}.n);", spill(n), list, n);
  }
}

std::string Emitter::append_value(ir::Node n, const std::string& list) {
  const ir::ExprNode& x = node(n);
  switch (x.op) {
    case NodeOp::list_literal: {
      std::string text;
      for (std::int32_t i = 1; i <= pool(x.a)[0]; ++i) text += f("{}.push({}); ", list, ex(pool(x.a)[i]));
      return text;
    }
    case NodeOp::list_of: {
      const ir::Clause& from = clause(x.a);
      if (!from.keys.empty() || from.backwards) throw Unsupported{};
      return each(from, [&] { return f("{}.push({});", list, ex(x.b)); });
    }
    case NodeOp::zone_list: {
      const ZoneText z = zone_text(x.a);
      if ((z.count > 1 && in.by_component(z.family)) || may_hold_bag(z.family)) throw Unsupported{};
      const std::string i = label();
      return f("{{ const i64 z_{0} = {1}; for (i64 {0} = z_{0}; {0} < z_{0} + {2}; ++{0}) append_zone<{3}>(s, {0}, {4}); }}", i, z.first, z.count, family(z), list);
    }
    case NodeOp::top_list:
    case NodeOp::bottom_list: {
      const std::string i = label();
      const std::string count = ex(x.a);
      const ZoneText z = zone_text(x.b);
      if (z.count > 1 && in.by_component(z.family)) throw Unsupported{};
      return f("{{ const i64 n_{0} = {1}, z_{0} = {2}; for (i64 {0} = z_{0}; {0} < z_{0} + {3}; ++{0}) append_some<{4}>(s, {0}, n_{0}, {5}, {6}); }}", i, count,
               z.first, z.count, family(z), x.op == NodeOp::top_list ? "true" : "false", list);
    }
    case NodeOp::family: {
      const ir::Var& var = p.vars[static_cast<std::size_t>(x.a)];
      const std::string i = label();
      const std::string begin = x.b == ir::kNoNode ? "0" : f("{} * {}", position(x.b), x.c);
      return f("{{ const i64 f_{0} = {1}; for (i64 {0} = 0; {0} < {2}; ++{0}) {3}.push(load<{4}>(s, {5} + (f_{0} + {0}) * {6})); }}", i, begin, x.c, list,
               type(var.cell.width), var.cell.offset, 1 << static_cast<int>(var.cell.width));
    }
    case NodeOp::table_list: {
      const std::string i = label();
      return f("for (i64 {0} = 0; {0} < {1}; ++{0}) {2}.push(G::tables[{3} + {0}]);", i, x.b, list, x.a);
    }
    case NodeOp::set_list: {
      if (x.c != 0) throw Unsupported{};
      const ir::Domain domain = domain_at(x.b);
      return f("push_all({}, {}, {});", set(x.a, domain), domain.low, list);
    }
    case NodeOp::list_var: {
      const std::string i = label();
      return f("for (i32 {0} = 0; {0} < at<i32>(s, {1}); ++{0}) {2}.push(at<i32>(s, {1} + 4 + 4 * {0}));", i, x.a, list);
    }
    case NodeOp::singleton: {
      const std::string v = label();
      return f("{{ const i64 {0} = {1}; if ({0} != kNone) {2}.push({0}); }}", v, ex(x.a), list);
    }
    default: throw Unsupported{};
  }
}

}  // namespace rip::native
