// A playout allocates nothing: every `new` of this program is counted while games are played.
#include <catch2/catch.hpp>

#include "interp/run/playout.h"
#include "verify/game.h"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <new>

namespace {
std::atomic<std::uint64_t> allocations{0};
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* room = std::malloc(size == 0 ? 1 : size)) return room;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* room, const std::nothrow_t&) noexcept { std::free(room); }
void operator delete(void* room) noexcept { std::free(room); }
void operator delete(void* room, std::size_t) noexcept { std::free(room); }

using namespace rip;

namespace {

void play(Machine& machine, State& state, std::uint64_t game) {
  Rng rng = Rng::for_game(1, game);
  play_out(machine, state, rng);
}

}  // namespace

TEST_CASE("a playout allocates nothing", "[engine]") {
  namespace fs = std::filesystem;
  for (const auto& entry : fs::directory_iterator(fs::path(RIP_SOURCE_DIR) / "games")) {
    if (entry.path().extension() != ".rip") continue;
    const auto loaded = verify::load(entry.path().string());
    REQUIRE(loaded->versions.at(0)->rules != nullptr);
    const auto wish = verify::configure(*loaded->versions[0]->rules, 0, {});
    const auto playable = verify::prepare(loaded->versions[0]->rules, wish.config);
    REQUIRE(playable->error.empty());
    Machine machine(*playable->program);
    State state;
    play(machine, state, 0);  // makes the buffers
    const std::uint64_t before = allocations;
    for (std::uint64_t game = 1; game <= 20; ++game) play(machine, state, game);
    const std::uint64_t after = allocations;
    INFO(entry.path().string());
    CHECK(after - before == 0);
  }
}
