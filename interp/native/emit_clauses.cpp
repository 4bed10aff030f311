// Running through the bindings of a clause: one loop for each name.
#include "interp/native/emit.h"

#include <algorithm>

namespace rip::native {

using ir::NodeOp;
using ir::SourceKind;

/// A trigger looks at each binding by itself: one that would be a fault does not hold.
std::string Emitter::passes(const ir::Binder& binder) {
  std::string text;
  for (const ir::Node filter : binder.filters) {
    if (lenient_) text += f("{{ const bool holds = {}; if (c.fault != 0) {{ c.fault = 0; continue; }} if (!holds) continue; }} ", truth(filter));
    else text += f("if (!({})) continue; ", truth(filter));
  }
  return text;
}

std::string Emitter::holds_all(const ir::Binder& binder) {
  if (lenient_) return "";
  if (binder.filters.empty()) return "u64{1}";
  const Loop kept = loops_.back();
  const std::optional<std::string> text = spec_filters(binder);
  if (!text || text->size() > 2000) {
    loops_.back() = kept;
    return "";
  }
  // a fault is told behind the loop
  can_fail_ = true;
  return f("({{ const Maybe holds = {}; faults |= holds.bad; static_cast<u64>(holds.v != 0); }})", *text);
}

std::string Emitter::each_value(const ir::Binder& binder, const Body& body, const Flat& flat) {
  if (binder.pick) throw Unsupported{};
  const std::string i = label();
  const auto components = static_cast<std::int64_t>(p.components.size());
  std::string kept;   // what stands before the loop
  std::string after;  // and behind it
  // short loops that are not inside of others need not be counted
  const bool counted = depth_ > 0 || in_function_;
  const auto always_afford = [&](const std::string& rounds) {
    can_fail_ = true;
    return f("if (afford(c, {})) ", rounds);
  };
  const auto afford = [&](const std::string& rounds) { return counted ? always_afford(rounds) : std::string(); };
  const auto inner = [&](const std::string& value, Range range) {
    const Bind bind(*this, binder.slot, range);
    ++depth_;
    loops_.push_back({binder.slot, ""});
    std::string text;
    if (flat) {
      const std::string holds = holds_all(binder);
      const std::optional<std::string> done = holds.empty() ? std::nullopt : flat(holds);
      if (done) {
        loops_.back().kept += "u64 faults = 0; ";
        after = "if (RIP_RARE(faults != 0)) bad(c); ";
        text = f("const i64 x{} = {}; {}", binder.slot, value, *done);
      } else {
        loops_.back().kept.clear();
      }
    }
    if (text.empty()) {
      const std::string filters = passes(binder);
      text = f("const i64 x{} = {}; {}{}", binder.slot, value, filters, body());
    }
    kept = loops_.back().kept;
    loops_.pop_back();
    --depth_;
    return text;
  };
  // what the sources are is read outside of the loop
  std::string open = "{ ";
  const auto unreadable = [&] { return lenient_ ? f("if (c.fault != 0) {{ c.fault = 0; }} else ") : std::string(); };
  switch (binder.kind) {
    case SourceKind::range: {
      const Range low = range_of(binder.a), high = range_of(binder.b);
      open += f("const i64 lo_{0} = {1}, hi_{0} = {2}; {3}", i, ex(binder.a), ex(binder.b), unreadable());
      Range range;
      if (low.known() && high.known()) range = {low.low, high.high, false};
      const std::string loop = inner(i, range);
      const bool few = range.known() && range.high - range.low < 64;
      const std::string rounds = f("hi_{0} - lo_{0} + 1", i);
      return open + f("{{ {2}{4}for (i64 {0} = lo_{0}; {0} <= hi_{0}; ++{0}) {{ {1} }} {3}}} }}", i, loop, kept, after,
                      few ? afford(rounds) : always_afford(rounds));
    }
    case SourceKind::zone: {
      const ZoneText z = zone_text(binder.a);
      if (z.count > 1 && in.by_component(z.family) && binder.by_place) throw Unsupported{};
      const bool pile = zone(z.family).kind == ir::ZoneKind::pile;
      open += f("const i64 z_{0} = {1}; {2}", i, z.first, unreadable());
      const std::string loop = inner(pile ? f("cards_{0}[n_{0} - 1 - {0}]", i) : f("cards_{0}[{0}]", i), {0, components - 1, false});
      return open + f("{{ {4}for (i64 at_{0} = z_{0}; at_{0} < z_{0} + {1}; ++at_{0}) {{ const u16* cards_{0} = ids_of<{2}>(s, at_{0}); const i64 n_{0} = count_of(s, at_{0}); "
                      "{6}for (i64 {0} = 0; {0} < n_{0}; ++{0}) {{ {3} }} }} {5}}} }}",
                      i, z.count, family(z), loop, kept, after, afford("n_" + i));
    }
    case SourceKind::set: {
      if (binder.by_place) throw Unsupported{};
      open += f("const Set<{0}> set_{1} = {2}; {3}", binder.domain.words, i, set(binder.a, binder.domain), unreadable());
      const Range range{binder.domain.low, binder.domain.low + 64 * binder.domain.words - 1, false};
      const std::string loop = inner(f("{1} + 64 * w_{0} + __builtin_ctzll({0})", i, binder.domain.low), range);
      return open + f("{{ {3}{5}for (int w_{0} = 0; w_{0} < {1}; ++w_{0}) for (u64 {0} = set_{0}.w[w_{0}]; {0} != 0; {0} &= {0} - 1) {{ {2} }} {4}}} }}", i,
                      binder.domain.words, loop, kept, after, afford(f("set_{}.size()", i)));
    }
    case SourceKind::components: {
      if (binder.by_place) throw Unsupported{};
      const std::string loop = inner(i, {0, components - 1, false});
      return f("{{ {4}{6}for (i64 {0} = {1}; {0} < {2}; ++{0}) {{ {3} }} {5}}}", i, binder.a, binder.b, loop, kept, after, afford(std::to_string(binder.b - binder.a)));
    }
    case SourceKind::list: {
      open += f("List list_{0}; {1} {2}", i, append(binder.a, "list_" + i), unreadable());
      const std::string loop = inner(f("list_{0}.v[{0}]", i), {});
      return open + f("{{ {2}{4}for (i32 {0} = 0; {0} < list_{0}.n; ++{0}) {{ {1} }} {3}}} }}", i, loop, kept, after, afford(f("list_{}.n", i)));
    }
  }
  throw Unsupported{};
}

std::string Emitter::each_from(const ir::Clause& of, std::size_t level, const Body& body, const Flat& flat) {
  if (level == of.binders.size()) return body();
  if (level == static_cast<std::size_t>(of.named)) throw Unsupported{};
  if (level + 1 == of.binders.size()) return each_value(of.binders[level], body, flat);
  return each_value(of.binders[level], [&] { return each_from(of, level + 1, body, flat); });
}

std::string Emitter::each(const ir::Clause& of, const Body& body, const Flat& flat) {
  std::string open;
  std::string close;
  for (const ir::Node condition : of.conditions) {
    if (lenient_) {
      const std::string holds = label();
      open += f("bool {0} = {1}; if (c.fault != 0) {{ c.fault = 0; {0} = false; }} if ({0}) {{ ", holds, truth(condition));
    } else {
      open += f("if ({}) {{ ", truth(condition));
    }
    close += "}";
  }
  return "{ " + open + each_from(of, 0, body, flat) + close + " }";
}

// ---- keys ----

std::string Emitter::key(const ir::Clause& of, const ir::Key& key) {
  switch (key.kind) {
    case ir::KeyKind::high: return f("(-{})", ex(key.value));
    case ir::KeyKind::low: return ex(key.value);
    case ir::KeyKind::clockwise_from:
    case ir::KeyKind::clockwise_after:
      return f("steps_clockwise(x{}, {}, {})", of.clockwise_slot, component(key.value), key.kind == ir::KeyKind::clockwise_after ? "true" : "false");
  }
  return "";
}

std::string Emitter::backwards(const ir::Clause& of) {
  if (!of.backwards) return "false";
  return of.backwards_if == ir::kNoNode ? "true" : "(" + truth(of.backwards_if) + ")";
}

namespace {

/// `mine` before `best`, both arrays of `n` numbers.
std::string comes_before(std::size_t n, const std::string& mine, const std::string& best) {
  std::string text;
  for (std::size_t k = n; k-- > 0;) {
    const std::string less = fmt::format("{0}[{2}] < {1}[{2}]", mine, best, k);
    text = text.empty() ? less : fmt::format("({0} || ({1}[{3}] == {2}[{3}] && {4}))", less, mine, best, k, text);
  }
  return text;
}
std::string all_equal(std::size_t n, const std::string& mine, const std::string& best) {
  std::string text = "true";
  for (std::size_t k = 0; k < n; ++k) text += fmt::format(" && {0}[{2}] == {1}[{2}]", mine, best, k);
  return text;
}

}  // namespace

/// One seat after the other from a certain one on: where to begin, an expression. Empty: it is not that.
std::string Emitter::clockwise(const ir::Clause& of) {
  if (of.binders.size() != 1 || of.keys.size() != 1 || of.backwards) return "";
  const ir::Binder& binder = of.binders[0];
  const ir::Key& key = of.keys[0];
  if (key.kind == ir::KeyKind::high || key.kind == ir::KeyKind::low || of.clockwise_slot != binder.slot || binder.pick || binder.kind != SourceKind::range) return "";
  const Range low = range_of(binder.a), high = range_of(binder.b);
  if (!low.known() || low.high != 0 || low.low != 0 || !high.known() || high.low != p.players - 1 || high.high != p.players - 1) return "";
  if (free_slots(key.value).count(binder.slot) != 0) return "";
  // what comes later is not even asked, so it must not be a fault
  const bool failed = std::exchange(can_fail_, false);
  {
    const Bind bind(*this, binder.slot, {0, p.players - 1, false});
    const auto kept_loops = std::exchange(loops_, {});
    for (const ir::Node filter : binder.filters) ex(filter);
    loops_ = kept_loops;
  }
  if (std::exchange(can_fail_, failed)) return "";
  const std::string base = component(key.value);
  return key.kind == ir::KeyKind::clockwise_from ? base : f("({} + 1)", base);
}

/// The body for each seat, from `begin` on.
std::string Emitter::each_clockwise(const ir::Clause& of, const std::string& begin, const Body& body) {
  const ir::Binder& binder = of.binders[0];
  const std::string i = label();
  std::string conditions = "true";
  for (const ir::Node condition : of.conditions) conditions += f(" && {}", truth(condition));
  const std::string from = f("i64 {0} = {1}; if ({0} >= {2}) {0} -= {2}; ", i, begin, p.players);
  const Bind bind(*this, binder.slot, {0, p.players - 1, false});
  loops_.push_back({binder.slot, ""});
  const std::string filters = passes(binder);
  const std::string inner = body();
  const std::string kept = loops_.back().kept;
  loops_.pop_back();
  return f("if ({5}) {{ {0}{1}for (int step_{2} = 0; step_{2} < {3}; ++step_{2}) {{ const i64 x{4} = {2}; {2} = {2} + 1 == {3} ? 0 : {2} + 1; {6}{7} }} }}", from, kept, i,
           p.players, binder.slot, conditions, filters, inner);
}

std::string Emitter::first(ir::Node n) {
  const ir::Clause& of = clause(node(n).a);
  const std::string t = label();
  const std::int32_t slot = of.binders[0].slot;
  const std::string order = backwards(of);
  if (of.keys.empty()) {
    const std::string body = each(of, [&] { return f("t_{0} = x{1}; if (!back_{0}) goto {0};", t, slot); });
    return f("({{ i64 t_{0} = kNone; const bool back_{0} = {1}; {{ {2} }} {0}:; t_{0}; }})", t, order, body);
  }
  if (const std::string begin = clockwise(of); !begin.empty()) {
    const std::string body = each_clockwise(of, begin, [&] { return f("t_{0} = x{1}; goto {0};", t, slot); });
    return f("({{ i64 t_{0} = kNone; {{ {1} }} {0}:; t_{0}; }})", t, body);
  }
  const std::size_t keys = of.keys.size();
  Flat flat;
  if (keys == 1 && of.binders.size() == 1 && !of.backwards && (of.keys[0].kind == ir::KeyKind::high || of.keys[0].kind == ir::KeyKind::low)) {
    flat = [&](const std::string& holds) -> std::optional<std::string> {
      const std::optional<std::string> value = spec(of.keys[0].value);
      if (!value || value->size() > 3000) return std::nullopt;
      const std::string equal = of.binders[0].component ? f("G::front[row_{0}[0]] != G::front[x{1}]", t, slot) : "true";
      return f("const u64 h_{0} = {1}; const Maybe k_{0} = {2}; faults |= h_{0} & k_{0}.bad; const i64 mine_{0} = {3}k_{0}.v; const bool same_{0} = (h_{0} != 0) & any_{0} & (mine_{0} == "
               "best_{0}[0]); const bool better_{0} = (h_{0} != 0) & (!any_{0} | (mine_{0} < best_{0}[0])); if (RIP_RARE(same_{0})) tie_{0} = tie_{0} || {4}; best_{0}[0] = better_{0} ? "
               "mine_{0} : best_{0}[0]; row_{0}[0] = better_{0} ? x{5} : row_{0}[0]; tie_{0} = tie_{0} & !better_{0}; any_{0} = any_{0} | (h_{0} != 0);",
               t, holds, *value, of.keys[0].kind == ir::KeyKind::high ? "-" : "", equal, slot);
    };
  }
  std::string same = "true";  // the bindings differ by equal components at most
  for (const ir::Binder& binder : of.binders) {
    if (binder.pick) throw Unsupported{};
    const std::string row = f("row_{}[{}]", t, &binder - of.binders.data());
    same += binder.component ? f(" && G::front[{}] == G::front[x{}]", row, binder.slot) : f(" && {} == x{}", row, binder.slot);
  }
  const std::string body = each(of, [&] {
    std::string mine;
    for (const ir::Key& one : of.keys) mine += (mine.empty() ? "" : ", ") + key(of, one);
    std::string row;
    for (std::size_t i = 0; i < of.binders.size(); ++i) row += f("row_{}[{}] = x{}; ", t, i, of.binders[i].slot);
    return f("const i64 mine_{0}[] = {{{1}}}; if (any_{0}) {{ if ({2}) {{ tie_{0} = tie_{0} || !({3}); if (back_{0}) {{ {4}}} continue; }} "
             "if (({5}) == back_{0}) continue; }} {6} {4} any_{0} = true; tie_{0} = false;",
             t, mine, all_equal(keys, "mine_" + t, "best_" + t), same, row, comes_before(keys, "mine_" + t, "best_" + t),
             f("for (int k = 0; k < {1}; ++k) best_{0}[k] = mine_{0}[k];", t, keys));
  }, flat);
  can_fail_ = true;
  return f("({{ const bool back_{0} = {1}; i64 best_{0}[{2}] = {{}}, row_{0}[{3}] = {{}}; bool any_{0} = false, tie_{0} = false; {4} "
           "!any_{0} ? kNone : RIP_RARE(tie_{0}) ? bad(c) : row_{0}[0]; }})",
           t, order, keys, of.binders.size(), body);
}

std::string Emitter::best(const ir::Clause& of, ir::Domain domain) {
  const std::string t = label();
  const std::size_t keys = of.keys.size();
  const std::string order = backwards(of);
  const std::string body = each(of, [&] {
    std::string mine;
    for (const ir::Key& one : of.keys) mine += (mine.empty() ? "" : ", ") + key(of, one);
    return f("const i64 mine_{0}[] = {{{1}}}; const bool equal_{0} = any_{0} && {2}; if (any_{0} && !equal_{0} && ({3}) == back_{0}) continue; "
             "if (!equal_{0}) {{ o_{0} = {{}}; for (int k = 0; k < {4}; ++k) best_{0}[k] = mine_{0}[k]; any_{0} = true; }} o_{0}.add({5}, x{6});",
             t, mine.empty() ? "0" : mine, all_equal(keys, "mine_" + t, "best_" + t), keys == 0 ? "false" : comes_before(keys, "mine_" + t, "best_" + t), keys, domain.low,
             of.binders[0].slot);
  });
  return f("({{ Set<{1}> o_{0}; const bool back_{0} = {2}; i64 best_{0}[{3}] = {{}}; bool any_{0} = false; {4} o_{0}; }})", t, domain.words, order,
           std::max<std::size_t>(keys, 1), body);
}

std::string Emitter::collect(const ir::Clause& of, const std::string& rows, std::int32_t most) {
  const std::size_t width = of.binders.size();
  const std::size_t keys = of.keys.size();
  const std::size_t row = width + keys;
  std::string components;
  for (const ir::Binder& binder : of.binders) components += binder.component ? "1" : "0";
  const std::string end = label();
  const std::string body = each(of, [&] {
    std::string text = f("if (RIP_RARE(n_{0} >= {1})) {{ bad(c); goto {3}; }} i64* to_{0} = {0} + {2} * n_{0}++; ", rows, most, row, end);
    std::size_t i = 0;
    for (const ir::Binder& binder : of.binders) text += f("to_{}[{}] = x{}; ", rows, i++, binder.slot);
    for (const ir::Key& one : of.keys) text += f("to_{}[{}] = {}; ", rows, i++, key(of, one));
    return text;
  });
  can_fail_ = true;
  return f("i64 {0}[{1}]; i64 n_{0} = 0; {{ {2} }} {7}:; order_rows<{3}, {4}, 0b{5}>(c, {0}, n_{0}, {6});", rows, row * static_cast<std::size_t>(most), body, width,
           keys, std::string(components.rbegin(), components.rend()), backwards(of), end);
}

}  // namespace rip::native
