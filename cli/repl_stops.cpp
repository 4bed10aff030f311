#include "cli/repl_stops.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace rip::cli::repl {

namespace {

using ir::InstrOp;

/// A clause is written `R-14` or `[R-14]`.
std::string without_brackets(const std::string& name) {
  return name.size() > 2 && name.front() == '[' && name.back() == ']' ? name.substr(1, name.size() - 2) : name;
}

/// The first instruction from here on that a reader sees: a halt says what is about to be done.
ir::Pc first_seen(const ir::Program& p, ir::Pc pc) {
  ir::Pc at = pc;
  while (is_silent(p.code[static_cast<std::size_t>(at)])) {
    const InstrOp op = p.code[static_cast<std::size_t>(at)].op;
    if (op == InstrOp::jump || op == InstrOp::ret || op == InstrOp::choose_end || op == InstrOp::finish || op == InstrOp::scenario_end) return pc;
    ++at;
  }
  return at;
}

std::vector<ir::Pc> where_phase_begins(const ir::Program& p, const std::string& name) {
  std::vector<ir::Pc> out;
  for (std::size_t pc = 0; pc < p.code.size(); ++pc) {
    if (p.code[pc].op == InstrOp::phase_begin && p.phases[static_cast<std::size_t>(p.code[pc].a)].name == name) out.push_back(static_cast<ir::Pc>(pc));
  }
  return out;
}

std::vector<ir::Pc> bodies_of(const ir::Program& p, const std::string& move) {
  std::vector<ir::Pc> out;
  for (const ir::Option& option : p.options) {
    if (option.name == move) out.push_back(first_seen(p, option.body));
  }
  return out;
}

/// Of a rule, and of a trigger, which is a routine that nobody calls.
std::vector<ir::Pc> where_routine_begins(const ir::Program& p, const std::string& name) {
  std::vector<ir::Pc> out;
  for (std::size_t i = 1; i < p.routines.size(); ++i) {
    if (p.routines[i].name == name) out.push_back(first_seen(p, p.routines[i].entry));
  }
  for (const ir::When& when : p.whens) {
    if (!name.empty() && when.name == name && when.routine >= 0) out.push_back(first_seen(p, p.routines[static_cast<std::size_t>(when.routine)].entry));
  }
  return out;
}

std::vector<ir::Pc> where_covered(const ir::Program& p, const std::string& tag) {
  std::vector<ir::Pc> out;
  for (std::size_t pc = 0; pc < p.code.size(); ++pc) {
    if (p.code[pc].op != InstrOp::cover) continue;
    const auto& tags = p.covers[static_cast<std::size_t>(p.code[pc].a)].tags;
    if (std::any_of(tags.begin(), tags.end(), [&](std::int32_t t) { return p.tags[static_cast<std::size_t>(t)] == tag; })) out.push_back(first_seen(p, static_cast<ir::Pc>(pc)));
  }
  return out;
}

/// The first instruction of each statement that begins in this line of the script.
std::vector<ir::Pc> in_line(const ir::Program& p, const Sources& sources, std::uint32_t line) {
  std::vector<ir::Pc> out;
  for (std::size_t pc = 0; pc < p.code.size(); ++pc) {
    const Span span = p.code_spans[pc];
    if (is_silent(p.code[pc]) || span.end == 0 || span.file != 0 || sources.place(span.file, span.begin).line != line) continue;
    if (pc > 0 && p.code_spans[pc - 1] == span && !is_silent(p.code[pc - 1])) continue;
    out.push_back(static_cast<ir::Pc>(pc));
  }
  for (const ir::When& when : p.whens) {
    if (when.routine < 0 || when.span.file != 0 || sources.place(when.span.file, when.span.begin).line != line) continue;
    out.push_back(first_seen(p, p.routines[static_cast<std::size_t>(when.routine)].entry));
  }
  return out;
}

}  // namespace

bool is_silent(const ir::Instr& instr) {
  switch (instr.op) {
    case InstrOp::nop: case InstrOp::jump: case InstrOp::ret: case InstrOp::save_me: case InstrOp::restore_me: case InstrOp::clear:
    case InstrOp::choose_end: case InstrOp::watch: case InstrOp::watch_together: case InstrOp::fire: case InstrOp::run_whens:
    case InstrOp::cover: case InstrOp::claim: case InstrOp::expose: case InstrOp::roll: case InstrOp::roll_end: case InstrOp::checkpoint:
    case InstrOp::scenario_end: case InstrOp::finish: case InstrOp::count_pass: case InstrOp::phase_end: case InstrOp::turns_begin:
    case InstrOp::for_begin: return true;
    default: return false;
  }
}

std::optional<Halt> halt_named(const ir::Program& program, const Sources& sources, const std::string& name) {
  Halt halt;
  if (!name.empty() && name.size() < 8 && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    halt = {"line " + name, in_line(program, sources, static_cast<std::uint32_t>(std::stoul(name)))};
  } else if (auto phases = where_phase_begins(program, name); !phases.empty()) {
    halt = {"phase " + name, std::move(phases)};
  } else if (auto moves = bodies_of(program, name); !moves.empty()) {
    halt = {"move " + name, std::move(moves)};
  } else if (auto rules = where_routine_begins(program, name); !rules.empty()) {
    halt = {"rule " + name, std::move(rules)};
  } else {
    halt = {"clause " + without_brackets(name), where_covered(program, without_brackets(name))};
  }
  if (halt.at.empty()) return std::nullopt;
  return halt;
}

std::vector<std::string> names_of_halts(const ir::Program& program) {
  std::set<std::string> names;
  for (const ir::Phase& phase : program.phases) names.insert(phase.name);
  for (const ir::Option& option : program.options) names.insert(option.name);
  for (std::size_t i = 1; i < program.routines.size(); ++i) names.insert(program.routines[i].name);
  for (const ir::When& when : program.whens) names.insert(when.name);
  for (const std::string& tag : program.tags) names.insert(tag);
  names.erase("");
  return {names.begin(), names.end()};
}

std::optional<std::string> Stops::add(const ir::Program& program, const Sources& sources, const std::string& name) {
  std::optional<Halt> halt = halt_named(program, sources, name);
  if (!halt) return std::nullopt;
  std::string title = halt->title;
  remove(name);
  names_.push_back(name);
  halts_.push_back(std::move(*halt));
  return title;
}

bool Stops::remove(const std::string& name) {
  const auto at = std::find(names_.begin(), names_.end(), name);
  if (at == names_.end()) return false;
  halts_.erase(halts_.begin() + (at - names_.begin()));
  names_.erase(at);
  return true;
}

void Stops::clear() {
  names_.clear();
  halts_.clear();
}

std::vector<std::string> Stops::find_again(const ir::Program& program, const Sources& sources) {
  std::vector<std::string> gone;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    std::optional<Halt> halt = halt_named(program, sources, names_[i]);
    if (halt) halts_[i] = std::move(*halt);
    else halts_[i].at.clear();
    if (!halt) gone.push_back(names_[i]);
  }
  return gone;
}

std::string_view Stops::at(ir::Pc pc) const {
  for (const Halt& halt : halts_) {
    if (std::find(halt.at.begin(), halt.at.end(), pc) != halt.at.end()) return halt.title;
  }
  return {};
}

}  // namespace rip::cli::repl
