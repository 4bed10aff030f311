// Statements, blocks, decisions.
#include "grammar/build.h"

namespace rip::grammar {

using namespace ast;

bool is_statement(Kind kind) { return kind >= Kind::s_move && kind <= Kind::s_when && kind != Kind::option && kind != Kind::option_group; }

/// Statements among the children from `from` on; notes before the first belong to the block (`first`), notes behind a
/// statement to that.
std::vector<StmtRef> Builder::statements(const Node& node, std::size_t from, Tags& first) {
  std::vector<StmtRef> out;
  for (std::size_t i = from; i < node.kids.size(); ++i) {
    const Node& kid = *node.kids[i];
    if (kid.kind == Kind::tags) {
      tags(kid, first);
      continue;
    }
    if (!is_statement(kid.kind)) continue;
    Tags behind;
    while (i + 1 < node.kids.size() && node.kids[i + 1]->kind == Kind::tags) tags(*node.kids[++i], behind);
    out.push_back(statement(kid, std::move(behind)));
  }
  return out;
}

BlockRef Builder::block(const Node& node) {
  Block made;
  made.span = span(node);
  made.statements = statements(node, 0, made.tags);
  return std::make_shared<const Block>(std::move(made));
}

ast::Limit Builder::limit(const Node& node) {
  ast::Limit made;
  const Node* found = node.find(Kind::limit);
  if (found == nullptr) return made;
  made.kind = found->kids.front()->text.substr(0, 3) == "cut" ? ast::Limit::Kind::cut_off : ast::Limit::Kind::at_most;
  made.value = expr(*found->kids.back());
  made.span = span(*found);
  return made;
}

LoopHeader Builder::loop(const Node& node) {
  switch (node.kind) {
    case Kind::for_loop: return ForLoop{clause(*node.find(Kind::clause))};
    case Kind::repeat_loop: return RepeatLoop{role(node, Kind::r_until), limit(node)};
    default:
      return TurnsLoop{role(node, Kind::r_from), role(node, Kind::r_then), role(node, Kind::r_where), role(node, Kind::r_until), limit(node)};
  }
}

namespace {
const Node* loop_of(const Node& node) {
  for (const Kind kind : {Kind::for_loop, Kind::repeat_loop, Kind::turns_loop}) {
    if (const Node* found = node.find(kind)) return found;
  }
  return nullptr;
}
}  // namespace

ast::If Builder::if_statement(const Node& node) {
  ast::If made{role(node, Kind::r_condition), nullptr, nullptr};
  for (const Node* kid : node.kids) {
    if (kid->kind == Kind::block) {
      (made.then_block == nullptr ? made.then_block : made.else_block) = block(*kid);
    } else if (kid->kind == Kind::s_if) {
      Block only{span(*kid), {}, {statement(*kid, {})}};
      made.else_block = std::make_shared<const Block>(std::move(only));
    }
  }
  return made;
}

ast::Option Builder::option(const Node& node) {
  ast::Option made;
  made.span = span(node);
  if (node.kind == Kind::option_group) {
    made.group_where = role(node, Kind::r_where);
    made.group = options(node, made.tags);
    return made;
  }
  made.name = name_of(node);
  for (const Node* kid : node.kids) {
    if (kid->kind == Kind::flag) (kid->text == "secretly" ? made.secretly : made.otherwise) = true;
  }
  if (const Node* args = node.find(Kind::option_args)) {
    if (const Node* found = args->find(Kind::clause)) {
      made.clause = clause(*found);
    } else {
      Clause bare;
      bare.span = span(*args);
      bare.where = role(*args, Kind::r_where);
      made.clause = std::make_shared<const Clause>(std::move(bare));
    }
  }
  made.body = block(*node.find(Kind::block));
  made.tags = made.body->tags;
  return made;
}

std::vector<ast::Option> Builder::options(const Node& node, Tags& own) {
  std::vector<ast::Option> out;
  for (const Node* kid : node.kids) {
    if (kid->kind == Kind::option || kid->kind == Kind::option_group) {
      out.push_back(option(*kid));
    } else if (kid->kind == Kind::tags) {
      tags(*kid, out.empty() ? own : out.back().tags);
    }
  }
  return out;
}

ast::Claim Builder::claim(const Node& node) {
  ast::Claim made{};
  const std::string_view word = node.kids.front()->text;
  made.kind = word == "always" ? ClaimKind::always : word == "never" ? ClaimKind::never : ClaimKind::sometimes;
  const Node& text = *node.find(Kind::string);
  made.text = string(text);
  made.text_span = span(text);
  made.condition = role(node, Kind::r_condition);
  if (const Node* moment = node.find(Kind::moment)) {
    const Node& last = *moment->kids.back();
    made.moment_name = name_of(*moment);
    made.moment = !made.moment_name        ? MomentKind::end
                  : last.text == "begins" && last.kind == Kind::flag ? MomentKind::phase_begins
                  : last.text == "ends" && last.kind == Kind::flag   ? MomentKind::phase_ends
                                                                     : MomentKind::move;
  }
  return made;
}

ast::VarDecl Builder::variable(const Node& node) {
  ast::VarDecl made;
  made.name = name_of(node);
  made.index = index(node.find(Kind::index));
  if (const Node* written = node.find(Kind::type)) made.type = type(*written);
  made.start = role(node, Kind::r_start);
  made.seen_by = role(node, Kind::r_seen);
  made.money = node.has(Kind::flag);
  return made;
}

ast::Phase Builder::phase(const Node& node) {
  ast::Phase made;
  made.name = name_of(node);
  made.has_params = node.has(Kind::params);
  made.params = params(node.find(Kind::params));
  if (const Node* header = loop_of(node)) made.loop = loop(*header);
  made.body = block(*node.find(Kind::block));
  return made;
}

ast::When Builder::when(const Node& node) {
  ast::When made;
  if (const Node* found = node.find(Kind::clause)) made.clause = clause(*found);
  made.condition = role(node, Kind::r_condition);
  made.body = block(*node.find(Kind::block));
  return made;
}

StmtRef Builder::statement(const Node& node, Tags behind) {
  Stmt made{span(node), std::move(behind), Stop{}};
  switch (node.kind) {
    case Kind::s_move: {
      ast::Move move{role(node, Kind::r_what), role(node, Kind::r_to), false, role(node, Kind::r_face), nullptr};
      move.under = node.find(Kind::flag)->text == "under";
      if (const Node* each = node.find(Kind::clause)) move.each = clause(*each);
      made.node = std::move(move);
      break;
    }
    case Kind::s_fill:
      made.node = Fill{role(node, Kind::r_what), role(node, Kind::r_to), role(node, Kind::r_from), role(node, Kind::r_face)};
      break;
    case Kind::s_swap: made.node = Swap{role(node, Kind::r_what), role(node, Kind::r_with)}; break;
    case Kind::s_turn: made.node = Turn{role(node, Kind::r_what), role(node, Kind::r_face)}; break;
    case Kind::s_shuffle: made.node = Shuffle{role(node, Kind::r_what)}; break;
    case Kind::s_roll: made.node = Roll{role(node, Kind::r_what)}; break;
    case Kind::s_show: made.node = Show{role(node, Kind::r_what), role(node, Kind::r_to)}; break;
    case Kind::s_set: made.node = ast::Set{role(node, Kind::r_target), role(node, Kind::r_value)}; break;
    case Kind::s_raise:
      made.node = Raise{node.find(Kind::flag)->text == "lower", role(node, Kind::r_target), role(node, Kind::r_value)};
      break;
    case Kind::s_pay: made.node = Pay{role(node, Kind::r_amount), role(node, Kind::r_from), role(node, Kind::r_to)}; break;
    case Kind::s_let: made.node = LetStmt{name_of(node), role(node, Kind::r_value)}; break;
    case Kind::s_var: made.node = variable(node); break;
    case Kind::s_if: made.node = if_statement(node); break;
    case Kind::s_loop: made.node = ast::Loop{loop(*loop_of(node)), block(*node.find(Kind::block))}; break;
    case Kind::s_match: {
      ast::Match match{role(node, Kind::r_condition), {}};
      for (const Node* kid : node.kids) {
        if (kid->kind == Kind::tags) tags(*kid, made.tags);
        if (kid->kind != Kind::match_arm) continue;
        MatchStmtArm arm;
        for (const Node* part : kid->kids) {
          if (part->kind == Kind::r_pattern) arm.patterns.push_back(expr(*part->kids.front()));
          if (part->kind == Kind::block) arm.body = block(*part);
          if (part->kind == Kind::tags) tags(*part, arm.tags);
        }
        match.arms.push_back(std::move(arm));
      }
      made.node = std::move(match);
      break;
    }
    case Kind::s_choose: {
      Choose choose;
      if (const Node* found = node.find(Kind::clause)) {
        choose.each = true;
        choose.clause = clause(*found);
      }
      choose.seat = role(node, Kind::r_seat);
      for (const Node* kid : node.kids) choose.secretly = choose.secretly || (kid->kind == Kind::flag && kid->text == "secretly");
      choose.options = options(node, choose.tags);
      made.node = std::move(choose);
      break;
    }
    case Kind::s_do: made.node = Do{name_of(node), args(node.find(Kind::args))}; break;
    case Kind::s_together: made.node = Together{block(*node.find(Kind::block))}; break;
    case Kind::s_original: made.node = OriginalStmt{}; break;
    case Kind::s_stop: made.node = Stop{}; break;
    case Kind::s_win: made.node = Win{role(node, Kind::r_what)}; break;
    case Kind::s_end: {
      const std::string_view what = node.kids.front()->text;
      if (what == "turn") {
        made.node = EndTurn{};
      } else if (what == "game") {
        made.node = EndGame{};
      } else {
        made.node = EndPhase{name_of(node)};
      }
      break;
    }
    case Kind::s_claim: made.node = claim(node); break;
    case Kind::s_note: made.node = Note{string(*node.find(Kind::string))}; break;
    case Kind::s_phase: made.node = phase(node); break;
    case Kind::s_when: made.node = when(node); break;
    default: break;
  }
  return std::make_shared<const Stmt>(std::move(made));
}

}  // namespace rip::grammar
