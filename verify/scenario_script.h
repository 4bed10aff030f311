// A scenario made ready: its configuration lowered, its expressions, phrases and patterns worked out. Used by verify/scenario*.
#pragma once

#include "verify/pattern.h"
#include "verify/reading.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rip::verify {

struct CardsWanted {
  struct Item {
    std::int64_t count = 1;
    std::optional<PhraseTest> phrase;  ///< none: any
    Span span;
  };
  ZoneRef zone;
  std::vector<Item> items;
};
/// `given Z: cards` or `given v == E`.
struct GivenScript {
  bool cards = false;
  CardsWanted wanted;
  VarRef var;
  ir::Node value = ir::kNoNode;
  bool many = false;     ///< the value is a list over the family
  bool set = false;      ///< the variable is a set
  bool picks_pass = false;  ///< the name of a phase header: it picks the pass
  Span span;
};

struct StepScript {
  enum class Kind { given, start, next_roll, next_cards, expect, swapping, does, can, knows, has, worlds } kind = Kind::expect;
  Span span;
  GivenScript given;
  bool with_given = false;      ///< swapping
  int seat = -1;
  MoveTest move;
  bool positive = true;         ///< can, knows, looks the same
  std::int64_t count = 0;
  std::vector<std::int64_t> faces;
  CardsWanted next;
  Reading reading;
  std::optional<std::pair<std::int64_t, std::int64_t>> chance;  ///< expect: how likely, exactly
  bool on_average = false;                                      ///< expect: the two parts of `reading` have equal means
  Knowable knowable;
  std::vector<int> to;
};

struct ScenarioScript {
  std::unique_ptr<Playable> playable;
  std::vector<StepScript> steps;
  std::optional<std::size_t> start;  ///< number of the `start` step
  ir::Pc entry = 0;
  ir::Program alone;                 ///< with `start do PHASE()`: the program that ends there
  const ir::Program* program = nullptr;
  bool tests_claims = false;         ///< neither `given` nor `start`
  bool counts_worlds = false;        ///< some seat `has N worlds`
  bool weighs = false;               ///< some `expect` asks for an exact chance
  std::uint32_t watchers = 0;        ///< seats of `swapping given ...`: what is laid comes from where they do not look
  std::string error;                 ///< why it cannot be run
  Span error_span;
};
ScenarioScript compile_scenario(std::shared_ptr<const rules::Rules> rules, const rules::Scenario& scenario);

}  // namespace rip::verify
