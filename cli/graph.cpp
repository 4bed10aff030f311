// `ripdsl graph`: phases, and zones with what moves between them, as a drawing.
#include "cli/command.h"
#include "cli/outline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <unistd.h>

namespace rip::cli {

namespace {

namespace fs = std::filesystem;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

/// Broken into lines at blanks, as HTML.
std::string wrapped(std::string_view text, std::size_t most, const char* line_end = "<br/>") {
  std::string out, line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (!line.empty() && line.size() + 1 + word.size() > most) {
      out += escaped(line) + line_end;
      line.clear();
    }
    line += (line.empty() ? "" : " ") + std::string(word);
    at = end + 1;
  }
  return out + escaped(line);
}

constexpr std::size_t kWide = 38;

class Drawing {
 public:
  Drawing(const Outline& outline, std::string title) : outline_(outline), title_(std::move(title)) {}

  std::string dot() {
    line("digraph game {");
    line("  label=<<b>" + escaped(title_) + "</b>>; labelloc=t; fontname=\"Helvetica\"; fontsize=16");
    line("  compound=true; rankdir=TB; nodesep=0.35; ranksep=0.4");
    line("  node [fontname=\"Helvetica\", fontsize=11, shape=box, style=\"rounded,filled\", fillcolor=\"#f4f1e8\", color=\"#6b6253\"]");
    line("  edge [fontname=\"Helvetica\", fontsize=9, color=\"#6b6253\"]");
    zones();
    phases();
    line("}");
    return std::move(out_);
  }

 private:
  const Outline& outline_;
  std::string title_;
  std::string out_;
  std::vector<std::string> flow_;  ///< edges between phases, written behind all of them
  int clusters_ = 0;

  struct Drawn {
    std::string name;         ///< of the phase
    std::string first, last;  ///< nodes
    std::string cluster;      ///< empty: it is one node
  };
  std::vector<Drawn> drawn_;

  void line(const std::string& text) { out_ += text + "\n"; }

  // ---- zones ----

  void zones() {
    line("  subgraph cluster_zones {");
    line("    label=\"zones\"; color=\"#c9c0ad\"; style=rounded; fontsize=12");
    for (const ZoneOutline& zone : outline_.zones) {
      const bool deck = zone.kind == "deck";
      std::string label = "<b>" + escaped(zone.name) + "</b>" + escaped(zone.index) + "<br/><font point-size=\"9\">" + zone.kind + " of " + escaped(zone.type);
      if (!zone.rest.empty()) label += "<br/>" + wrapped(zone.rest, kWide);
      line(fmt::format("    \"zone {}\" [label=<{}</font>>, fillcolor=\"{}\", style=\"{}\"]", zone.name, label, deck ? "#dfe7d6" : zone.kind == "hand" ? "#e4e0f0" : "#ffffff",
                       deck || zone.kind == "pile" ? "filled,bold" : "filled"));
    }
    for (const Passage& passage : outline_.passages) {
      std::string how;
      for (const std::string& one : passage.how) how += (how.empty() ? "" : ", ") + one;
      line(fmt::format("    \"zone {}\" -> \"zone {}\" [label=<&#160;{}>{}]", passage.from, passage.to, wrapped(how, 24, "<br/>&#160;"), passage.refill ? ", style=dashed, constraint=false" : ""));
    }
    line("  }");
  }

  // ---- phases ----

  /// Centred in a node; at the left edge of the frame around several.
  static std::string label_of(const PhaseOutline& phase, bool frame = false) {
    const char* line_end = frame ? "<br align=\"left\"/>" : "<br/>";
    const std::string name = "<b>" + wrapped(phase.name, kWide, line_end) + "</b>";
    std::string rest;
    auto add = [&](const std::string& words) { rest += line_end + words; };
    if (!phase.loop.empty()) add("<i>" + wrapped(phase.loop, kWide, line_end) + "</i>");
    for (const std::string& moves : phase.moves) add(wrapped(moves, kWide, line_end));
    if (frame) rest += line_end;
    return rest.empty() ? name : name + "<font point-size=\"9\">" + rest + "</font>";
  }

  Drawn draw(const PhaseOutline& phase, const std::string& indent) {
    Drawn made{phase.name, "phase " + phase.name, "phase " + phase.name, ""};
    const auto runs_by_itself = [](const PhaseOutline& inner) { return !inner.called; };
    if (std::none_of(phase.inner.begin(), phase.inner.end(), runs_by_itself)) {
      line(fmt::format("{}\"{}\" [label=<{}>]", indent, made.first, label_of(phase)));
    } else {
      made.cluster = fmt::format("cluster_phase_{}", ++clusters_);
      line(fmt::format("{}subgraph {} {{", indent, made.cluster));
      line(fmt::format("{}  label=<{}>; color=\"#6b6253\"; style=rounded; fontsize=11; labeljust=l; labelloc=t", indent, label_of(phase, true)));
      std::vector<Drawn> inner;
      for (const PhaseOutline& one : phase.inner) {
        if (runs_by_itself(one)) inner.push_back(draw(one, indent + "  "));
      }
      line(indent + "}");
      follow(inner);
      made.first = inner.front().first;
      made.last = inner.back().last;
    }
    drawn_.push_back(made);
    return made;
  }

  static std::string lead(const Drawn& from, const Drawn& to) {
    std::string out;
    if (!from.cluster.empty()) out += fmt::format(" ltail={}", from.cluster);
    if (!to.cluster.empty()) out += fmt::format(" lhead={}", to.cluster);
    return out.empty() ? "" : " [" + out.substr(1) + "]";
  }
  void follow(const std::vector<Drawn>& row) {
    for (std::size_t i = 1; i < row.size(); ++i) flow_.push_back(fmt::format("  \"{}\" -> \"{}\"{}", row[i - 1].last, row[i].first, lead(row[i - 1], row[i])));
  }

  void phases() {
    line("  subgraph cluster_phases {");
    line("    label=\"phases\"; color=\"#c9c0ad\"; style=rounded; fontsize=12");
    std::vector<Drawn> row;
    for (const PhaseOutline& phase : outline_.phases) {
      if (!phase.called) row.push_back(draw(phase, "    "));
    }
    int number = 0;
    std::vector<std::string> triggers;
    for (const PhaseOutline& trigger : outline_.triggers) {
      triggers.push_back(fmt::format("trigger {}", ++number));
      line(fmt::format("    \"{}\" [label=<{}>, shape=note, style=filled]", triggers.back(), label_of(trigger)));
    }
    line("    \"the end\" [label=<<b>the end</b>>, shape=oval, style=filled, fillcolor=\"#f0dcd2\"]");
    row.push_back({"", "the end", "the end", ""});
    follow(row);
    line("  }");
    for (const std::string& edge : flow_) line(edge);
    for (const PhaseOutline& phase : outline_.phases) early_ends(phase, phase.name, row);
    for (std::size_t i = 0; i < triggers.size(); ++i) {
      for (const EndOutline& end : outline_.triggers[i].ends) early_end(triggers[i], end, row);
    }
  }

  /// Dashed: to the end of the game, or to what comes behind the phase that ends; from the side, where no other arrow ends.
  void early_ends(const PhaseOutline& phase, const std::string& top, const std::vector<Drawn>& row) {
    const auto here = std::find_if(drawn_.begin(), drawn_.end(), [&](const Drawn& drawn) { return drawn.name == phase.name; });
    if (here != drawn_.end()) {
      for (const EndOutline& end : phase.ends) {
        if (end.phase != phase.name) early_end(here->last, end, row);
      }
    }
    for (const PhaseOutline& inner : phase.inner) early_ends(inner, top, row);
  }
  void early_end(const std::string& from, const EndOutline& end, const std::vector<Drawn>& row) {
    std::string to = "the end";
    if (!end.phase.empty()) {
      const auto ended = std::find_if(row.begin(), row.end(), [&](const Drawn& drawn) { return drawn.name == end.phase; });
      if (ended == row.end()) return;  // an inner phase: the next one follows anyway
      to = (ended + 1)->first;
    }
    line(fmt::format("  \"{}\" -> \"{}\" [label=<&#160;{}>, style=dashed, color=\"#a5502f\", fontcolor=\"#a5502f\", constraint=false, headport=ne]", from, to, wrapped(end.what, 24, "<br/>&#160;")));
  }
};

// ---- Graphviz -------------------------------------------------------------------------------------------------

bool can_draw() {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (::access((fs::path(rest.substr(0, end)) / "dot").c_str(), X_OK) == 0) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

int draw(const std::string& dot) {
  if (!can_draw()) {
    fmt::print(stderr, "ripdsl: the program `dot` is not there, which draws\nhint: install Graphviz (on Debian: apt install graphviz), or leave out --svg and draw the text elsewhere\n");
    return kViolated;
  }
  std::fflush(stdout);
  FILE* pipe = ::popen("dot -Tsvg", "w");
  if (pipe == nullptr) return kInternal;
  const bool written = std::fwrite(dot.data(), 1, dot.size(), pipe) == dot.size();
  if (::pclose(pipe) == 0 && written) return kFine;
  fmt::print(stderr, "ripdsl: `dot` could not draw it\n");
  return kInternal;
}

struct Options {
  GameOptions game;
  bool svg = false;
};

int graph(const Options& options) {
  const Opened opened = open_game(options.game);
  if (opened.exit != kFine) return opened.exit;
  const std::unique_ptr<Written> written = write_out(*opened.loaded, *opened.version);
  const Outline seen = outline(*written);
  const std::string& variant = opened.version->name;
  const std::string dot = Drawing(seen, written->script.title + (variant.empty() ? "" : ": " + variant)).dot();
  if (options.svg) return draw(dot);
  fmt::print("{}", dot);
  return kFine;
}

}  // namespace

void add_graph(Command app, int& exit) {
  auto options = std::make_shared<Options>();
  const Command command = app.add_subcommand("graph", "Phases, and zones with what moves between them, as a drawing for Graphviz");
  add_file(command, options->game);
  command.add_option("--variant", options->game.variant, "a variant or `small` block of the script").type_name("NAME");
  command.add_flag("--svg", options->svg, "the drawing itself, made by Graphviz's `dot`");
  command.footer(R"(Example:
  ripdsl graph games/vertippt.rip --svg > vertippt.svg)");
  command.callback([options, &exit] { exit = graph(*options); });
}

}  // namespace rip::cli
