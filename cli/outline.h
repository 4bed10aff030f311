// What a script is about, in short: its zones and what moves between them, its phases with their decisions and ends. Flow:
// a version, written out (cli/expand) -> here -> cli/graph, cli/rules.
#pragma once

#include "base/source.h"
#include "grammar/ast.h"
#include "verify/game.h"

#include <memory>
#include <string>
#include <vector>

namespace rip::cli {

/// One version as a script of its own, so that every part has its text.
struct Written {
  Sources sources;
  ast::Script script;

  /// What stands there, on one line and without comments.
  std::string text(Span span) const;
  /// What stands there, in its lines.
  std::string_view source(Span span) const { return sources.text(span); }
};
std::unique_ptr<Written> write_out(const verify::Loaded& loaded, const verify::Version& version);

struct ZoneOutline {
  std::string name;
  std::string index;   ///< `[player]`, or nothing
  std::string kind;    ///< deck, pile, row, place, hand
  std::string type;    ///< what lies there
  std::string rest;    ///< `face up`, `max 2`, `seen by ...`
};

/// Components go from one zone to another.
struct Passage {
  std::string from, to;
  std::vector<std::string> how;  ///< moves and phases in which they do
  bool refill = false;           ///< only because `to` has run out
};

/// Where something ends before its time.
struct EndOutline {
  std::string what;   ///< `win hinter`, `end game`, `end phase play`
  std::string phase;  ///< the phase that ends; empty: the game
};

struct PhaseOutline {
  std::string name;
  std::string loop;                ///< `for round in 1..laps`
  std::vector<std::string> moves;  ///< `guesser: tap, pass`
  std::vector<EndOutline> ends;
  std::vector<PhaseOutline> inner;
  bool called = false;             ///< it has parameters: only a `do` runs it
};

struct Outline {
  std::vector<ZoneOutline> zones;
  std::vector<Passage> passages;
  std::vector<PhaseOutline> phases;
  std::vector<PhaseOutline> triggers;  ///< outside of phases, with their conditions as names
};
Outline outline(const Written& written);

}  // namespace rip::cli
