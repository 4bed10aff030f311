// How the REPL draws a game: the table, the options, what has changed. Flow: Game, View -> here -> Page.
#pragma once

#include "cli/page.h"
#include "cli/repl_game.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rip::cli::repl {

/// `setup > dealing`; empty where no phase runs.
std::string phases_text(Game& game);

/// Zones with their cards, numbers side by side, what is empty in one line.
void draw_table(const Page& page, Game& game, int seat);

/// What differs between two views: `hand[Ann]  - <money 1>  + <guard>`, `coins[Ann]  7 -> 10`.
std::vector<std::string> differences(const View& before, const View& after);
void draw_differences(const Page& page, const View& before, const View& after);

/// Numbered, those of one name together, in as many columns as fit; at most `most`, and how many there are. `viewer` as for Machine::view.
void draw_moves(const Page& page, Game& game, int viewer, std::uint64_t most);
void draw_outcomes(const Page& page, Game& game);

/// The statement before which the rules stand: `line 12: move c to discard`.
std::string statement_text(Game& game);

}  // namespace rip::cli::repl
