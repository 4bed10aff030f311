#include "verify/oracle.h"

#include "interp/reference/reference.h"
#include "verify/pattern.h"
#include "verify/position.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <string_view>

namespace rip::verify {

namespace {

/// Breaks a game off: the tape has ended, or (`apart` says how) the evaluators part.
struct Stop {
  std::string apart;
};

bool is_limit(FaultCode code) { return code == FaultCode::endless || code == FaultCode::too_many || code == FaultCode::not_dealt; }

/// The second evaluator lists all options; where they are too many the comparison ends.
bool too_many(const Step& step) {
  constexpr std::uint32_t kMostListed = 20000;
  return !step.chance() && step.of > kMostListed;
}

/// The second evaluator calls seats `player 1`: as an index, as an owner, or inside of a phrase.
std::string with_seats(const std::string& text, const std::vector<std::string>& seats) {
  static constexpr std::string_view kSeat = "player ";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    if (text.compare(at, kSeat.size(), kSeat) == 0) {
      for (end = at + kSeat.size(); end < text.size() && text[end] >= '0' && text[end] <= '9';) ++end;
    }
    std::size_t number = 0;
    if (end > at) std::from_chars(text.data() + at + kSeat.size(), text.data() + end, number);
    if (number >= 1 && number <= seats.size()) {
      out += seats[number - 1];
      at = end;
    } else {
      out += text[at++];
    }
  }
  return out;
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
  TapeOracle(const Playable& playable, const Tape& tape) : playable_(playable), tape_(tape), sitting_(playable) {
    sitting_.begin();
    stop_if_too_much();
  }

  std::size_t decide(int seat, const std::vector<reference::Move>& moves, const std::string& digest) override {
    if (sitting_.status != Status::decision) part(fmt::format("a decision there, {} here", state_text()));
    if (sitting_.machine.to_move(sitting_.state) != seat) {
      part(fmt::format("{} decides there, {} here", playable_.seat(seat), playable_.seat(sitting_.machine.to_move(sitting_.state))));
    }
    const std::string mine = sitting_.machine.digest(sitting_.state);
    const std::string theirs = with_seats(digest, playable_.program->seats);
    if (mine != theirs) part(first_line_apart(mine, theirs));
    sitting_.machine.legal_moves(sitting_.state, seat, moves_);
    if (moves_.size() != moves.size()) part(fmt::format("{} options here, {} there", moves_.size(), moves.size()));
    for (std::size_t i = 0; i < moves.size(); ++i) {
      if (!same(moves_[i], moves[i])) part(fmt::format("option {} is `{}` here, `{}` there", i, sitting_.machine.text(moves_[i]), moves[i].name));
    }
    const Step& step = next();
    if (step.chance()) part("the tape has chance where both evaluators decide");
    sitting_.decide(seat, step.index);
    stop_if_too_much();
    return step.index;
  }

  std::size_t draw(const reference::Chance& chance) override {
    const std::string kind = reference::name(chance.kind);
    if (sitting_.status != Status::chance) part(fmt::format("chance ({}) there, {} here", kind, state_text()));
    if (!is_kind(chance.kind, chance_what(sitting_.state))) part(fmt::format("chance of another kind than {}", kind));
    sitting_.machine.outcomes(sitting_.state, outcomes_);
    if (outcomes_.size() != chance.outcomes.size()) {
      part(fmt::format("{} outcomes here, {} there ({})", outcomes_.size(), chance.outcomes.size(), kind));
    }
    for (std::size_t i = 0; i < outcomes_.size(); ++i) {
      if (outcomes_[i].value == chance.outcomes[i].value && outcomes_[i].weight == chance.outcomes[i].weight) continue;
      part(fmt::format("outcome {} is {} (weight {}) here, {} (weight {}) there ({})", i, outcomes_[i].value, outcomes_[i].weight, chance.outcomes[i].value,
                       chance.outcomes[i].weight, kind));
    }
    const Step& step = next();
    if (!step.chance()) part("the tape has a decision where both evaluators ask chance");
    sitting_.settle(step.index);
    stop_if_too_much();
    return step.index;
  }

  Sitting& sitting() { return sitting_; }
  bool finished() const { return at_ == tape_.size(); }

 private:
  /// The second evaluator would be busy for ever, or would list too many options.
  void stop_if_too_much() const {
    if (sitting_.status == Status::fault && is_limit(sitting_.machine.fault(sitting_.state).code)) throw Stop{};
    if (at_ < tape_.size() && too_many(tape_[at_])) throw Stop{};
  }
  [[noreturn]] void part(const std::string& how) const { throw Stop{fmt::format("step {}: {}", at_ + 1, how)}; }
  const Step& next() {
    if (at_ == tape_.size()) throw Stop{};
    return tape_[at_++];
  }
  std::string state_text() const {
    switch (sitting_.status) {
      case Status::decision: return "a decision";
      case Status::chance: return "chance";
      case Status::over: return "the end";
      case Status::fault: return "a fault";
      case Status::running:
      case Status::checkpoint: break;
    }
    return "nothing";
  }
  static bool is_kind(reference::ChanceKind there, ChanceKind here) {
    switch (there) {
      case reference::ChanceKind::settle: return here == ChanceKind::settle;
      case reference::ChanceKind::order: return here == ChanceKind::order;
      case reference::ChanceKind::roll: return here == ChanceKind::roll;
      case reference::ChanceKind::random: return here == ChanceKind::random;
      case reference::ChanceKind::which: return here == ChanceKind::which;
    }
    return false;
  }

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
  std::vector<Move> moves_;
  std::vector<Outcome> outcomes_;
};

/// The kind of a fault of the second evaluator; `none` if it has no such kind.
FaultCode code_of(reference::FaultKind kind) {
  switch (kind) {
    case reference::FaultKind::none_used: return FaultCode::none_used;
    case reference::FaultKind::out_of_range: return FaultCode::out_of_range;
    case reference::FaultKind::stuck: return FaultCode::stuck;
    case reference::FaultKind::tie: return FaultCode::tie;
    case reference::FaultKind::empty_first: return FaultCode::empty_first;
    case reference::FaultKind::place_full: return FaultCode::place_full;
    case reference::FaultKind::over_max: return FaultCode::over_max;
    case reference::FaultKind::phase_not_running: return FaultCode::phase_not_running;
    case reference::FaultKind::cyclic_triggers: return FaultCode::cyclic_triggers;
    case reference::FaultKind::not_fitting: return FaultCode::not_fitting;
    case reference::FaultKind::no_turn: return FaultCode::no_turn;
    case reference::FaultKind::seat_twice: return FaultCode::seat_twice;
  }
  return FaultCode::none;
}

bool is_within(Span inner, Span outer) { return inner.file == outer.file && inner.begin >= outer.begin && inner.end <= outer.end; }

/// The first lines of a digest: the phases that run, and who acts.
std::string moment_of(const std::string& digest) {
  std::size_t end = digest.find('\n');
  if (digest.compare(end + 1, 3, "me:") == 0) end = digest.find('\n', end + 1);
  return digest.substr(0, end);
}

/// The kind of fault, its place (one evaluator may blame an operand, the other the whole that it belongs to) and the moment.
/// What an effect had done before it went wrong means nothing.
std::string same_fault(Sitting& mine, const reference::Result& other) {
  const Fault fault = mine.machine.fault(mine.state);
  if (is_limit(fault.code)) return "";
  if (!other.fault) return fmt::format("only the machine goes wrong: {}", fault.message);
  if (code_of(other.fault->kind) != fault.code) return fmt::format("the faults differ: {} here, {} there", fault.message, reference::name(other.fault->kind));
  if (!is_within(fault.span, other.fault->span) && !is_within(other.fault->span, fault.span)) return "the fault is in another place";
  const std::string moment = moment_of(mine.machine.digest(mine.state));
  return moment == other.fault->moment ? "" : first_line_apart(moment, other.fault->moment);
}

std::string same_end(Sitting& mine, const reference::Result& other) {
  mine.find_stuck();
  if (mine.status == Status::fault) return same_fault(mine, other);
  if (mine.status != Status::over || other.ending != reference::Ending::over) {
    return other.fault ? fmt::format("only the second evaluator goes wrong: {}", other.fault->message) : "only one of them is over";
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

std::optional<Failure> compare_with_oracle(const Playable& playable, const Tape& tape) {
  try {
    TapeOracle oracle(playable, tape);
    const reference::Result result = reference::play(*playable.rules, playable.box, playable.config, oracle);
    if (!oracle.finished()) return failure(Property::oracle, "the second evaluator ends the game before");
    if (const std::string apart = same_end(oracle.sitting(), result); !apart.empty()) return failure(Property::oracle, "at the end: " + apart);
  } catch (const Stop& stop) {
    if (!stop.apart.empty()) return failure(Property::oracle, stop.apart);
  } catch (const std::exception& fault) {
    return failure(Property::oracle, fmt::format("the second evaluator gives up: {}", fault.what()));
  }
  return std::nullopt;
}

}  // namespace rip::verify
