// The whole of an emitted source: facts of the game as constants, families of zones as types, functions, and one function that plays.
#include "interp/native/emit.h"

#include "interp/native/head.h"

#include <algorithm>

namespace rip::native {

bool needs_knowledge(const ir::Program& program) {
  Observer* nobody = nullptr;
  std::vector<std::uint8_t> pins;
  const Interpreter in(program, nobody, pins);
  for (std::size_t c = 0; c < in.front_.size(); ++c) {
    if (in.front_[c] != static_cast<std::int32_t>(c)) return true;
  }
  return false;
}

State opening(const ir::Program& program) {
  State before, state;
  Machine machine(program);
  machine.start(state);
  Observer* nobody = nullptr;
  std::vector<std::uint8_t> pins;
  Interpreter in(program, nobody, pins);
  const auto running = static_cast<std::uint8_t>(Status::running);
  for (int steps = 0; steps < 1000; ++steps) {
    before = state;
    in.bind(state);
    const ir::Instr& instr = program.code[static_cast<std::size_t>(in.header().pc)];
    if (in.header().status != running || instr.op == ir::InstrOp::claim || instr.op == ir::InstrOp::checkpoint || instr.op == ir::InstrOp::choose) break;
    if (in.step(instr) || in.fault != FaultCode::none || in.header().status != running || state.bytes.size() != before.bytes.size()) break;
  }
  return before;
}

std::string emit(const ir::Program& program, EmitOptions options) { return Emitter(program, options).source(); }

std::vector<std::string> left_to_interpreter(const ir::Program& program, EmitOptions options) {
  Emitter emitter(program, options);
  emitter.source();
  return emitter.left;
}

Emitter::Emitter(const ir::Program& program, EmitOptions options) : p(program), in(program, no_observer_, no_pins_), knowledge_(options.knowledge) {
  distinct_ = !needs_knowledge(program);
  if (!distinct_) knowledge_ = true;
  find_cells();
  find_bags();
}

std::string Emitter::table(const std::string& name, const std::vector<std::int64_t>& values) const {
  std::int64_t low = 0, high = 0;
  for (const std::int64_t value : values) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const char* of = low >= 0 && high < 256 ? "u8" : low >= -128 && high < 128 ? "i8" : low >= 0 && high < 65536 ? "u16" : low > -32768 && high < 32768 ? "i16" : low >= ir::kNone && high < 2147483648 ? "i32" : "i64";
  std::string text = f("  static constexpr {} {}[] = {{", of, name);
  for (std::size_t i = 0; i < values.size(); ++i) text += f("{}{}", i % 24 == 0 ? "\n    " : " ", values[i] == ir::kNone ? "static_cast<i32>(kNone)" : std::to_string(values[i])) + ",";
  return text + (values.empty() ? "0};\n" : "};\n");
}

std::string Emitter::facts() {
  const auto column = [&](auto&& value) {
    std::vector<std::int64_t> out;
    for (std::size_t c = 0; c < p.components.size(); ++c) out.push_back(value(c));
    return out;
  };
  const bool only_cards = std::all_of(in.kind_.begin(), in.kind_.end(), [](Interpreter::Kind kind) { return kind == Interpreter::Kind::card; });
  std::string text = "struct G {\n";
  text += f("  static constexpr int players = {}, counts = {}, zone_of = {}, faces = {}, known = {}, words = {};\n", p.players, p.counts, p.zone_of, p.faces, p.known,
            in.component_words);
  text += f("  static constexpr u32 all_seats = {}u;\n  static constexpr bool knowledge = {}, distinct = {}, only_cards = {}, in_order = {};\n", in.all_seats, knowledge_, distinct_, only_cards,
            std::is_sorted(in.front_.begin(), in.front_.end()));
  text += table("front", column([&](std::size_t c) { return in.front_[c]; }));
  text += table("back", column([&](std::size_t c) { return in.back_[c]; }));
  text += table("kinds", column([&](std::size_t c) { return static_cast<int>(in.kind_[c]); }));
  text += table("owners", column([&](std::size_t c) { return p.components[c].owner; }));
  text += table("tables", p.tables);
  text += "  static constexpr ZoneFacts zones[] = {\n";
  std::int32_t zone_index = 0;
  bool any_covered = false;
  for (const ir::Zone& z : p.zones) {
    text += f("    {{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}}},\n", z.ids, may_hold_bag(family_of(zone_index)) ? z.bags : -1, z.capacity, static_cast<int>(z.kind), z.face, z.owner, z.deck, in.has_eyes(z),
              z.seen_by != ir::kNoNode, covered(family_of(zone_index)));
    any_covered = any_covered || covered(family_of(zone_index));
    ++zone_index;
  }
  return text + (p.zones.empty() ? "    {}\n" : "") + f("  }};\n  static constexpr bool any_covered = {};\n  static constexpr int components = {};\n}};\n", any_covered, p.components.size());
}

/// Where an order may be open: what is shuffled or refilled, and what a packet without an order may come to.
void Emitter::find_bags() {
  using ir::InstrOp;
  const auto mix = [&](std::int32_t family) {
    const bool changes = zone(family).bags >= 0 && !may_hold_bag(family);
    if (changes) bags_.insert(family);
    return changes;
  };
  const auto family_at = [&](ir::Node z) { return node(z).op == ir::NodeOp::zone || node(z).op == ir::NodeOp::zone_at ? family_of(node(z).a) : -1; };
  for (std::int32_t z = 0; z < static_cast<std::int32_t>(p.zones.size()); ++z) {
    if (zone(z).refill_from >= 0) mix(family_of(z));
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const ir::Instr& instr : p.code) {
      std::int32_t mixed = -2;  // a family, -1 for any
      switch (instr.op) {
        case InstrOp::shuffle: mixed = family_at(instr.a); break;
        case InstrOp::move_zone: {
          const std::int32_t from = family_at(instr.a);
          if (from < 0 || zone(from).kind == ir::ZoneKind::hand || may_hold_bag(from)) mixed = family_at(instr.b);
          break;
        }
        case InstrOp::move_set: mixed = family_at(instr.b); break;
        case InstrOp::move_each: mixed = family_at(instr.c); break;
        case InstrOp::swap:
        case InstrOp::swap_set:
        case InstrOp::swap_zones: mixed = -1; break;
        default: break;
      }
      if (mixed >= 0) changed = mix(mixed) || changed;
      for (std::int32_t z = 0; mixed == -1 && z < static_cast<std::int32_t>(p.zones.size()); ++z) changed = mix(family_of(z)) || changed;
    }
  }
}

/// What comes here is turned down, and all of it looks the same from behind: its top shows nothing unless something was laid or
/// turned face up in it, which the game notes as it happens (Ctx::open_below).
bool Emitter::covered(std::int32_t first) const {
  std::int32_t end = first + 1;
  while (end < static_cast<std::int32_t>(p.zones.size()) && zone(end).family == zone(first).family) ++end;
  const ir::Zone& z = zone(first);
  return may_hold_bag(first) && (z.face == 1 || (z.face < 0 && z.deck)) && !in.has_eyes(z) && one_back(first, end);
}

/// Of the types of what lies there at first all components are cards that look the same from behind. A zone holds one type.
bool Emitter::one_back(std::int32_t first, std::int32_t end) const {
  std::set<std::int32_t> backs;
  for (std::int32_t z = first; z < end; ++z) {
    for (const std::uint16_t c : p.contents[static_cast<std::size_t>(z)]) {
      const ir::ComponentType& type = p.types[static_cast<std::size_t>(p.components[c].type)];
      if (type.die || !type.hidden_side) return false;
      for (std::int32_t other = type.first; other < type.last; ++other) backs.insert(in.back_[static_cast<std::size_t>(other)]);
    }
  }
  return backs.size() == 1;
}

std::string Emitter::families() {
  std::string text, cases;
  for (std::int32_t first = 0, end = 0; first < static_cast<std::int32_t>(p.zones.size()); first = end) {
    end = first + 1;
    while (end < static_cast<std::int32_t>(p.zones.size()) && zone(end).family == zone(first).family) ++end;
    const ir::Zone& z = zone(first);
    // what is the same for all, or grows by the same step, needs no table
    const auto linear = [&](const char* name, auto&& value) {
      const std::int64_t begin = value(zone(first)), step = end - first > 1 ? value(zone(first + 1)) - begin : 0;
      bool even = true;
      for (std::int32_t k = first; k < end; ++k) even = even && value(zone(k)) == begin + (k - first) * step;
      if (!even) return f("G::zones[z].{}", name);
      return step == 0 ? std::to_string(begin) : f("{} + (z - {}) * {}", begin, first, step);
    };
    const bool bags = may_hold_bag(first);
    // a block reaches beyond the zone, not beyond the state; places of marks are counted in bytes
    const auto fits = [&](std::int64_t begin, std::int64_t bytes) { return begin < 0 || begin + (bytes + 31) / 32 * 32 <= p.size; };
    const bool blocks = std::all_of(p.zones.begin() + first, p.zones.begin() + end,
                                    [&](const ir::Zone& one) { return fits(one.ids, 2 * one.capacity) && fits(one.bags, one.capacity) && (!bags || one.capacity < 200); });
    const auto method = [&](const char* type, const char* name, const std::string& value) {
      return f("  static constexpr {} {}([[maybe_unused]] i64 z) {{ return static_cast<{}>({}); }}\n", type, name, type, value);
    };
    text += f("struct F{} {{\n  static constexpr bool one_at_most = {}, one_back = {}, blocks = {};\n  static constexpr int most = {};\n", first, z.capacity == 1 && z.kind == ir::ZoneKind::place && !bags, one_back(first, end), blocks,
              std::max(z.capacity, 1));
    text += method("i64", "ids", linear("ids", [](const ir::Zone& one) { return one.ids; }));
    text += method("i64", "bags", linear("bags", [](const ir::Zone& one) { return one.bags; }));
    text += method("bool", "has_bags", bags ? "true" : "false");
    text += method("i64", "capacity", linear("capacity", [](const ir::Zone& one) { return one.capacity; }));
    text += method("int", "kind", std::to_string(static_cast<int>(z.kind)));
    text += method("int", "face", linear("face", [](const ir::Zone& one) { return one.face; }));
    text += method("int", "owner", linear("owner", [](const ir::Zone& one) { return one.owner; }));
    text += method("bool", "deck", linear("deck", [](const ir::Zone& one) { return one.deck ? 1 : 0; }));
    text += method("bool", "has_eyes", linear("eyes", [&](const ir::Zone& one) { return in.has_eyes(one) ? 1 : 0; }));
    text += method("bool", "seen_by", linear("seen_by", [](const ir::Zone& one) { return one.seen_by != ir::kNoNode ? 1 : 0; }));
    text += method("bool", "covered", covered(first) ? "true" : "false");
    text += method("bool", "covers", f("z >= {} && z < {}", first, end));
    const bool seen = knowledge_ && z.seen_by != ir::kNoNode;
    text += seen ? "  static u32 eyes(Ctx& c, u8* s, i64 z);\n};\n" : "  static u32 eyes(Ctx&, u8*, i64 z) { return owner(z) < 0 ? 0 : 1u << owner(z); }\n};\n";
    cases += f("  if (F{0}::covers(z)) return F{0}::eyes(c, s, z);\n", first);
    if (!seen) continue;
    functions_ += f("u32 F{}::eyes(Ctx& c, u8* s, i64 z) {{\n  switch (z) {{\n", first);
    for (std::int32_t k = first; k < end; ++k) {
      std::string names;
      const auto kept = bound_;
      for (const auto& [slot, value] : zone(k).seen_slots) {
        names += f("[[maybe_unused]] constexpr i64 x{} = {}; ", slot, value);
        bound_.emplace_back(slot, Range{value, value, false});
      }
      functions_ += f("    case {}: {{ {}return {}; }}\n", k, names, seats(zone(k).seen_by));
      bound_ = kept;
    }
    functions_ += "  }\n  return 0;\n}\n";
  }
  return text + "inline u32 eyes_of([[maybe_unused]] Ctx& c, [[maybe_unused]] u8* s, [[maybe_unused]] i64 z) {\n" + cases + "  return 0;\n}\n";
}

std::string Emitter::run() {
  std::string body, decisions, asking;
  for (ir::Pc pc = 0; pc < static_cast<ir::Pc>(p.code.size()); ++pc) {
    const ir::Instr& instr = p.code[static_cast<std::size_t>(pc)];
    body += f("L{}: {{ {} }}  // {}\n", pc, instruction(pc), ir::name(instr.op));
    if (instr.op != ir::InstrOp::choose) continue;
    const ir::Choose& choice = p.chooses[static_cast<std::size_t>(instr.a)];
    decisions += f("D{}: {{ {} }}\n", pc, decide(pc, choice));
    asking += f("    case {0}: goto D{0};\n", pc);
    if (choice.each) decisions += f("B{}: {{ {} }}\n", pc, run_body(pc, choice));
  }
  entries_.insert(p.entry);
  ir::Header begin{};
  const State first = opening(p);
  std::memcpy(&begin, first.bytes.data(), sizeof begin);
  entries_.insert(begin.pc);
  std::string dispatch;
  for (const ir::Pc pc : entries_) {
    if (pc < static_cast<ir::Pc>(p.code.size())) dispatch += f("    case {0}: goto L{0};\n", pc);
  }
  return "extern \"C\" __attribute__((visibility(\"default\"))) int rip_run(Ctx* ctx) {\n  Ctx& c = *ctx;\n  u8* s = c.s;\n  i64 asked_seat = 0, jumps_left = kMostJumps;\n  c.work_left = kMostWork;\n"
         "  look_below(c, s);\n  switch (head(s).status) {\n    case kRunning: goto dispatch;\n    case kDecision: goto decide;\n    case kCheckpoint: goto checked;\n    default: return head(s).status;\n  }\n"
         "asked:\n  look_below(c, s);\n  if (c.fault != 0) goto fault;\n  switch (head(s).status) {\n    case kRunning: break;\n    case kDecision: if (c.one_by_one != 0) return kDecision; goto decide;\n"
         "    default: return head(s).status;\n  }\n"
         "dispatch:\n  if (--jumps_left < 0) goto fault;\n  switch (head(s).pc) {\n" + dispatch + "    default: c.step(&c); s = c.s; goto asked;\n  }\n"
         "checked:\n  head(s).status = kRunning;\n  ++head(s).pc;\n  goto dispatch;\n"
         "decide:\n  asked_seat = head(s).deciding == 0 ? 0 : __builtin_ctz(head(s).deciding);\n  switch (head(s).pc) {\n" + asking + "    default: goto fault;\n  }\n" + body + decisions + "fault:\n  c.fault = 1;\n  return kFault;\n}\n";
}

/// What is asked at the end of a game: the score of each seat, then what the script reports.
std::string Emitter::results() {
  std::string text = "extern \"C\" __attribute__((visibility(\"default\"))) void rip_results(Ctx* ctx, i64* out) {\n  Ctx& c = *ctx;\n  u8* s = c.s;\n";
  for (int seat = 0; seat < p.players; ++seat) text += f("  *out++ = {};\n", score(f("i64({})", seat)));
  for (const ir::Report& report : p.reports) text += f("  *out++ = {};\n", ex(report.value));
  return text + "  c.fault = 0;\n}\n";
}

std::string Emitter::source() {
  const std::string types = families();
  const std::string eyes = std::exchange(functions_, {});
  const std::string player = run() + results();
  return f("// \"{}\", {} players\n", p.title.find_first_of("\\\n") == std::string::npos ? p.title : "", p.players) + source_head() + "namespace rip::native {\n" + facts() + "}\n" +
         source_zones() + "namespace rip::native {\n" + types + eyes + functions_ + player + "}\n";
}

}  // namespace rip::native
