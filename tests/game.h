// A script, loaded and ready to be played, for tests that play it themselves.
#pragma once

#include "verify/game.h"

#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <utility>

namespace rip::tests {

struct Game {
  std::unique_ptr<verify::Loaded> loaded;
  std::unique_ptr<verify::Playable> playable;
};

/// Players: 0 as many as usual.
inline Game game(std::unique_ptr<verify::Loaded> loaded, const std::string& variant = "", int players = 0, const LowerOptions& lower = {}) {
  Game out;
  out.loaded = std::move(loaded);
  REQUIRE_FALSE(out.loaded->has_errors());
  const verify::Version* version = out.loaded->find(variant);
  REQUIRE(version != nullptr);
  REQUIRE(version->rules != nullptr);
  const verify::Configured wish = verify::configure(*version->rules, players, {});
  REQUIRE(wish.error == "");
  out.playable = verify::prepare(version->rules, wish.config, lower);
  REQUIRE(out.playable->error == "");
  return out;
}

}  // namespace rip::tests
