// `ripdsl tree`: the exact game tree of a small game.
#include "cli/command.h"

#include "base/text.h"
#include "verify/report.h"
#include "verify/transcript.h"
#include "verify/tree.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <numeric>

namespace rip::cli {

namespace {

using Json = nlohmann::ordered_json;
using verify::GameTree;

struct Options {
  GameOptions game;
  std::string time = "60s", memory = "2G";
  bool leaks = false, json = false;
};

std::string json_text(const verify::Playable& playable, const GameTree& tree) {
  Json value = Json::array();
  for (const mpq_class& v : tree.value) value.push_back(verify::text_of(v));
  Json out = {{"game", playable.rules->title},
              {"variant", playable.rules->variant},
              {"players", playable.players()},
              {"params", params_json(playable)},
              {"complete", tree.complete()},
              {"histories", tree.histories},
              {"terminal", tree.terminal},
              {"chance", tree.chance},
              {"decision", tree.decision},
              {"depth", tree.depth},
              {"information_sets", tree.information_sets},
              {"value", std::move(value)},
              {"value_of", tree.by_score ? "score" : "win"},
              {"states", tree.states},
              {"seconds", tree.seconds}};
  return out.dump(1) + "\n";
}

void print_text(const verify::Playable& playable, const GameTree& tree) {
  fmt::print("{}, {} players{}\n\n", playable.rules->title, playable.players(), tree.complete() ? "" : ", as far as it was walked");
  const auto row = [](const char* what, std::uint64_t n, const char* note) { fmt::print("  {:<18} {:>15}   {}\n", what, with_commas(n), note); };
  row("histories", tree.histories, "nodes of the tree: the root, chance, decisions and ends");
  row("terminal", tree.terminal, "ends");
  row("chance", tree.chance, "");
  row("decision", tree.decision, "forced ones too");
  row("states", tree.states, "that differ for the rules");
  row("depth", tree.depth, "steps of the longest game");
  const std::uint64_t all = std::accumulate(tree.information_sets.begin(), tree.information_sets.end(), std::uint64_t{0});
  row("information sets", all, "what a seat can tell apart where it decides");
  for (std::size_t seat = 0; seat < tree.information_sets.size(); ++seat) {
    row(("  " + playable.seat(static_cast<int>(seat))).c_str(), tree.information_sets[seat], "");
  }
  if (!tree.complete()) {
    std::fflush(stdout);
    return;
  }
  fmt::print("\n  {} at uniformly random play\n", tree.by_score ? "expected score" : "expected share of the win");
  for (std::size_t seat = 0; seat < tree.value.size(); ++seat) {
    fmt::print("    {:<16} {:>15}   {:.6f}\n", playable.seat(static_cast<int>(seat)), verify::text_of(tree.value[seat]), tree.value[seat].get_d());
  }
}

int walk(const Options& options) {
  verify::TreeOptions how;
  how.seconds = seconds_of(options.time);
  if (how.seconds < 0) return usage(fmt::format("`{}` is no time; write for instance 30s or 2m", options.time));
  how.memory = bytes_of(options.memory);
  if (how.memory == 0) return usage(fmt::format("`{}` is no size; write for instance 500M or 2G", options.memory));
  how.leaks = options.leaks;
  how.progress = progress;
  const Opened opened = open_game(options.game);
  if (opened.exit != kFine) return opened.exit;
  const verify::Playable& playable = *opened.playable;
  const GameTree tree = verify::walk_tree(playable, how);
  progress("");
  if (tree.failure) {
    fmt::print(stderr, "ripdsl: {}: {}\n", tree.failure->name, tree.failure->detail);
    for (const std::string& line : verify::transcript(playable, tree.tape, {}, &opened.loaded->sources)) fmt::print(stderr, "  {}\n", line);
    return kViolated;
  }
  if (options.json) fmt::print("{}", json_text(playable, tree));
  else print_text(playable, tree);
  switch (tree.ended) {
    case GameTree::Ended::leak: {
      const verify::Leak& leak = *tree.leak;
      const verify::Failure failure = verify::failure_of(leak, playable);
      fmt::print(stderr, "ripdsl: {}: {} has been told the same in two games in which {} differs\n  {}\n  here:  {}\n  there: {}\n", failure.name, playable.seat(leak.seat), leak.what,
                 leak.swapped, leak.here, leak.there);
      if (!(leak.span == Span{})) fmt::print(stderr, "{}", verify::excerpt(opened.loaded->sources, leak.span));
      return kViolated;
    }
    case GameTree::Ended::endless: {
      fmt::print(stderr, "ripdsl: this game can go on for ever, so its tree has no end; after {} it comes back to where it was, by\n", plural(tree.tape.size() - tree.round, "step"));
      verify::Sitting sitting(playable);
      sitting.begin();
      for (std::size_t i = 0; i < tree.tape.size(); ++i) {
        if (i + tree.round >= tree.tape.size()) fmt::print(stderr, "  {}\n", verify::step_text(sitting, tree.tape[i], kAllSeeing));
        if (tree.tape[i].chance()) sitting.settle(tree.tape[i].index);
        else sitting.decide(tree.tape[i].seat, tree.tape[i].index);
      }
      return kBudget;
    }
    case GameTree::Ended::time: fmt::print(stderr, "ripdsl: the time was over before the tree was; --time gives more\n"); return kBudget;
    case GameTree::Ended::memory: fmt::print(stderr, "ripdsl: the memory was full before the tree was walked; --memory gives more\n"); return kBudget;
    case GameTree::Ended::options: fmt::print(stderr, "ripdsl: a decision has too many options to follow each\n"); return kBudget;
    case GameTree::Ended::complete: case GameTree::Ended::histories: case GameTree::Ended::fault: break;
  }
  if (tree.takes_for_granted)
    fmt::print(stderr, "ripdsl: what shows while a decision is carried out was taken for what the decision tells; `check` looks whether it is\n");
  return kFine;
}

}  // namespace

void add_tree(Command app, int& exit) {
  auto options = std::make_shared<Options>();
  const Command command = app.add_subcommand("tree", "The game tree of a small game, exactly: histories, information sets, what random play is worth");
  add_file(command, options->game);
  add_configuration(command, options->game);
  command.add_option("--time", options->time, "give up after so long, for instance 30s or 2m").type_name("TIME").default_val("60s");
  command.add_option("--memory", options->memory, "give up beyond so much, for instance 500M").type_name("SIZE").default_val("2G");
  command.add_flag("--leaks", options->leaks, "also compare all histories in which a seat has been told the same: it must notice the same");
  command.add_flag("--json", options->json, "one JSON document on standard output");
  command.footer(R"(A history is what came from outside so far: chance and decisions, one step each. An information set is what one seat has noticed of it
where it decides. Seats that decide at the same moment do so one after the other, unseen; a decision with one option counts.

Example:
  ripdsl tree games/classics/kuhn.rip
  ripdsl tree games/classics/liars_dice.rip --set sides=3 --json)");
  command.callback([options, &exit] { exit = walk(*options); });
}

}  // namespace rip::cli
