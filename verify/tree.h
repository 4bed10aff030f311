// The whole game tree of a small game, node by node: how many histories there are, what each seat can tell apart, what
// uniformly random play is worth. Exact. A history is what came from outside so far: chance and decisions, each as one step.
// Flow: Playable -> walk_tree -> GameTree -> cli/tree.
#pragma once

#include "verify/properties.h"
#include "verify/twins.h"

#include <gmpxx.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace rip::verify {

struct TreeOptions {
  double seconds = 60;
  std::uint64_t histories = ~std::uint64_t{0};
  std::uint64_t memory = std::uint64_t{2} << 30;     ///< bytes
  bool leaks = false;                                ///< looks for them, and stops at the first
  std::function<void(const std::string&)> progress;  ///< a line that replaces the one before
};

/// Counted as in OpenSpiel: all nodes with the root, chance and ends. Of simultaneous choices the seats decide one after the
/// other, unseen. A decision with one option is one; chance with one outcome is none, since the rules go on by themselves.
struct GameTree {
  enum class Ended { complete, endless, leak, time, histories, memory, options, fault } ended = Ended::complete;
  std::uint64_t histories = 0, terminal = 0, chance = 0, decision = 0;
  std::uint64_t states = 0;                        ///< nodes that differ for the rules
  std::uint64_t depth = 0;                         ///< steps of the longest history
  std::vector<std::uint64_t> information_sets;     ///< by seat, of those at which it decides
  /// What each seat can expect if every option is as likely as any other: its score, or its share of the win if the script
  /// has no score. Only if complete.
  std::vector<mpq_class> value;
  bool by_score = false;
  /// Two histories in which a seat has been told the same by those who may tell it, but in which something else differs that it
  /// notices: what others decide openly, what chance does before all eyes, what is shown or comes to be seen is being told.
  std::optional<Leak> leak;
  bool takes_for_granted = false;                  ///< what came inside of some bodies was taken for what their decision tells
  std::optional<Failure> failure;                  ///< a rule went wrong
  Tape tape;                                       ///< the game in which it did, or that came back to where it was
  std::size_t round = 0;                           ///< if endless: its last steps, which can be taken again and again
  double seconds = 0;

  bool complete() const { return ended == Ended::complete; }
};
GameTree walk_tree(const Playable& playable, const TreeOptions& options);

/// `1/8`, `-3`.
std::string text_of(const mpq_class& value);

}  // namespace rip::verify
