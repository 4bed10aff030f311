// Declarations, variants, scenarios.
#include "grammar/build.h"

#include <fmt/format.h>

namespace rip::grammar {

using namespace ast;

PlayersDecl Builder::players(const Node& node) {
  PlayersDecl made;
  const ExprRef range = chain(*node.find(Kind::chain));
  if (const auto* both = std::get_if<RangeExpr>(&range->node)) {
    made.low = both->low;
    made.high = both->high;
  } else {
    made.low = made.high = range;
  }
  if (const Node* usual = node.find(Kind::integer)) made.usually = integer(*usual);
  return made;
}

ast::Refill Builder::refill(const Node& node) { return {role(node, Kind::r_from), role(node, Kind::r_keeping)}; }

DeckLine Builder::deck_line(const Node& node) {
  DeckLine made;
  made.span = span(node);
  made.tags = own_tags(node);
  if (node.has(Kind::flag)) {
    made.original = true;
    return made;
  }
  made.count = role(node, Kind::r_count);
  made.phrase = phrase(*node.find(Kind::phrase));
  if (const Node* found = node.find(Kind::clause)) made.clause = clause(*found);
  return made;
}

DeclRef Builder::declaration(const Node& node, Tags behind) {
  Decl made{span(node), std::move(behind), NoteDecl{}};
  auto inner_tags = [&] {
    for (const Node* kid : node.kids) {
      if (kid->kind == Kind::tags) tags(*kid, made.tags);
    }
  };
  switch (node.kind) {
    case Kind::d_players: made.node = players(node); break;
    case Kind::s_note: made.node = NoteDecl{string(*node.find(Kind::string))}; break;
    case Kind::d_require: made.node = Require{string(*node.find(Kind::string)), role(node, Kind::r_condition)}; break;
    case Kind::d_param:
      made.node = ParamDecl{name_of(node), index(node.find(Kind::index)), type(*node.find(Kind::type)), role(node, Kind::r_value)};
      break;
    case Kind::d_enum: {
      EnumDecl decl{name_of(node, Kind::type_name), {}};
      for (const Node* kid : node.kids) {
        if (kid->kind == Kind::name) decl.values.push_back(name(*kid));
      }
      inner_tags();
      made.node = std::move(decl);
      break;
    }
    case Kind::d_component: {
      ComponentDecl decl{};
      const Node* word = node.find(Kind::flag);
      decl.kind = word->text == "die" ? ComponentKind::die : word->text == "card" ? ComponentKind::card : ComponentKind::token;
      decl.name = name_of(node, Kind::type_name);
      if (const Node* faces = node.find(Kind::chain)) decl.faces = chain(*faces);
      for (const Node* kid : node.kids) {
        if (kid->kind != Kind::attribute_decl) continue;
        decl.attributes.push_back({name_of(*kid), kid->has(Kind::flag), type(*kid->find(Kind::type)), role(*kid, Kind::r_value)});
      }
      inner_tags();
      made.node = std::move(decl);
      break;
    }
    case Kind::d_deck: {
      DeckDecl decl;
      decl.name = name_of(node);
      decl.index = index(node.find(Kind::index));
      decl.type = name_of(node, Kind::type_name);
      if (const Node* found = node.find(Kind::refill)) decl.refill = refill(*found);
      if (const Node* csv = node.find(Kind::string)) {
        decl.csv = string(*csv);
        decl.csv_span = span(*csv);
      }
      for (const Node* kid : node.kids) {
        if (kid->kind == Kind::deck_line) decl.lines.push_back(deck_line(*kid));
      }
      inner_tags();
      made.node = std::move(decl);
      break;
    }
    case Kind::d_zone: {
      ZoneDecl decl{};
      decl.name = name_of(node);
      decl.index = index(node.find(Kind::index));
      const std::string_view word = node.find(Kind::flag)->text;
      decl.kind = word == "pile" ? ZoneKind::pile : word == "row" ? ZoneKind::row : word == "hand" ? ZoneKind::hand : ZoneKind::place;
      decl.type = name_of(node, Kind::type_name);
      if (const Node* face = node.find(Kind::r_face)) decl.face = name(*face->kids.front());
      decl.max = role(node, Kind::r_max);
      if (const Node* found = node.find(Kind::refill)) decl.refill = refill(*found);
      decl.seen_by = role(node, Kind::r_seen);
      made.node = std::move(decl);
      break;
    }
    case Kind::s_var: made.node = variable(node); break;
    case Kind::d_let: {
      const Node* written = node.find(Kind::type);
      made.node = LetDecl{name_of(node), params(node.find(Kind::params)), written == nullptr ? nullptr : type(*written), role(node, Kind::r_value)};
      break;
    }
    case Kind::d_rule: {
      RuleDecl decl{name_of(node), params(node.find(Kind::params)), block(*node.find(Kind::block))};
      made.tags.insert(made.tags.end(), decl.body->tags.begin(), decl.body->tags.end());
      made.node = std::move(decl);
      break;
    }
    case Kind::s_phase: {
      ast::Phase decl = phase(node);
      made.tags.insert(made.tags.end(), decl.body->tags.begin(), decl.body->tags.end());
      made.node = std::move(decl);
      break;
    }
    case Kind::s_when: {
      ast::When decl = when(node);
      made.tags.insert(made.tags.end(), decl.body->tags.begin(), decl.body->tags.end());
      made.node = std::move(decl);
      break;
    }
    case Kind::d_score: made.node = ScoreDecl{name_of(node), role(node, Kind::r_value)}; break;
    case Kind::d_winner: made.node = WinnerDecl{name_of(node), role(node, Kind::r_where), keys(*node.find(Kind::keys))}; break;
    case Kind::d_report: made.node = ReportDecl{string(*node.find(Kind::string)), role(node, Kind::r_value)}; break;
    case Kind::s_claim: made.node = claim(node); break;
    case Kind::d_bound: {
      BoundDecl decl{role(node, Kind::r_value), role(node, Kind::r_low), role(node, Kind::r_high), nullptr};
      if (const Node* found = node.find(Kind::clause)) decl.clause = clause(*found);
      made.node = std::move(decl);
      break;
    }
    case Kind::d_small: {
      SmallDecl decl{string(*node.find(Kind::string)), deltas(node, made.tags)};
      made.node = std::move(decl);
      break;
    }
    case Kind::d_variant: {
      VariantDecl decl;
      bool first = true;
      for (const Node* kid : node.kids) {
        if (kid->kind != Kind::string) continue;
        (first ? decl.name : decl.of) = string(*kid);
        if (!first) decl.of_span = span(*kid);
        first = false;
      }
      decl.deltas = deltas(node, made.tags);
      made.node = std::move(decl);
      break;
    }
    case Kind::d_scenario: {
      ScenarioDecl decl;
      bool named = false;
      for (std::size_t i = 0; i < node.kids.size(); ++i) {
        const Node& kid = *node.kids[i];
        if (kid.kind == Kind::string && !named) {
          decl.name = string(kid);
          named = true;
        } else if (kid.kind == Kind::string) {
          decl.of = string(kid);
          decl.of_span = span(kid);
        } else if (kid.kind == Kind::tags) {
          tags(kid, decl.steps.empty() ? made.tags : decl.steps.back().tags);
        } else {
          decl.steps.push_back(step(kid));
        }
      }
      made.node = std::move(decl);
      break;
    }
    default: break;
  }
  return std::make_shared<const Decl>(std::move(made));
}

// ---- variants -------------------------------------------------------------------------------------------------

std::vector<Delta> Builder::deltas(const Node& node, Tags& own) {
  std::vector<Delta> out;
  for (const Node* kid : node.kids) {
    if (kid->kind == Kind::string) continue;
    if (kid->kind == Kind::tags) {
      tags(*kid, out.empty() ? own : out.back().tags);
      if (!out.empty()) {
        // a note behind an added declaration is the declaration's
        if (auto* decl = std::get_if<DeclRef>(&out.back().node)) {
          Decl with = **decl;
          tags(*kid, with.tags);
          *decl = std::make_shared<const Decl>(std::move(with));
        }
      }
      continue;
    }
    out.push_back(delta(*kid));
  }
  return out;
}

Delta Builder::delta(const Node& node) {
  Delta made{span(node), {}, DeltaSet{}};
  switch (node.kind) {
    case Kind::delta_set: made.node = DeltaSet{name_of(node), role(node, Kind::r_value)}; break;
    case Kind::delta_replace: made.node = DeltaReplaceDecl{declaration(*node.kids.front(), {})}; break;
    case Kind::delta_remove: {
      DeltaRemove remove;
      const Node& first = *node.kids.front();
      if (first.kind == Kind::tags) {
        tags(first, remove.tags);
      } else if (first.kind == Kind::r_value) {
        remove.kind = "bound";
        remove.bounded = role(node, Kind::r_value);
      } else {
        remove.kind = std::string(first.text);
        const Node& second = *node.kids.back();
        if (second.kind == Kind::string) {
          remove.text = string(second);
          remove.name.span = span(second);
        } else {
          remove.name = name(second);
        }
      }
      made.node = std::move(remove);
      break;
    }
    case Kind::delta_at: {
      DeltaAt at{};
      const std::string_view word = node.kids.front()->text;
      at.where = word == "before" ? DeltaAt::Where::before : word == "after" ? DeltaAt::Where::after : DeltaAt::Where::replace;
      tags(*node.find(Kind::tags), at.target);
      at.entries = entries(*node.find(Kind::entries));
      made.node = std::move(at);
      break;
    }
    case Kind::d_players: made.node = DeltaPlayers{players(node)}; break;
    default: made.node = declaration(node, {}); break;
  }
  return made;
}

DeltaEntries Builder::entries(const Node& node) {
  DeltaEntries made;
  std::size_t i = 0;
  while (i < node.kids.size() && node.kids[i]->kind == Kind::tags) tags(*node.kids[i++], made.tags);
  while (i < node.kids.size()) {
    const Node& kid = *node.kids[i++];
    Tags behind;
    while (i < node.kids.size() && node.kids[i]->kind == Kind::tags) tags(*node.kids[i++], behind);
    if (kid.kind == Kind::deck_line) {
      // a lone `original` is written alike for decks and statements; the place of the tag decides
      if (kid.kids.front()->kind == Kind::flag) {
        Stmt statement{span(kid), std::move(behind), OriginalStmt{}};
        made.statements.push_back(std::make_shared<const Stmt>(std::move(statement)));
      }
      made.lines.push_back(deck_line(kid));
    } else if (kid.kind == Kind::option || kid.kind == Kind::option_group) {
      ast::Option made_option = option(kid);
      made_option.tags.insert(made_option.tags.end(), behind.begin(), behind.end());
      made.options.push_back(std::move(made_option));
    } else if (is_statement(kid.kind)) {
      made.statements.push_back(statement(kid, std::move(behind)));
    } else {
      made.declarations.push_back(declaration(kid, std::move(behind)));
    }
  }
  return made;
}

// ---- scenarios ------------------------------------------------------------------------------------------------

MoveCall Builder::move_call(const Node& node) {
  return {name_of(node), node.has(Kind::flag), args(node.find(Kind::args))};
}

std::vector<CardItem> Builder::cards(const Node& node) {
  std::vector<CardItem> out;
  for (const Node* kid : node.kids) {
    if (kid->kind != Kind::card_item) continue;
    CardItem item;
    item.span = span(*kid);
    if (const Node* count = kid->find(Kind::integer)) item.count = integer(*count);
    if (const Node* found = kid->find(Kind::phrase)) item.phrase = phrase(*found);
    out.push_back(std::move(item));
  }
  return out;
}

ast::Given Builder::given(const Node& node) {
  ast::Given made;
  made.target = post(*node.find(Kind::post));
  if (const Node* found = node.find(Kind::cards)) {
    made.is_cards = true;
    made.cards = cards(*found);
  } else {
    made.value = role(node, Kind::r_value);
  }
  return made;
}

Step Builder::step(const Node& node) {
  Step made{span(node), {}, NoteDecl{}};
  auto seat = [&] { return name_of(node, Kind::type_name); };
  auto call = [&] { return move_call(*node.find(Kind::move_call)); };
  switch (node.kind) {
    case Kind::st_players: {
      StepPlayers step;
      for (const Node* kid : node.kids) step.names.push_back(name(*kid));
      made.node = std::move(step);
      break;
    }
    case Kind::delta_set: made.node = StepSet{name_of(node), role(node, Kind::r_value)}; break;
    case Kind::st_start: made.node = StepStart{node.has(Kind::flag), name_of(node), args(node.find(Kind::args))}; break;
    case Kind::given: made.node = given(node); break;
    case Kind::st_next: {
      StepNext step;
      step.is_roll = node.has(Kind::flag);
      for (const Node* kid : node.kids) {
        if (kid->kind == Kind::integer) step.faces.push_back(integer(*kid));
        if (kid->kind == Kind::post) step.zone = post(*kid);
        if (kid->kind == Kind::cards) step.cards = cards(*kid);
      }
      made.node = std::move(step);
      break;
    }
    case Kind::st_expect: {
      StepExpect step{role(node, Kind::r_condition), std::nullopt, node.has(Kind::flag)};
      std::vector<std::int64_t> numbers;
      for (const Node* kid : node.kids) {
        if (kid->kind == Kind::integer) numbers.push_back(integer(*kid));
      }
      if (!numbers.empty()) {
        step.chance = {numbers[0], numbers[1]};
        step.on_average = false;
      }
      made.node = std::move(step);
      break;
    }
    case Kind::s_note: made.node = NoteDecl{string(*node.find(Kind::string))}; break;
    case Kind::st_swapping: {
      StepSwapping step;
      if (const Node* found = node.find(Kind::given)) {
        step.given = given(*found);
      } else {
        step.seat = seat();
        step.move = call();
      }
      for (const Node* kid : node.kids) {
        if (kid->kind == Kind::flag) step.same = kid->text != "different";
        if (kid->kind != Kind::args) continue;
        for (const Node* to : kid->kids) step.to.push_back(name(*to));
      }
      made.node = std::move(step);
      break;
    }
    case Kind::st_does: made.node = StepDoes{seat(), call()}; break;
    case Kind::st_can: made.node = StepCan{seat(), node.find(Kind::flag)->text == "can", call()}; break;
    case Kind::st_knows: made.node = StepKnows{seat(), !node.has(Kind::flag), role(node, Kind::r_what)}; break;
    case Kind::st_has: made.node = StepHas{seat(), integer(*node.find(Kind::integer)), node.has(Kind::flag)}; break;
    default: break;
  }
  return made;
}

Script Builder::script(const Node& node) {
  Script made;
  made.file = file_;
  bool any = false;
  for (std::size_t i = 0; i < node.kids.size(); ++i) {
    const Node& kid = *node.kids[i];
    if (kid.kind == Kind::header) {
      const Node& title = *kid.find(Kind::string);
      made.title = string(title);
      made.title_span = span(title);
      made.language = integer(*kid.find(Kind::integer));
      if (made.language != 1) {
        diagnostics_.report(Code::R0102, span(*kid.find(Kind::integer)), fmt::format("this program knows language 1, not {}", made.language)).hint =
            "write `language 1`, or get a newer program";
      }
      made.tags = own_tags(kid);
      any = true;
      continue;
    }
    if (kid.kind == Kind::tags) continue;
    Tags behind;
    while (i + 1 < node.kids.size() && node.kids[i + 1]->kind == Kind::tags) tags(*node.kids[++i], behind);
    made.declarations.push_back(declaration(kid, std::move(behind)));
  }
  if (!any) {
    diagnostics_.report(Code::R0102, {file_, node.begin, node.begin}, "the script does not begin with its `game` line").hint =
        !node.kids.empty() && node.kids.front()->kind == Kind::d_variant ? "a sheet for the game of another file has such a line, too: `game \"My Sheet\" language 1`"
                                                                         : "write `game \"My Game\" language 1` first";
  }
  return made;
}

}  // namespace rip::grammar
