// Where the rules halt before a seat is asked: at what `.break` names, or before every statement.
// Flow: a name and the program -> Stops -> Game asks before each instruction.
#pragma once

#include "base/source.h"
#include "interp/ir/ir.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rip::cli::repl {

/// Where the rules halt, and what that is called: `phase digging`, `clause R-14`, `line 120`.
struct Halt {
  std::string title;
  std::vector<ir::Pc> at;
};

/// What `.break NAME` can mean: a phase, a move, a rule, a trigger by its name, a clause, a line of the script.
std::optional<Halt> halt_named(const ir::Program& program, const Sources& sources, const std::string& name);
/// All names that halt_named knows, lines left out.
std::vector<std::string> names_of_halts(const ir::Program& program);

/// An instruction that a reader of the script would not see as one: jumps, clearing, watching.
bool is_silent(const ir::Instr& instr);

class Stops {
 public:
  /// Sets a stop; nothing if the program has no such place.
  std::optional<std::string> add(const ir::Program& program, const Sources& sources, const std::string& name);
  bool remove(const std::string& name);
  void clear();
  /// Finds the places anew in a script that has changed; gives the names that are gone, which are kept for later.
  std::vector<std::string> find_again(const ir::Program& program, const Sources& sources);
  const std::vector<std::string>& names() const { return names_; }
  bool any() const { return !names_.empty(); }
  /// What stands at this instruction; empty = nothing.
  std::string_view at(ir::Pc pc) const;

 private:
  std::vector<std::string> names_;
  std::vector<Halt> halts_;  ///< by name; without instructions if it is gone
};

}  // namespace rip::cli::repl
