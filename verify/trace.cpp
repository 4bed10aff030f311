#include "verify/trace.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

namespace rip::verify {

using Json = nlohmann::ordered_json;

namespace {

/// `play(<money 5>, [1, 2])` into `play` and its arguments.
std::pair<std::string, std::vector<std::string>> split_call(const std::string& text) {
  const std::size_t open = text.find('(');
  if (open == std::string::npos || text.back() != ')') return {text, {}};
  std::vector<std::string> args;
  int depth = 0;
  std::string arg;
  for (std::size_t i = open + 1; i + 1 < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == ',' && depth == 0) {
      args.push_back(arg);
      arg.clear();
      if (i + 2 < text.size() && text[i + 1] == ' ') ++i;
      continue;
    }
    arg += c;
  }
  if (!arg.empty() || !args.empty()) args.push_back(arg);
  return {text.substr(0, open), args};
}

std::string join_call(const std::string& name, const std::vector<std::string>& args, bool call) {
  if (!call) return name;
  std::string out = name + "(";
  for (std::size_t i = 0; i < args.size(); ++i) out += (i == 0 ? "" : ", ") + args[i];
  return out + ")";
}

Json header_json(const Playable& playable, const TraceOrigin& origin) {
  const rules::Rules& rules = *playable.rules;
  Json params = Json::object();
  for (const auto& [name, value] : params_of(rules, playable.config)) params[name] = value;
  Json header = {{"ripdsl", 1},           {"file", origin.file},          {"game", rules.title}, {"variant", rules.variant},
                 {"players", playable.players()}, {"params", std::move(params)}, {"seed", origin.seed}};
  if (!origin.property.empty()) header["property"] = origin.property;
  return header;
}

Json end_json(Sitting& sitting) {
  Json end;
  const Result result = sitting.status == Status::over ? sitting.machine.result(sitting.state) : Result{};
  end["end"] = sitting.status == Status::over ? "over" : sitting.status == Status::fault ? "fault" : "open";
  end["scores"] = result.scores;
  Json winners = Json::array();
  for (int seat = 0; seat < sitting.playable.players(); ++seat) {
    if ((result.winners >> seat & 1u) != 0) winners.push_back(seat);
  }
  end["winners"] = std::move(winners);
  end["hash"] = fmt::format("{:016x}", sitting.machine.hash(sitting.state));
  if (sitting.status == Status::fault) end["fault"] = sitting.machine.fault(sitting.state).message;
  return end;
}

std::string read_header(const Json& line, Trace& trace) {
  if (!line.contains("ripdsl") || line["ripdsl"] != 1) return "this is no trace of version 1";
  trace.file = line.value("file", "");
  trace.game = line.value("game", "");
  trace.variant = line.value("variant", "");
  trace.players = line.value("players", 0);
  trace.seed = line.value("seed", std::uint64_t{0});
  trace.property = line.value("property", "");
  const Json params = line.value("params", Json::object());
  for (const auto& [name, value] : params.items()) {
    trace.settings.push_back(name + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
  }
  return "";
}

void read_step(const Json& line, Trace& trace) {
  TraceStep step;
  step.index = line.value("index", 0u);
  step.of = line.value("of", 1u);
  if (line.contains("chance")) {
    step.text = line["chance"].get<std::string>();
  } else {
    step.seat = line.at("seat").get<std::int32_t>();
    const bool call = line.contains("args") && !line["args"].empty();
    step.text = join_call(line.at("move").get<std::string>(), call ? line["args"].get<std::vector<std::string>>() : std::vector<std::string>{}, call);
  }
  trace.steps.push_back(std::move(step));
}

/// The index of the text, the recorded one if that fits.
template <class Text>
std::optional<std::uint32_t> find_text(std::uint64_t count, const TraceStep& step, Text text) {
  if (step.index < count && text(step.index) == step.text) return step.index;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (text(i) == step.text) return i;
  }
  return std::nullopt;
}

}  // namespace

std::string trace_text(const Playable& playable, const Tape& tape, const TraceOrigin& origin) {
  std::string out = header_json(playable, origin).dump() + "\n";
  Sitting sitting(playable);
  sitting.begin();
  std::size_t n = 0;
  for (const Step& step : tape) {
    if (!sitting.waits()) break;
    Json line;
    line["n"] = ++n;
    if (step.chance()) {
      std::vector<Outcome> outcomes;
      sitting.machine.outcomes(sitting.state, outcomes);
      line["chance"] = step.index < outcomes.size() ? outcomes[step.index].text : "";
    } else {
      line["seat"] = step.seat;
      auto [name, args] = split_call(sitting.machine.text(step.move));
      line["move"] = name;
      line["args"] = args;
    }
    line["index"] = step.index;
    line["of"] = step.of;
    out += line.dump() + "\n";
    if (step.chance()) sitting.settle(step.index);
    else sitting.decide(step.seat, step.index);
  }
  return out + end_json(sitting).dump() + "\n";
}

std::string write_file(const std::string& path, const std::string& text) {
  std::error_code fault;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, fault);
  if (fault) return fault.message();
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  return file ? "" : std::strerror(errno);
}

ReadTrace parse_trace(const std::string& text) {
  ReadTrace out;
  std::istringstream lines(text);
  std::string line;
  std::size_t number = 0;
  while (std::getline(lines, line)) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      const Json json = Json::parse(line);
      if (number == 1) {
        out.error = read_header(json, out.trace);
      } else if (json.contains("end")) {
        out.trace.end = json["end"].get<std::string>();
        out.trace.hash = json.value("hash", "");
      } else {
        read_step(json, out.trace);
      }
    } catch (const Json::exception&) {
      out.error = "this is no line of a trace";
    }
    if (!out.error.empty()) {
      out.error = fmt::format("line {}: {}", number, out.error);
      return out;
    }
  }
  if (number == 0) out.error = "the trace is empty";
  return out;
}

ReadTrace read_trace(const std::string& path) {
  const ReadResult read = read_file(path);
  if (!read.error.empty()) return {{}, read.error};
  return parse_trace(read.text);
}

Fit replay(Sitting& sitting, const Trace& trace) {
  Fit fit;
  for (const TraceStep& step : trace.steps) {
    const std::size_t number = fit.steps + 1;
    if (!sitting.waits()) {
      fit.misfit = fmt::format("step {}: the game has ended before `{}`", number, step.text);
      return fit;
    }
    if (sitting.status == Status::chance) {
      std::vector<Outcome> outcomes;
      sitting.machine.outcomes(sitting.state, outcomes);
      const auto index = step.seat < 0 ? find_text(outcomes.size(), step, [&](std::uint32_t i) { return outcomes[i].text; }) : std::nullopt;
      if (!index) {
        fit.misfit = fmt::format("step {}: `{}` does not fit; chance decides here, for instance `{}`", number, step.text,
                                 outcomes.empty() ? "" : outcomes.front().text);
        return fit;
      }
      sitting.settle(*index);
    } else {
      const std::uint32_t deciding = sitting.machine.deciding(sitting.state);
      const int asked = sitting.machine.to_move(sitting.state);
      if (step.seat < 0 || step.seat >= sitting.playable.players() || (deciding >> step.seat & 1u) == 0) {
        fit.misfit = fmt::format("step {}: `{}` does not fit; {} has to decide here", number, step.text, sitting.playable.seat(asked));
        return fit;
      }
      const auto index = find_text(sitting.machine.count_moves(sitting.state, step.seat), step, [&](std::uint32_t i) {
        Move move;
        return sitting.machine.nth_move(sitting.state, step.seat, i, move) ? sitting.machine.text(move) : "";
      });
      if (!index) {
        fit.misfit = fmt::format("step {}: {} can no longer `{}`", number, sitting.playable.seat(step.seat), step.text);
        return fit;
      }
      sitting.decide(step.seat, *index);
    }
    ++fit.steps;
  }
  return fit;
}

}  // namespace rip::verify
