#include "verify/oracle.h"

#include "interp/reference/reference.h"
#include "verify/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

namespace rip::verify {

namespace {

/// Breaks a game off: the tape has ended, or it cannot be followed.
struct Stop {
  bool comparable = true;
  std::string apart;
};

/// The second evaluator calls seats `player 1`.
std::string with_seats(std::string text, const std::vector<std::string>& seats) {
  for (std::size_t seat = seats.size(); seat-- > 0;) {
    const std::string plain = fmt::format("player {}]", seat + 1), listed = fmt::format("player {},", seat + 1);
    for (const std::string& name : {plain, listed}) {
      for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) text.replace(at, name.size() - 1, seats[seat]);
    }
  }
  return text;
}

std::string first_line_apart(const std::string& a, const std::string& b) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()) && a[i] == b[i]; ++i) {
    if (a[i] == '\n') begin = i + 1;
  }
  const auto line = [&](const std::string& text) { return begin < text.size() ? text.substr(begin, text.find('\n', begin) - begin) : std::string("(nothing)"); };
  return fmt::format("`{}` or `{}`", line(a), line(b));
}

class TapeOracle : public reference::Oracle {
 public:
  TapeOracle(const Playable& playable, const Tape& tape) : playable_(playable), tape_(tape), sitting_(playable) { sitting_.begin(); }

  std::size_t decide(int seat, const std::vector<reference::Move>& moves, const std::string& digest) override {
    if (at_ == tape_.size()) throw Stop{};
    const Step& step = tape_[at_];
    if (step.chance() || sitting_.status != Status::decision) throw Stop{true, fmt::format("step {}: a decision here, chance there", at_ + 1)};
    if (step.seat != seat) throw Stop{true, fmt::format("step {}: {} or {} decides", at_ + 1, playable_.seat(step.seat), playable_.seat(seat))};
    const std::string mine = sitting_.machine.digest(sitting_.state);
    const std::string theirs = with_seats(digest, playable_.program->seats);
    if (mine != theirs) throw Stop{true, fmt::format("step {}: {}", at_ + 1, first_line_apart(mine, theirs))};
    if (moves.size() != step.of) throw Stop{true, fmt::format("step {}: {} or {} options", at_ + 1, step.of, moves.size())};
    for (std::size_t i = 0; i < moves.size(); ++i) {
      if (!same(step.move, moves[i])) continue;
      if (i != step.index) throw Stop{true, fmt::format("step {}: `{}` is option {} or {}", at_ + 1, sitting_.machine.text(step.move), step.index, i)};
      sitting_.decide(seat, step.index);
      ++at_;
      return i;
    }
    throw Stop{true, fmt::format("step {}: `{}` is not offered", at_ + 1, sitting_.machine.text(step.move))};
  }

  std::size_t draw(const reference::Chance& chance) override {
    if (chance.kind == reference::ChanceKind::which || chance.kind == reference::ChanceKind::order) throw Stop{false, ""};
    if (at_ == tape_.size()) throw Stop{};
    const Step& step = tape_[at_];
    if (!step.chance()) throw Stop{true, fmt::format("step {}: chance ({}) there, a decision here", at_ + 1, reference::name(chance.kind))};
    for (std::size_t i = 0; i < chance.outcomes.size(); ++i) {
      const std::int64_t value = chance.outcomes[i].value;
      const bool component = chance.kind == reference::ChanceKind::settle;
      if (value != step.value && !(component && playable_.box.equal(static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(step.value)))) continue;
      if (chance.outcomes.size() != step.of) throw Stop{true, fmt::format("step {}: {} or {} outcomes", at_ + 1, step.of, chance.outcomes.size())};
      sitting_.settle(step.index);
      ++at_;
      return i;
    }
    throw Stop{true, fmt::format("step {}: chance ({}) cannot have this outcome there", at_ + 1, reference::name(chance.kind))};
  }

  Sitting& sitting() { return sitting_; }
  bool finished() const { return at_ == tape_.size(); }

 private:
  bool same(const Move& mine, const reference::Move& other) const {
    const ir::Program& program = *playable_.program;
    for (const ir::Choose& choose : program.chooses) {
      if (mine.option < choose.first || mine.option >= choose.first + choose.count) continue;
      if (mine.option - choose.first != static_cast<std::int32_t>(other.option)) return false;
    }
    const std::vector<Argument> args = arguments(program, mine);
    if (args.size() != other.args.size()) return false;
    for (std::size_t i = 0; i < args.size(); ++i) {
      std::vector<std::int64_t> x = args[i].values, y = other.args[i];
      if (args[i].pick && !args[i].in_order) {
        std::sort(x.begin(), x.end());
        std::sort(y.begin(), y.end());
      }
      if (x != y) return false;
    }
    return true;
  }

  const Playable& playable_;
  const Tape& tape_;
  Sitting sitting_;
  std::size_t at_ = 0;
};

/// One evaluator may blame a part, the other the whole of the same sentence.
bool overlap(Span a, Span b) { return a.file == b.file && a.begin < b.end && b.begin < a.end; }

std::string same_end(Sitting& mine, const reference::Result& other) {
  if ((mine.status == Status::over) != (other.ending == reference::Ending::over)) return "only one of them is over";
  if (mine.status == Status::fault) {
    const Span span = mine.machine.fault(mine.state).span;
    return other.fault && !overlap(other.fault->span, span) ? "the fault is in another place" : "";
  }
  if (mine.status == Status::decision && other.fault) {
    // the machine finds out that a seat is stuck when it is asked for its options
    return mine.machine.count_moves(mine.state, mine.machine.to_move(mine.state)) == 0 ? "" : "only one of them is stuck";
  }
  const Result result = mine.machine.result(mine.state);
  if (result.scores != other.scores) return "the scores differ";
  std::uint32_t winners = 0;
  for (const int seat : other.winners) winners |= 1u << seat;
  if (winners != result.winners) return "the winners differ";
  const std::string digest = mine.machine.digest(mine.state);
  const std::string theirs = with_seats(other.digest, mine.playable.program->seats);
  return digest == theirs ? "" : first_line_apart(digest, theirs);
}

}  // namespace

Compared compare_with_oracle(const Playable& playable, const Tape& tape) {
  TapeOracle oracle(playable, tape);
  Compared out;
  try {
    const reference::Result result = reference::play(*playable.rules, playable.box, playable.config, oracle);
    if (!oracle.finished()) {
      out.failure = failure(Property::oracle, "the second evaluator ends the game before");
    } else if (const std::string apart = same_end(oracle.sitting(), result); !apart.empty()) {
      out.failure = failure(Property::oracle, "at the end: " + apart);
    }
  } catch (const Stop& stop) {
    out.comparable = stop.comparable;
    if (!stop.apart.empty()) out.failure = failure(Property::oracle, stop.apart);
  } catch (const std::exception& fault) {
    out.failure = failure(Property::oracle, fmt::format("the second evaluator gives up: {}", fault.what()));
  }
  return out;
}

}  // namespace rip::verify
