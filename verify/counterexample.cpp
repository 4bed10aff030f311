#include "verify/counterexample.h"

#include "verify/leak_flow.h"
#include "verify/oracle.h"
#include "verify/shrink.h"
#include "verify/trace.h"
#include "verify/transcript.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>

namespace rip::verify {

namespace {

namespace fs = std::filesystem;

/// Does the game have another value of a parameter that the `small` sets?
bool varies_settled(const Version& version, const rules::Config& config) {
  const rules::Config usual = default_config(*version.rules, config.players);
  for (std::size_t p = 0; p < usual.params.size(); ++p) {
    const bool settled = std::find(version.settled.begin(), version.settled.end(), version.rules->params[p].name) != version.settled.end();
    if (settled && config.params[p] != usual.params[p]) return true;
  }
  return false;
}

std::string file_part(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!out.empty() && out.back() != '-') out += '-';
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out;
}

std::string file_for(const Loaded& loaded, const Found& found) {
  const Failure& failure = *found.game.failure;
  std::string name = file_part(failure.name).substr(0, 60);
  // faults and leaks of different rules have one name
  if (failure.kind == PropertyKind::range || failure.kind == PropertyKind::leak || failure.kind == PropertyKind::stuck) {
    const auto place = loaded.sources.place(failure.span.file, failure.span.begin);
    name += fmt::format("-line-{}-column-{}", place.line, place.column);
  }
  const std::string variant = found.version->name.empty() ? "" : "-" + file_part(found.version->name).substr(0, 40);
  return (fs::path(failure_folder(loaded.path)) / (fs::path(loaded.path).stem().string() + variant + "-" + name + ".jsonl")).string();
}

std::vector<std::string> two_worlds(const Leak& leak, const Playable& playable) {
  return {fmt::format("to {} both worlds have looked the same so far: {}", playable.seat(leak.seat), leak.swapped),
          fmt::format("then {} differs:", leak.what),
          fmt::format("  here:  {}", leak.here.empty() ? "(nothing)" : leak.here),
          fmt::format("  there: {}", leak.there.empty() ? "(nothing)" : leak.there)};
}

/// The first two numbers of steps after which the game is in the same state, where a seat has to decide.
std::optional<std::pair<std::size_t, std::size_t>> find_loop(const Playable& playable, const Tape& tape) {
  std::map<std::string, std::size_t> seen;  // the states themselves: no hash can mislead
  constexpr std::size_t kMost = 20000;
  Sitting sitting(playable);
  sitting.begin();
  for (const Step& step : tape) {
    if (!sitting.waits() || seen.size() > kMost) break;
    if (step.chance()) sitting.settle(step.index);
    else sitting.decide(step.seat, step.index);
    if (sitting.status != Status::decision) continue;
    const auto [at, fresh] = seen.try_emplace({sitting.state.bytes.begin(), sitting.state.bytes.end()}, sitting.tape.size());
    if (!fresh) return std::pair(at->second, sitting.tape.size());
  }
  return std::nullopt;
}

std::string where_to_look(const Loaded& loaded, const std::string& trace) { return fmt::format("ripdsl repl {} --trace {}", loaded.path, trace); }

}  // namespace

std::string failure_folder(const std::string& script) { return (fs::path(script).parent_path() / ".ripdsl" / "failures").string(); }

Counterexample explain(const Loaded& loaded, Found found, const CheckOptions& options) {
  Counterexample out;
  out.before = found.game.tape.size();
  out.saved_before = !found.saved.empty();
  const bool endless = found.game.failure->key == "ends";
  if (!found.shrunk && !endless) {
    ExamineOptions examine;
    examine.thorough = found.thorough;
    examine.leaks = found.game.failure->kind == PropertyKind::leak;
    examine.only = found.game.failure->key;
    ShrinkOptions how;
    how.seconds = options.shrink_seconds;
    how.other_configurations = options.players == 0 && options.settings.empty() && !examine.leaks;
    how.settled = found.version->settled;
    Shrunk shrunk = shrink(found.version->rules, found.config, found.game, examine, how);
    found.config = shrunk.config;
    found.playable = shrunk.playable;
    found.game = std::move(shrunk.game);
  }
  const Playable& playable = *found.playable;
  out.detail = found.game.failure->detail;
  if (endless) {
    if (const auto loop = find_loop(playable, found.game.tape)) {
      found.game.tape.resize(loop->second);
      out.worlds.push_back(fmt::format("after step {} everything is as it was after step {}: this can go on for ever", loop->second, loop->first));
    }
  }
  out.settings = settings_of(*playable.rules, found.config);
  out.players = found.config.players;
  out.steps = found.game.tape.size();
  TranscriptOptions telling;
  telling.last = 60;
  out.transcript = transcript(playable, found.game.tape, telling, &loaded.sources);
  if (found.game.leak) {
    out.worlds = two_worlds(*found.game.leak, playable);
    out.revealed = revealed_by(*found.game.leak, flows_of(*playable.rules), playable);
  }
  if (found.game.failure->kind != PropertyKind::leak && found.game.failure->key != "oracle") {
    // the script is blamed only for what the second evaluator sees too
    const std::optional<Failure> apart = compare_with_oracle(playable, found.game.tape);
    if (apart && out.steps < 3000) out.worlds.push_back("internal error, please report it: " + apart->detail);
  }
  if (options.save_failures && out.steps < 100000) {
    const std::string path = file_for(loaded, found);
    const TraceOrigin origin{loaded.path, found.seed, found.game.failure->name};
    if (write_file(path, trace_text(playable, found.game.tape, origin)).empty()) {
      out.trace = path;
      out.command = where_to_look(loaded, path);
    }
  }
  return out;
}

std::vector<Found> saved_failures(const Loaded& loaded, const CheckOptions& options) {
  std::vector<std::string> paths;
  std::error_code fault;
  const std::string stem = fs::path(loaded.path).stem().string() + "-";
  for (fs::directory_iterator it(failure_folder(loaded.path), fault), end; !fault && it != end; it.increment(fault)) {
    if (it->path().extension() == ".jsonl" && it->path().filename().string().starts_with(stem)) paths.push_back(it->path().string());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Found> out;
  for (const std::string& path : paths) {
    const ReadTrace read = read_trace(path);
    if (!read.error.empty()) continue;
    const Version* version = loaded.find(read.trace.variant);
    if (version == nullptr || version->rules == nullptr || (options.variant && *options.variant != version->name)) continue;
    const Configured wish = configure(*version->rules, read.trace.players, read.trace.settings);
    if (!wish.error.empty() || (options.players != 0 && wish.config.players != options.players)) continue;
    if (varies_settled(*version, wish.config)) continue;
    Found found;
    found.version = version;
    found.config = wish.config;
    LowerOptions lower;
    lower.claims = true;
    found.playable = prepare(version->rules, wish.config, lower);
    if (!found.playable->error.empty()) continue;
    Sitting sitting(*found.playable);
    sitting.begin();
    replay(sitting, read.trace);
    // second worlds are sampled, so a leak that was found once is looked for some times
    const bool leaked = read.trace.property == info(Property::leaks).name;
    const std::uint64_t attempts = leaked && options.do_leaks ? 80 : 2;
    for (std::uint64_t attempt = 0; attempt < attempts && !found.game.failure; ++attempt) {
      ExamineOptions examine;
      examine.seed = options.seed + attempt;
      examine.thorough = attempt > 0;
      examine.leaks = examine.thorough && options.do_leaks;
      found.game = examine_tape(*found.playable, sitting.tape, examine);
      found.thorough = examine.thorough;
    }
    if (!found.game.failure && read.trace.property == info(Property::ends).name && find_loop(*found.playable, sitting.tape)) {
      found.game.failure = failure(Property::ends, "a game comes back to where it has been");
    }
    if (!found.game.failure) continue;
    found.seed = read.trace.seed;
    found.saved = path;
    out.push_back(std::move(found));
  }
  return out;
}

}  // namespace rip::verify
