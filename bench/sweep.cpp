// How speed depends on the size of a game: made-up scripts with more and more cards, players, triggers. Gives rows for the
// table and the plots of docs/performance.md.
#include "bench/sweep.h"

#include "interp/native/native.h"
#include "interp/run/playout.h"
#include "verify/game.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace rip::bench {

namespace {

/// Everybody takes a card in turn and plays one, until the pile is empty. `whens` triggers look at the table all the time.
std::string script(int cards, int players, int whens) {
  std::string text = fmt::format(
      "game \"Sweep\" language 1\nplayers {0}\ncard Card {{ suit: 1..4   rank: 1..{1} }}\ndeck draw of Card {{ 1 x <s r> for s in 1..4, r in 1..{1} }}\n"
      "zone hand[player]: hand of Card\nzone table: row of Card face up\nvar hits: 0..{2} = 0\n"
      "phase deal {{\n  shuffle draw\n  for p in players {{ move top of draw to hand[p] }}\n}}\n"
      "phase play turns from 0 until draw is empty {{\n  move top of draw to hand[me]\n  choose me {{ play(c in hand[me]) {{ move c to table }} }}\n}}\n",
      players, cards / 4, 2 * cards * std::max(whens, 1));
  for (int i = 0; i < whens; ++i) text += fmt::format("when count(table) mod {} == {} {{ raise hits by 1 }}\n", i % 7 + 2, i % 2);
  return text + "score p = count(hand[p])\nwinner p by high score[p]\nreport \"hits\" = hits\n";
}

double seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Games a second, the best of some slices.
template <class Play>
double best_rate(double time, Play&& play) {
  double best = 0;
  std::uint64_t game = 0;
  for (int slice = 0; slice < 5; ++slice) {
    const double begin = seconds();
    std::uint64_t n = 0;
    while (seconds() - begin < time / 5) {
      for (int i = 0; i < 16; ++i) play(game++);
      n += 16;
    }
    best = std::max(best, static_cast<double>(n) / (seconds() - begin));
  }
  return best;
}

Point measure(int cards, int players, int whens, double time) {
  Point point{cards, players, whens, 0, 0, 0};
  const auto loaded = verify::load_text("sweep.rip", script(cards, players, whens));
  if (loaded->has_errors()) throw std::runtime_error("the script of the sweep has errors");
  const auto& rules = loaded->versions[0]->rules;
  const auto playable = verify::prepare(rules, verify::configure(*rules, players, {}).config);
  point.bytes = playable->program->size;
  Machine machine(*playable->program);
  State state;
  point.interpreted = best_rate(time, [&](std::uint64_t game) {
    Rng rng = Rng::for_game(1, game);
    play_out(machine, state, rng);
  });
  std::string why_not;
  const auto code = native::Code::load(*playable->program, {native::needs_knowledge(*playable->program)}, why_not);
  if (code == nullptr) throw std::runtime_error(why_not);
  native::Player player(*playable->program, *code);
  point.compiled = best_rate(time, [&](std::uint64_t game) { player.play(state, Rng::for_game(1, game)); });
  return point;
}

}  // namespace

std::vector<Sweep> sweeps(double time) {
  std::vector<Sweep> out(3);
  out[0].name = "cards";
  for (const int cards : {20, 40, 80, 160, 320}) out[0].points.push_back(measure(cards, 4, 0, time));
  out[1].name = "players";
  for (const int players : {2, 4, 8, 16}) out[1].points.push_back(measure(80, players, 0, time));
  out[2].name = "triggers";
  for (const int whens : {0, 1, 2, 4, 8, 16}) out[2].points.push_back(measure(80, 4, whens, time));
  return out;
}

// Both axes are logarithmic; two lines, the interpreter's and the compiled game's.
std::string plot(const Sweep& sweep) {
  constexpr double kWidth = 360, kHeight = 240, kLeft = 60, kBottom = 40;
  const auto value = [&](const Point& p) { return sweep.name == "cards" ? p.cards : sweep.name == "players" ? p.players : p.whens + 1; };
  double low = 1e18, high = 0;
  for (const Point& p : sweep.points) {
    low = std::min({low, p.interpreted, p.compiled});
    high = std::max({high, p.interpreted, p.compiled});
  }
  const double first = std::floor(std::log10(low)), last = std::ceil(std::log10(high));
  const double begin = std::log(value(sweep.points.front())), end = std::log(value(sweep.points.back()));
  const auto x = [&](const Point& p) { return kLeft + (std::log(value(p)) - begin) / (end - begin) * (kWidth - kLeft - 20); };
  const auto y = [&](double rate) { return 15 + (last - std::log10(rate)) / (last - first) * (kHeight - kBottom - 15); };
  std::string text = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" font-family=\"sans-serif\" font-size=\"11\">\n"
                                 "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n", kWidth, kHeight);
  for (double power = first; power <= last; ++power) {
    const double at = y(std::pow(10, power));
    text += fmt::format("<path d=\"M{0} {1:.1f}H{2}\" stroke=\"#ddd\"/><text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:.0f}</text>\n", kLeft, at, kWidth - 20, kLeft - 5,
                        at + 4, std::pow(10, power));
  }
  for (const bool compiled : {false, true}) {
    std::string line;
    for (const Point& p : sweep.points) line += fmt::format("{}{:.1f} {:.1f}", line.empty() ? "M" : "L", x(p), y(compiled ? p.compiled : p.interpreted));
    text += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n", line, compiled ? "#07c" : "#c50");
  }
  for (const Point& p : sweep.points) {
    text += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x(p), kHeight - kBottom + 15, sweep.name == "triggers" ? p.whens : value(p));
  }
  return text + fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{} (playouts a second: blue compiled, red interpreted)</text>\n</svg>\n", kWidth / 2, kHeight - 6, sweep.name);
}

std::string table(const std::vector<Sweep>& all) {
  std::string text = "| what grows | cards | players | triggers | bytes a state | interpreted, playouts/s | compiled, playouts/s | |\n|---|---|---|---|---|---|---|---|\n";
  for (const Sweep& sweep : all) {
    for (const Point& p : sweep.points) {
      text += fmt::format("| {} | {} | {} | {} | {} | {:.0f} | {:.0f} | {:.1f} x |\n", sweep.name, p.cards, p.players, p.whens, p.bytes, p.interpreted, p.compiled,
                          p.compiled / p.interpreted);
    }
  }
  return text;
}

}  // namespace rip::bench
