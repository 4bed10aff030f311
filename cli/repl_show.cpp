#include "cli/repl_show.h"

#include "base/text.h"
#include "verify/pattern.h"
#include "verify/position.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

namespace rip::cli::repl {

namespace {

using Lines = std::vector<View::Line>;

/// Of a pipe a hundred, so that it looks the same everywhere.
std::size_t columns(const Page& page) { return page.width() == 0 ? 100 : page.width(); }

/// What a zone holds, as its line in a view tells: `<money 5> 3 x ?` is one of the first and three of the second.
std::map<std::string, long> contents_of(const std::string& text) {
  std::map<std::string, long> out;
  long times = 1;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == ' ' || text[at] == '{' || text[at] == '}') {
      ++at;
      continue;
    }
    std::size_t end = text[at] == '<' ? std::min(text.size(), text.find('>', at) + 1) : std::min(text.find_first_of(" }", at), text.size());
    // an owner belongs to its card: `Ann <8>`
    if (std::isalpha(static_cast<unsigned char>(text[at])) != 0 && text.compare(end, 2, " <") == 0) end = std::min(text.size(), text.find('>', end) + 1);
    const std::string word = text.substr(at, end - at);
    at = end;
    if (long n = 0; std::from_chars(word.data(), word.data() + word.size(), n).ptr == word.data() + word.size() && text.compare(at, 3, " x ") == 0) {
      times = n;
      at += 3;
      continue;
    }
    if (word != "of") out[word] += times;
    times = 1;
  }
  return out;
}

std::string counted(long n, const std::string& word) { return n == 1 ? word : fmt::format("{} x {}", n, word); }

/// ` - <money 1> + <guard>`: what left and what came; empty if only the order, or what is known, is another.
std::string exchange_text(const std::string& before, const std::string& after) {
  std::map<std::string, long> change = contents_of(after);
  for (const auto& [word, n] : contents_of(before)) change[word] -= n;
  std::string left, came;
  for (const auto& [word, n] : change) {
    if (n < 0) left += "  - " + counted(-n, word);
    if (n > 0) came += "  + " + counted(n, word);
  }
  return left + came;
}

const View::Line* find(const Lines& lines, const std::string& name) {
  const auto at = std::find_if(lines.begin(), lines.end(), [&](const View::Line& l) { return l.name == name; });
  return at == lines.end() ? nullptr : &*at;
}

/// `coins` and `Ann` of `coins[Ann]`; the second is empty where there is no index.
std::pair<std::string, std::string> family_of(const std::string& name) {
  const std::size_t open = name.find('[');
  if (open == std::string::npos || name.back() != ']') return {name, ""};
  return {name.substr(0, open), name.substr(open + 1, name.size() - open - 2)};
}

/// A variable, or a family of them: `coins  P1 10   P2 7`.
struct Row {
  std::string name;
  std::vector<std::string> values;
};
std::vector<Row> rows_of(const Lines& vars) {
  std::vector<Row> rows;
  for (const View::Line& line : vars) {
    const auto [family, index] = family_of(line.name);
    const std::string value = line.text.empty() ? "empty" : line.text;
    if (index.empty() || value.size() > 24) {
      rows.push_back({line.name, {value}});
      continue;
    }
    if (rows.empty() || rows.back().name != family) rows.push_back({family, {}});
    rows.back().values.push_back(index + " " + value);
  }
  return rows;
}

/// By name; a large family in one word, `60 x ring`.
std::vector<std::string> empty_zones(const Lines& zones) {
  constexpr long kMostNamed = 6;
  std::map<std::string, long> sizes;
  for (const View::Line& line : zones) sizes[family_of(line.name).first] += line.text.empty() ? 1 : 0;
  std::vector<std::string> out;
  for (const View::Line& line : zones) {
    const std::string family = family_of(line.name).first;
    if (!line.text.empty()) continue;
    if (sizes[family] <= kMostNamed) out.push_back(line.name);
    else if (const std::string all = counted(sizes[family], family); std::find(out.begin(), out.end(), all) == out.end()) out.push_back(all);
  }
  return out;
}

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t columns = columns_of(text);
  return columns < width ? text + std::string(width - columns, ' ') : text;
}

/// Cells as a grid that reads downwards, as wide as it may be.
void draw_grid(const Page& page, const std::vector<std::string>& cells) {
  std::size_t widest = 1;
  for (const std::string& cell : cells) widest = std::max(widest, columns_of(cell) + 3);
  // a short list stays one below the other, where it is easier to read
  const std::size_t across = cells.size() <= 8 ? 1 : std::max<std::size_t>(1, columns(page) / widest);
  const std::size_t down = (cells.size() + across - 1) / across;
  for (std::size_t row = 0; row < down; ++row) {
    std::string line;
    for (std::size_t i = row; i < cells.size(); i += down) line = line.empty() ? padded(cells[i], widest) : line + padded(cells[i], widest);
    while (!line.empty() && line.back() == ' ') line.pop_back();
    page.line(line, 8);
  }
}

}  // namespace

std::string phases_text(Game& game) { return joined(verify::running_phases(game.program(), game.state()), " > "); }

void draw_table(const Page& page, Game& game, int seat) {
  const View view = game.machine().view(game.state(), seat);
  const std::string phases = phases_text(game);
  const std::vector<Row> rows = rows_of(view.vars);
  std::size_t width = 6;
  for (const View::Line& line : view.zones) width = std::max(width, columns_of(line.name));
  for (const Row& row : rows) width = std::max(width, columns_of(row.name));
  width = std::min(width, columns(page) / 3);
  const auto draw = [&](const std::string& name, const std::string& text) { page.line(page.bold(padded(name, width)) + "  " + text, width + 2); };
  draw("phase", phases.empty() ? "none" : phases);
  if (const int asked = game.asked(); asked >= 0) draw("to act", game.playable().seat(asked));
  for (const View::Line& line : view.zones) {
    if (line.text.empty()) continue;
    long n = 0;
    for (const auto& [word, times] : contents_of(line.text)) n += times;
    draw(line.name, (n > 5 ? fmt::format("{} cards: ", n) : "") + line.text);
  }
  if (const std::vector<std::string> empty = empty_zones(view.zones); !empty.empty()) draw("empty", joined(empty, ", "));
  for (const Row& row : rows) draw(row.name, joined(row.values, "   "));
}

std::vector<std::string> differences(const View& before, const View& after) {
  std::vector<std::string> out;
  for (const View::Line& line : after.zones) {
    const View::Line* old = find(before.zones, line.name);
    if (old == nullptr ? line.text.empty() : old->text == line.text) continue;
    const std::string change = exchange_text(old == nullptr ? "" : old->text, line.text);
    out.push_back(line.name + (change.empty() ? "  is now " + (line.text.empty() ? "empty" : line.text) : change));
  }
  for (const View::Line& line : before.zones) {
    if (!line.text.empty() && find(after.zones, line.name) == nullptr) out.push_back(line.name + exchange_text(line.text, ""));
  }
  for (const View::Line& line : after.vars) {
    const View::Line* old = find(before.vars, line.name);
    if (old != nullptr && old->text == line.text) continue;
    const auto shown = [](const std::string& text) { return text.empty() ? std::string("empty") : text; };
    out.push_back(old == nullptr ? fmt::format("{}  {}", line.name, shown(line.text)) : fmt::format("{}  {} -> {}", line.name, shown(old->text), shown(line.text)));
  }
  return out;
}

void draw_differences(const Page& page, const View& before, const View& after) {
  for (const std::string& line : differences(before, after)) page.line("    " + line, 6);
}

void draw_moves(const Page& page, Game& game, int viewer, std::uint64_t most) {
  const int seat = game.asked();
  if (seat < 0) return;
  const std::vector<Move> moves = verify::first_moves(game.machine(), game.state(), seat, most);
  const auto text = [&](const Move& move) { return viewer == kAllSeeing ? game.machine().text(move) : game.machine().text_for(game.state(), move, seat); };
  for (std::size_t i = 0; i < moves.size();) {
    std::vector<std::string> cells;
    const std::string& name = verify::move_name(game.program(), moves[i]);
    for (; i < moves.size() && verify::move_name(game.program(), moves[i]) == name; ++i) cells.push_back(fmt::format("{:>4}  {}", i + 1, text(moves[i])));
    draw_grid(page, cells);
  }
  const std::uint64_t count = game.machine().count_moves(game.state(), seat);
  if (count > moves.size()) page.line(fmt::format("      ... {} in all", count));
}

void draw_outcomes(const Page& page, Game& game) {
  std::vector<Outcome> outcomes;
  game.machine().outcomes(game.state(), outcomes);
  std::uint64_t all = 0;
  for (const Outcome& outcome : outcomes) all += outcome.weight;
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < outcomes.size(); ++i) cells.push_back(fmt::format("{:>4}  {}  ({} of {})", i + 1, outcomes[i].text, outcomes[i].weight, all));
  draw_grid(page, cells);
}

std::string statement_text(Game& game) {
  const auto at = static_cast<std::size_t>(game.pc());
  const Span span = game.program().code_spans[at];
  if (span.end == 0) return "";
  const Sources& sources = game.sources();
  const Place place = sources.place(span.file, span.begin);
  const std::string_view whole = sources.text(span);
  const std::size_t end = whole.find('\n');
  std::string line(whole.substr(0, end));
  // a clause of the margin stands at a distance
  if (const std::size_t margin = line.find("        "); margin != std::string::npos) line.resize(margin);
  if (end != std::string_view::npos) line += " ...";
  return fmt::format("line {}: {}", place.line, line);
}

}  // namespace rip::cli::repl
