#include "verify/transcript.h"

#include "base/text.h"
#include "verify/position.h"

#include <fmt/format.h>

#include <algorithm>

namespace rip::verify {

namespace {

/// A pile of a hundred cards would bury what has changed.
std::string shortened(const std::string& text) {
  constexpr std::size_t kMost = 160;
  if (text.size() <= kMost) return text;
  std::size_t cut = text.find("> ", kMost - 20);
  if (cut == std::string::npos || text.size() - cut < 8) return text;
  return text.substr(0, cut + 1) + (text.back() == '}' ? " ...}" : " ...");
}

void changed_lines(const std::vector<View::Line>& before, const std::vector<View::Line>& after, std::vector<std::string>& out) {
  for (const View::Line& line : after) {
    const auto old = std::find_if(before.begin(), before.end(), [&](const View::Line& l) { return l.name == line.name; });
    if (old != before.end() && old->text == line.text) continue;
    out.push_back(fmt::format("{}: {}", line.name, line.text.empty() ? "empty" : shortened(line.text)));
  }
}

/// Writes lines while a game is played again.
class Writer {
 public:
  Writer(const Playable& playable, const TranscriptOptions& options, const Sources* sources)
      : options_(options), sources_(sources), book_(playable.players()), sitting_(playable, &book_) {}

  std::vector<std::string> write(const Tape& tape) {
    sitting_.begin();
    const bool setup_decides = !tape.empty() && !tape.front().chance();
    if (!setup_decides && options_.seat == kAllSeeing) note_phase();
    flush_logs();
    view_ = sitting_.machine.view(sitting_.state, options_.seat);
    std::size_t number = 0;
    for (const Step& step : tape) {
      ++number;
      if (!sitting_.waits()) break;
      if (options_.last != 0 && tape.size() - number >= options_.last) {
        if (number == 1) lines_.push_back(fmt::format("  ... {} steps before", tape.size() - options_.last));
        take(step);
        view_ = sitting_.machine.view(sitting_.state, options_.seat);
        book_.clear();
        continue;
      }
      if (options_.seat == kAllSeeing) write_all(step, number);
      else write_for_seat(step);
    }
    close_chance();
    for (std::string& line : ending(sitting_, sources_)) lines_.push_back(std::move(line));
    return std::move(lines_);
  }

 private:
  void take(const Step& step) {
    if (step.chance()) sitting_.settle(step.index);
    else sitting_.decide(step.seat, step.index);
  }

  void note_phase() {
    std::string phase = joined(running_phases(*sitting_.playable.program, sitting_.state), " > ");
    if (phase.empty() || phase == phase_) return;
    phase_ = std::move(phase);
    close_chance();
    lines_.push_back(fmt::format("-- {}", phase_));
  }

  void add_chance(std::string text) {
    if (add_draw(chance_, text)) return;
    close_chance();
    chance_ = std::move(text);
  }
  void close_chance() {
    if (!chance_.empty()) lines_.push_back(fmt::format("  chance: {}", chance_));
    chance_.clear();
  }

  void write_all(const Step& step, std::size_t number) {
    note_phase();
    if (step.chance()) {
      std::vector<Outcome> outcomes;
      sitting_.machine.outcomes(sitting_.state, outcomes);
      if (step.index < outcomes.size()) add_chance(outcomes[step.index].text);
    } else {
      close_chance();
      lines_.push_back(fmt::format("{:>4}  {}", number, step_text(sitting_, step, kAllSeeing)));
    }
    take(step);
    if (!options_.table || sitting_.status == Status::chance) return;
    // what chance and the rules have done shows where the game next waits
    View now = sitting_.machine.view(sitting_.state, kAllSeeing);
    const std::vector<std::string> changed = changes(view_, now);
    if (!changed.empty()) close_chance();
    for (const std::string& line : changed) lines_.push_back("        " + line);
    view_ = std::move(now);
  }

  void write_for_seat(const Step& step) {
    if (step.seat == options_.seat) lines_.push_back(step_text(sitting_, step, options_.seat));
    take(step);
    flush_logs();
  }

  void flush_logs() {
    if (options_.seat != kAllSeeing) {
      const auto seat = options_.seat == kSpectator ? book_.lines.size() - 1 : static_cast<std::size_t>(options_.seat);
      for (const LogLine& line : book_.lines[seat]) lines_.push_back("  " + line.text);
    }
    book_.clear();
  }

  TranscriptOptions options_;
  const Sources* sources_;
  LogBook book_;
  Sitting sitting_;
  View view_;
  std::string phase_, chance_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> changes(const View& before, const View& after) {
  std::vector<std::string> out;
  changed_lines(before.zones, after.zones, out);
  changed_lines(before.vars, after.vars, out);
  return out;
}

bool add_draw(std::string& line, const std::string& text) {
  constexpr std::string_view kYields = " yields ";
  const std::size_t at = text.find(kYields);
  if (at == std::string::npos || line.compare(0, at + kYields.size(), text, 0, at + kYields.size()) != 0) return false;
  line += ", " + text.substr(at + kYields.size());
  return true;
}

std::string step_text(Sitting& sitting, const Step& step, int seat) {
  if (step.chance()) {
    std::vector<Outcome> outcomes;
    sitting.machine.outcomes(sitting.state, outcomes);
    return step.index < outcomes.size() ? "chance: " + outcomes[step.index].text : "chance";
  }
  Move move;
  if (!sitting.machine.nth_move(sitting.state, step.seat, step.index, move)) return sitting.playable.seat(step.seat) + ": ?";
  const std::string text = seat < 0 ? sitting.machine.text(move) : sitting.machine.text_for(sitting.state, move, seat);
  return fmt::format("{}: {}", sitting.playable.seat(step.seat), text);
}

std::vector<std::string> ending(Sitting& sitting, const Sources* sources) {
  std::vector<std::string> out;
  sitting.find_stuck();
  if (sitting.status == Status::fault) {
    const Fault fault = sitting.machine.fault(sitting.state);
    out.push_back(fmt::format("the rules go wrong: {}{}", sources != nullptr ? sources->where(fault.span) + ": " : "", fault.message));
  } else if (sitting.status == Status::over) {
    const Result result = sitting.machine.result(sitting.state);
    std::string line = "the game is over";
    std::vector<std::string> parts;
    for (std::size_t seat = 0; seat < result.scores.size(); ++seat) {
      parts.push_back(fmt::format("{} {}", sitting.playable.seat(static_cast<int>(seat)), result.scores[seat]));
    }
    if (!parts.empty()) line += "; scores: " + joined(parts, ", ");
    parts = seats_in(*sitting.playable.program, result.winners);
    out.push_back(line + (parts.empty() ? "; nobody wins" : fmt::format("; {} {}", joined(parts, " and "), parts.size() == 1 ? "wins" : "win")));
  }
  return out;
}

std::vector<std::string> transcript(const Playable& playable, const Tape& tape, const TranscriptOptions& options, const Sources* sources) {
  return Writer(playable, options, sources).write(tape);
}

}  // namespace rip::verify
