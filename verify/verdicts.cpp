#include "verify/verdicts.h"

#include "base/text.h"
#include "verify/any_choice.h"

#include <fmt/format.h>

#include <algorithm>

namespace rip::verify {

namespace {

auto line_named(RunReport& report, std::string_view name) {
  return std::find_if(report.verdicts.begin(), report.verdicts.end(), [&](const VerdictLine& v) { return v.name == name; });
}

using Claim = ir::Claim;

const Met* met_with(const PlayStats& stats, const std::string& key) {
  for (const Met& met : stats.met) {
    if (met.failure.key == key || met.failure.key.starts_with(key + "-")) return &met;
  }
  return nullptr;
}

/// How often a claim had its moment, as far as that is counted.
std::uint64_t moments(const rules::Rules& rules, const Tally& tally, std::size_t claim) {
  const rules::Claim& about = rules.claims[claim];
  if (about.statement) return 1;
  const auto count = [&](rules::CoverId cover) { return cover == rules::kNoId ? std::uint64_t{1} : tally.covered[cover]; };
  switch (about.moment) {
    case ast::MomentKind::phase_begins:
    case ast::MomentKind::phase_ends: return count(rules.phases[about.phase].cover);
    case ast::MomentKind::move: {
      std::uint64_t n = 0;
      for (std::size_t i = 0; i < rules.covers.size(); ++i) {
        if (rules.covers[i].kind == rules::CoverPoint::Kind::move && rules.covers[i].name == about.move) n += tally.covered[i];
      }
      return n;
    }
    case ast::MomentKind::waiting:
    case ast::MomentKind::end: return tally.tested[claim];
  }
  return 1;
}

PropertyKind kind_of(Claim::Kind kind) {
  switch (kind) {
    case Claim::Kind::always: return PropertyKind::always;
    case Claim::Kind::never: return PropertyKind::never;
    case Claim::Kind::sometimes: return PropertyKind::sometimes;
  }
  return PropertyKind::always;
}

/// Name, kind and place of a property, claim or bound; it holds until something says otherwise.
VerdictLine line_of(const PropertyInfo& property) {
  VerdictLine line;
  line.name = property.name;
  line.kind = property.kind;
  return line;
}
VerdictLine line_of_claim(const ir::Program& program, std::size_t index) {
  Violation as_violation;
  as_violation.index = static_cast<std::int32_t>(index);
  VerdictLine line;
  line.name = title(program, as_violation);
  line.kind = kind_of(program.claims[index].kind);
  line.span = program.claims[index].span;
  return line;
}
VerdictLine line_of_bound(const ir::Program& program, std::size_t index) {
  Violation as_violation;
  as_violation.what = Violation::What::bound;
  as_violation.index = static_cast<std::int32_t>(index);
  VerdictLine line;
  line.name = title(program, as_violation);
  line.kind = PropertyKind::bound;
  line.span = program.bounds[index].span;
  return line;
}

constexpr const char* kNeverAsked = "its premise never held";
bool never_asked(const ir::Program& program, const Tally& tally, std::size_t claim) {
  return tally.tested[claim] > 0 && tally.asked[claim] == 0 && !premise_of(program, program.claims[claim]).always_asked();
}

VerdictLine judge_claim(const Playable& playable, const PlayStats& stats, std::size_t index) {
  const ir::Claim& claim = playable.program->claims[index];
  VerdictLine line = line_of_claim(*playable.program, index);
  const bool same_order = index < playable.rules->claims.size() && playable.rules->claims[index].text == claim.text;
  const std::uint64_t times = same_order ? moments(*playable.rules, stats.tally, index) : 1;
  if (claim.kind == Claim::Kind::sometimes) {
    line.verdict = stats.tally.shown[index] > 0 ? Verdict::holds : Verdict::vacuous;
    line.detail = stats.tally.shown[index] > 0 ? "some game shows it" : times == 0 ? "its moment never came" : fmt::format("no game of {} shows it", stats.games);
    return line;
  }
  if (times == 0) {
    line.verdict = Verdict::vacuous;
    line.detail = "its moment never came";
    return line;
  }
  if (never_asked(*playable.program, stats.tally, index)) {
    line.verdict = Verdict::vacuous;
    line.detail = fmt::format("{} in {}", kNeverAsked, plural(stats.games, "game"));
    return line;
  }
  line.detail = holds_in(stats.games);
  return line;
}

VerdictLine judge_bound(const Playable& playable, const PlayStats& stats, std::size_t index, Sitting& sitting) {
  const ir::Bound& bound = playable.program->bounds[index];
  VerdictLine line = line_of_bound(*playable.program, index);
  const auto [least, most] = stats.tally.bounds[index];
  if (least > most) {
    line.verdict = Verdict::vacuous;
    line.detail = "it was never read";
    return line;
  }
  line.detail = fmt::format("{}; seen {}..{}", holds_in(stats.games), least, most);
  if (bound.clause < 0) {
    const std::int64_t low = sitting.machine.scalar(sitting.state, bound.low), high = sitting.machine.scalar(sitting.state, bound.high);
    if (low <= high) line.detail += fmt::format(" of {}..{}{}", low, high, least == low && most == high ? ", both ends reached" : "");
  }
  return line;
}

}  // namespace

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::proved: return "proved";
    case Verdict::holds: return "holds";
    case Verdict::violated: return "violated";
    case Verdict::budget: return "budget";
    case Verdict::vacuous: return "vacuous";
    case Verdict::error: return "error";
  }
  return "";
}

std::string group_of(const Failure& failure) { return fmt::format("{}|{}|{}.{}", name(failure.kind), failure.name, failure.span.file, failure.span.begin); }

std::string holds_in(std::uint64_t games) {
  if (games < 30) return fmt::format("in {} games", games);
  // the rule of three (Hanley, Lippman-Hand: If nothing goes wrong, is everything all right?, 1983)
  return fmt::format("in {} games (at most {:.2g} % break it, at 95 %)", games, 300.0 / static_cast<double>(games));
}

VerdictLine violated(const Failure& failure) {
  VerdictLine line;
  line.name = failure.name;
  line.kind = failure.kind;
  line.verdict = Verdict::violated;
  line.detail = failure.detail;
  line.span = failure.span;
  line.group = group_of(failure);
  return line;
}

void judge(RunReport& report, const Version&, const Playable& playable, PlayStats& stats, const CheckOptions& options, const Sources& sources) {
  report.games = stats.games;
  report.thorough = stats.thorough;
  report.beside_twins = stats.beside_twins;
  report.on_oracle = stats.on_oracle;
  report.twins = stats.twins;
  report.unconfirmed = stats.unconfirmed;
  report.endless = stats.endless;
  report.decisions_in_all = stats.decision_sum;
  report.seconds = stats.seconds;
  std::sort(stats.decisions.begin(), stats.decisions.end());
  if (!stats.decisions.empty()) {
    report.shortest = stats.decisions.front();
    report.median = stats.decisions[stats.decisions.size() / 2];
    report.longest = stats.decisions.back();
  }
  for (const auto& [pc, count] : stats.ends) report.ends[end_text(*playable.program, pc, sources)] += count;

  for (const PropertyInfo& property : all_properties()) {
    const bool leak = property.kind == PropertyKind::leak;
    if (leak ? !options.do_leaks : !options.do_random) continue;
    if (met_with(stats, std::string(property.id)) != nullptr) continue;
    VerdictLine line = line_of(property);
    std::uint64_t games = stats.games;
    if (leak) games = stats.beside_twins;
    if (property.property == Property::oracle) games = stats.on_oracle;
    if (property.kind == PropertyKind::replay && property.property != Property::oracle) games = stats.thorough;
    if (property.property == Property::limits || (property.property == Property::any_alike && !has_any(*playable.program))) continue;
    if (property.property == Property::oracle && games == 0) continue;
    line.detail = leak ? fmt::format("{}, beside {} second worlds", holds_in(games), stats.twins) : holds_in(games);
    if (games == 0) line.verdict = Verdict::budget;
    if (property.property == Property::ends) line.detail = fmt::format("not proved; all of {} ended", plural(games, "game"));
    if (property.property == Property::ends && stats.endless) line.detail += "; " + text(*stats.endless);
    report.verdicts.push_back(std::move(line));
  }
  if (options.do_random) {
    Sitting sitting(playable);
    sitting.begin();
    for (std::size_t i = 0; i < playable.program->claims.size(); ++i) {
      const std::string key = fmt::format("{}-{}", name(kind_of(playable.program->claims[i].kind)), i);
      if (met_with(stats, key) == nullptr) report.verdicts.push_back(judge_claim(playable, stats, i));
    }
    for (std::size_t i = 0; i < playable.program->bounds.size(); ++i) {
      if (met_with(stats, fmt::format("bound-{}", i)) == nullptr) report.verdicts.push_back(judge_bound(playable, stats, i, sitting));
    }
  }
  for (const Met& met : stats.met) report.verdicts.push_back(violated(met.failure));
}

namespace {

bool is_shown_by_search(Property property) {
  return property == Property::conserved || property == Property::zone_sizes || property == Property::no_fault || property == Property::can_move || property == Property::ends;
}

VerdictLine proved(const SearchResult& search, VerdictLine line) {
  line.verdict = Verdict::proved;
  line.detail = fmt::format("in {}", extent(search));
  return line;
}

VerdictLine judge_ends(const SearchResult& search, const PropertyInfo& property) {
  VerdictLine line = proved(search, line_of(property));
  if (search.all_end) {
    line.detail += fmt::format(": after at most {} decisions", search.longest);
  } else {
    line.verdict = search.can_always_end ? Verdict::holds : Verdict::violated;
    line.group = search.can_always_end ? "" : std::string(property.id);
    line.detail = search.can_always_end ? "from every state an end can be reached, but none need be" : "there are states from which no end can be reached";
  }
  // the loop of a graph need not be found again among states that are told apart
  if (search.endless) line.detail += "; " + text(*search.endless);
  return line;
}

VerdictLine judge_claim(const SearchResult& search, const ir::Program& program, std::size_t index) {
  VerdictLine line = proved(search, line_of_claim(program, index));
  if (program.claims[index].kind == Claim::Kind::sometimes) {
    line.verdict = search.tally.shown[index] > 0 ? Verdict::holds : Verdict::vacuous;
    line.detail = search.tally.shown[index] > 0 ? "some state shows it" : fmt::format("none of {} shows it", extent(search));
  } else if (never_asked(program, search.tally, index)) {
    line.verdict = Verdict::vacuous;
    line.detail = fmt::format("{} in {}", kNeverAsked, extent(search));
  }
  return line;
}

}  // namespace

void judge_leaks(RunReport& report, const std::string& detail) {
  const PropertyInfo& property = info(Property::leaks);
  auto line = line_named(report, property.name);
  if (line == report.verdicts.end()) line = report.verdicts.insert(line, line_of(property));
  if (line->verdict == Verdict::violated) return;  // a second world has shown what the histories do not
  line->verdict = Verdict::proved;
  line->detail = detail;
}

void judge_ends(RunReport& report, const Termination& termination) {
  if (!termination.proved()) return;
  // nobody knows how a game would have ended that came to a standstill
  const auto stands = [&](const VerdictLine& v) { return v.verdict == Verdict::violated && (v.name == info(Property::can_move).name || v.name == info(Property::no_fault).name); };
  if (std::any_of(report.verdicts.begin(), report.verdicts.end(), stands)) return;
  const PropertyInfo& property = info(Property::ends);
  auto line = line_named(report, property.name);
  if (line == report.verdicts.end() || line->verdict == Verdict::violated || line->verdict == Verdict::proved) return;
  line->verdict = Verdict::proved;
  line->detail = "by the rules: " + termination.text();
}

void judge_flows(RunReport& report, const Flows& flows) {
  VerdictLine line;
  line.name = "no rule lets a secret out";
  line.kind = PropertyKind::static_check;
  line.verdict = Verdict::proved;
  line.detail = flows.any_secret ? "by the text of the rules: what depends on a secret shows only to those who may know it" : "nothing is hidden from anybody";
  report.verdicts.push_back(std::move(line));
}

void judge_search(RunReport& report, const Playable& playable, SearchResult search) {
  const ir::Program& program = *playable.program;
  const auto put = [&](VerdictLine line) {
    const auto known = line_named(report, line.name);
    if (known == report.verdicts.end()) report.verdicts.push_back(std::move(line));
    else if (known->verdict != Verdict::violated && known->verdict != Verdict::vacuous) *known = std::move(line);
    else if (line.kind == PropertyKind::sometimes || line.verdict == Verdict::violated || known->detail.starts_with(kNeverAsked)) *known = std::move(line);
  };
  const auto refuted = [&](const std::string& key) {
    return std::any_of(search.refuted.begin(), search.refuted.end(), [&](const Refuted& r) { return r.failure.key == key || r.failure.key.starts_with(key + "-"); });
  };
  if (search.complete()) {
    for (const PropertyInfo& property : all_properties()) {
      if (!is_shown_by_search(property.property) || refuted(std::string(property.id))) continue;
      // where a rule goes wrong, goes on for ever between two stops, or leaves a seat without a move, nobody knows how the game would have ended
      const bool stops = refuted(std::string(info(Property::no_fault).id)) || refuted(std::string(info(Property::can_move).id));
      if (property.property == Property::ends && stops) continue;
      put(property.property == Property::ends ? judge_ends(search, property) : proved(search, line_of(property)));
    }
    for (std::size_t i = 0; i < program.claims.size(); ++i) {
      if (!refuted(fmt::format("{}-{}", name(kind_of(program.claims[i].kind)), i))) put(judge_claim(search, program, i));
    }
    for (std::size_t i = 0; i < program.bounds.size(); ++i) {
      const auto [least, most] = search.tally.bounds[i];
      if (least > most || refuted(fmt::format("bound-{}", i))) continue;
      VerdictLine line = proved(search, line_of_bound(program, i));
      line.detail += fmt::format("; it takes {}..{}", least, most);
      put(std::move(line));
    }
  }
  for (const Refuted& one : search.refuted) put(violated(one.failure));
  if (search.endless && !report.endless) report.endless = search.endless;
  report.search = std::move(search);
}

}  // namespace rip::verify
