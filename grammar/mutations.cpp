#include "grammar/mutations.h"

#include "grammar/script_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace rip::grammar {

using namespace ast;

namespace {

/// A zone, as far as another one can stand in for it.
struct Place {
  std::string name, shape;
  bool hand = false;
};

/// What one expression reads, and for whom: the name that it gives a value to, or empty for what the game does.
struct Read {
  std::string owner;
  std::set<std::string> names;
};

bool is_word(const ExprRef& expr, std::string_view text) {
  const auto* word = expr == nullptr ? nullptr : std::get_if<Word>(&expr->node);
  return word != nullptr && word->text == text;
}

const std::string* base_name(const Expr& expr) {
  if (const auto* word = std::get_if<Word>(&expr.node)) return &word->text;
  if (const auto* index = std::get_if<Index>(&expr.node)) return base_name(*index->base);
  return nullptr;
}

class Finder {
 public:
  Finder(const Script& script, const Sources& sources) : sources_(sources), text_(sources[script.file].text), file_(script.file) {
    for (const DeclRef& d : script.declarations) add_place(*d);
    for (const DeclRef& d : script.declarations) declaration(*d);
  }

  std::vector<Mutation> take() {
    const std::set<std::string> live = live_names();
    std::vector<Mutation> out;
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::string>> known;
    std::stable_sort(found_.begin(), found_.end(), [](const auto& a, const auto& b) { return a.first.span.begin < b.first.span.begin; });
    for (auto& [mutation, owner] : found_) {
      if (!owner.empty() && !live.contains(owner)) continue;
      if (known.emplace(mutation.span.begin, mutation.span.end, mutation.with).second) out.push_back(std::move(mutation));
    }
    return out;
  }

 private:
  // ---- what is found ----

  void add(Change change, Span span, std::string with) { found_.push_back({{change, span, std::move(with), sheet_}, owner_}); }
  std::string_view text(Span span) const { return std::string_view(text_).substr(span.begin, span.end - span.begin); }
  /// `f(E)`
  void wrap(Change change, const ExprRef& expr, std::string_view function) {
    const Span whole = text_.closed(expr->span);
    add(change, whole, fmt::format("{}({})", function, text(whole)));
  }

  std::set<std::string> live_names() const {
    std::set<std::string> live;
    for (bool grew = true; grew;) {
      grew = false;
      for (const Read& read : reads_) {
        if (!read.owner.empty() && !live.contains(read.owner)) continue;
        for (const std::string& name : read.names) grew = live.insert(name).second || grew;
      }
    }
    return live;
  }

  void add_place(const Decl& decl) {
    const auto shape = [&](const Name& type, const std::vector<std::pair<Name, TypeRef>>& index) {
      std::string out = type.text;
      for (const auto& [name, of] : index) out += fmt::format(" [{}]", sources_.text(of->span));
      return out;
    };
    if (const auto* zone = std::get_if<ZoneDecl>(&decl.node)) places_.push_back({zone->name.text, shape(zone->type, zone->index), zone->kind == ZoneKind::hand});
    if (const auto* deck = std::get_if<DeckDecl>(&decl.node)) places_.push_back({deck->name.text, shape(deck->type, deck->index), false});
  }

  std::vector<Place>::const_iterator place(const std::string* name) const {
    return std::find_if(places_.begin(), places_.end(), [&](const Place& p) { return name != nullptr && p.name == *name; });
  }

  /// The next place as declared that could be meant instead, round in a circle.
  void other_zone(const Expr& word) {
    const auto* here = std::get_if<Word>(&word.node);
    if (here == nullptr) return;
    const auto at = place(&here->text);
    if (at == places_.end()) return;
    const auto fits = [&](const Place& p) { return p.shape == at->shape && p.name != at->name; };
    auto other = std::find_if(at + 1, places_.cend(), fits);
    if (other == places_.end()) other = std::find_if(places_.cbegin(), at, fits);
    if (fits(*other)) add(Change::zone, word.span, other->name);
  }

  // ---- expressions ----

  /// An expression as a whole: what it reads is noted.
  void value(const ExprRef& expr) {
    if (expr == nullptr) return;
    reads_.push_back({owner_, text_.names(text_.closed(expr->span))});
    inside(expr);
  }

  /// A condition of the rules: negated, unless a comparison has that change already; `droppable`: or always true.
  void condition(const ExprRef& expr, bool droppable) {
    if (expr == nullptr) return;
    const auto* binary = std::get_if<Binary>(&expr->node);
    const auto* unary = std::get_if<Unary>(&expr->node);
    const Span whole = text_.closed(expr->span);
    const bool has_opposite = binary != nullptr && (binary->op == BinaryOp::eq || binary->op == BinaryOp::ne || binary->op == BinaryOp::in || binary->op == BinaryOp::not_in);
    if (unary != nullptr && unary->op == UnaryOp::logical_not) add(Change::condition, whole, fmt::format("({})", text(text_.closed(unary->operand->span))));
    else if (!has_opposite) wrap(Change::condition, expr, "not ");
    if (droppable) add(Change::condition, whole, "yes");
  }
  void condition_value(const ExprRef& expr, bool droppable) {
    condition(expr, droppable);
    value(expr);
  }

  void all(const std::vector<ExprRef>& list) {
    for (const ExprRef& item : list) inside(item);
  }

  void inside(const ExprRef& expr) {
    if (expr != nullptr) std::visit([&](const auto& x) { part(*expr, x); }, expr->node);
  }

  void part(const Expr& expr, const IntLit& x) { add(Change::number, expr.span, std::to_string(x.value + 1)); }
  void part(const Expr& expr, const Word&) { other_zone(expr); }
  void part(const Expr&, const Unary& x) { inside(x.operand); }
  void part(const Expr&, const Binary& x) {
    const auto becomes = [&](Change change, const char* other) { add(change, x.op_span, other); };
    switch (x.op) {
      case BinaryOp::eq: becomes(Change::comparison, "!="); break;
      case BinaryOp::ne: becomes(Change::comparison, "=="); break;
      case BinaryOp::lt: becomes(Change::comparison, "<="); break;
      case BinaryOp::le: becomes(Change::comparison, "<"); break;
      case BinaryOp::gt: becomes(Change::comparison, ">="); break;
      case BinaryOp::ge: becomes(Change::comparison, ">"); break;
      case BinaryOp::in: becomes(Change::comparison, "not in"); break;
      case BinaryOp::not_in: becomes(Change::comparison, "in"); break;
      case BinaryOp::logical_and: becomes(Change::condition, "or"); break;
      case BinaryOp::logical_or: becomes(Change::condition, "and"); break;
      case BinaryOp::add:
      case BinaryOp::sub:
      case BinaryOp::mul:
      case BinaryOp::div:
      case BinaryOp::mod: break;
    }
    inside(x.left);
    inside(x.right);
  }
  void part(const Expr&, const Is& x) { inside(x.operand); }
  void part(const Expr&, const RangeExpr& x) {
    const auto end = [&](const ExprRef& e, const char* further) {
      if (!std::holds_alternative<IntLit>(e->node)) add(Change::number, text_.closed(e->span), fmt::format("{} {}", text(text_.closed(e->span)), further));
      inside(e);
    };
    end(x.low, "+ 1");
    end(x.high, "- 1");
  }
  void part(const Expr&, const IfExpr& x) {
    condition(x.condition, false);
    inside(x.condition);
    inside(x.then_value);
    inside(x.else_value);
  }
  void part(const Expr&, const MatchExpr& x) {
    inside(x.subject);
    for (const MatchArm& arm : x.arms) {
      all(arm.patterns);
      inside(arm.value);
    }
  }
  void part(const Expr&, const Index& x) {
    inside(x.base);
    all(x.args);
  }
  void part(const Expr&, const ast::Attribute& x) { inside(x.base); }
  void part(const Expr& expr, const Call& x) {
    if (x.name.text == "next" || x.name.text == "previous") add(Change::seat, expr.span, fmt::format("{}({})", x.name.text, text(expr.span)));
    all(x.args);
  }
  void part(const Expr& expr, const TopOf& x) {
    const std::uint32_t begin = expr.span.begin, length = x.bottom ? 6 : 3;
    const std::string* pile = base_name(*x.of);
    const bool no_order = pile != nullptr && shuffled_.contains(*pile);  // one end is as good as the other
    if (!no_order) add(Change::order, {expr.span.file, begin, begin + length}, x.bottom ? "top" : "bottom");
    inside(x.count);
    inside(x.of);
  }
  void part(const Expr&, const AllOf& x) { inside(x.of); }
  void part(const Expr&, const Aggregate& x) {
    clause(x.clause, false);
    inside(x.value);
    all(x.args);
  }
  void part(const Expr&, const ast::Builder& x) {
    all(x.items);
    clause(x.clause, false);
    inside(x.value);
  }
  void part(const Expr&, const Phrase& x) {
    for (const PhrasePart& p : x.parts) {
      if (p.kind == PhrasePart::Kind::number) add(Change::number, p.span, std::to_string(p.number + 1));
      all(p.items);
    }
  }
  void part(const Expr&, const OriginalExpr&) {}

  void keys(const Keys& x, std::uint32_t from) {
    static constexpr std::pair<KeyKind, std::pair<std::string_view, const char*>> kOther[] = {
        {KeyKind::high, {"high", "low"}}, {KeyKind::low, {"low", "high"}}, {KeyKind::clockwise_from, {"from", "after"}}, {KeyKind::clockwise_after, {"after", "from"}}};
    for (const Key& key : x.keys) {
      for (const auto& [kind, words] : kOther) {
        if (kind != key.kind) continue;
        if (const auto span = text_.word(words.first, {key.span.file, key.span.begin, key.value->span.begin})) add(Change::order, *span, words.second);
      }
      inside(key.value);
      from = key.value->span.end;
    }
    if (!x.backwards) return;
    const Span rest{file_, from, x.backwards_if != nullptr ? x.backwards_if->span.begin : static_cast<std::uint32_t>(std::string_view(text_).size())};
    if (const auto span = text_.word("backwards", rest)) {
      add(Change::order, x.backwards_if != nullptr ? join(*span, text_.closed(x.backwards_if->span)) : *span, "");
    }
    if (x.backwards_if != nullptr) condition(x.backwards_if, false);
    inside(x.backwards_if);
  }

  void clause(const ClauseRef& x, bool droppable) {
    if (x == nullptr) return;
    std::uint32_t end = x->span.begin;
    for (const Binder& binder : x->binders) {
      if (is_word(binder.source, "players")) add(Change::seat, binder.source->span, "players - 0");
      inside(binder.pick_low);
      inside(binder.pick_high);
      inside(binder.source);
      end = std::max(end, text_.closed(binder.source->span).end);
    }
    condition(x->where, droppable);
    inside(x->where);
    if (x->where != nullptr) end = std::max(end, text_.closed(x->where->span).end);
    keys(x->keys, end);
  }
  void clause_value(const ClauseRef& x, bool droppable) {
    if (x == nullptr) return;
    reads_.push_back({owner_, text_.names(x->span)});
    clause(x, droppable);
  }

  // ---- statements ----

  /// The statement goes. Where notes hang on it, a note stays in its place, for sheets that name them.
  void leave_out(const Stmt& stmt) { add(Change::statement, stmt.span, stmt.tags.empty() ? "" : "note \"left out\""); }

  void face(const ExprRef& expr) {
    for (const auto& [here, there] : {std::pair("up", "down"), std::pair("down", "up")}) {
      if (is_word(expr, here)) add(Change::secret, expr->span, there);
    }
    value(expr);
  }
  void secretly(Span gap) {
    if (const auto span = text_.word("secretly", gap)) add(Change::secret, *span, "");
  }
  /// What gives `target` a value counts only if somebody reads that.
  template <class Work>
  void owned(const std::string* target, Work work) {
    const std::string before = owner_;
    if (target != nullptr) owner_ = *target;
    work();
    owner_ = before;
  }

  void block(const BlockRef& x) {
    if (x == nullptr) return;
    const std::set<std::string> before = shuffled_;
    for (const StmtRef& stmt : x->statements) statement(*stmt);
    shuffled_ = before;
  }

  /// `at most` is a claim.
  void limit(const Limit& x) {
    if (x.kind == Limit::Kind::cut_off) value(x.value);
  }
  void header(const LoopHeader& loop) {
    if (const auto* each = std::get_if<ForLoop>(&loop)) clause_value(each->clause, true);
    if (const auto* repeat = std::get_if<RepeatLoop>(&loop)) {
      condition_value(repeat->until, false);
      limit(repeat->limit);
    }
    if (const auto* turns = std::get_if<TurnsLoop>(&loop)) {
      for (const ExprRef& seat : {turns->from, turns->then}) {
        if (seat != nullptr && !std::holds_alternative<IntLit>(seat->node)) wrap(Change::seat, seat, "next");
        value(seat);
      }
      condition_value(turns->where, true);
      condition_value(turns->until, false);
      limit(turns->limit);
    }
  }

  void option(const ast::Option& x) {
    if (x.secretly) secretly({file_, x.span.begin, x.name.span.begin});
    clause_value(x.clause, true);
    condition_value(x.group_where, true);
    for (const ast::Option& inner : x.group) option(inner);
    block(x.body);
  }

  void statement(const Stmt& stmt) {
    std::visit([&](const auto& x) { does(stmt, x); }, stmt.node);
  }
  void does(const Stmt& stmt, const ast::Move& x) {
    leave_out(stmt);
    value(x.what);
    if (x.under) {
      if (const auto span = text_.word("under", {file_, x.what->span.end, x.to->span.begin})) add(Change::order, *span, "to");
    }
    value(x.to);
    const std::string* target = base_name(*x.to);
    if (target != nullptr) shuffled_.erase(*target);
    const auto at = place(target);
    if (at == places_.end() || !at->hand) face(x.face);  // what enters a hand is turned face down
    clause_value(x.each, true);
  }
  void does(const Stmt& stmt, const Fill& x) {
    leave_out(stmt);
    value(x.what);
    value(x.to_count);
    value(x.from);
    face(x.face);
  }
  void does(const Stmt& stmt, const Swap& x) {
    leave_out(stmt);
    value(x.first);
    value(x.second);
  }
  void does(const Stmt& stmt, const Turn& x) {
    leave_out(stmt);
    value(x.what);
    face(x.face);
  }
  void does(const Stmt& stmt, const Shuffle& x) {
    leave_out(stmt);
    value(x.what);
    if (const std::string* pile = base_name(*x.what)) shuffled_.insert(*pile);
  }
  void does(const Stmt& stmt, const Roll& x) {
    leave_out(stmt);
    value(x.what);
  }
  void does(const Stmt& stmt, const Show& x) {
    leave_out(stmt);
    value(x.what);
    if (x.to != nullptr && !is_word(x.to, "players")) add(Change::secret, text_.closed(x.to->span), "players");
    value(x.to);
  }
  void does(const Stmt& stmt, const ast::Set& x) {
    owned(base_name(*x.target), [&] {
      leave_out(stmt);
      if (const auto* index = std::get_if<Index>(&x.target->node)) {
        for (const ExprRef& arg : index->args) value(arg);
      }
      value(x.value);
    });
  }
  void does(const Stmt& stmt, const Raise& x) {
    owned(base_name(*x.target), [&] {
      leave_out(stmt);
      if (const auto* index = std::get_if<Index>(&x.target->node)) {
        for (const ExprRef& arg : index->args) value(arg);
      }
      value(x.amount);
    });
  }
  void does(const Stmt& stmt, const Pay& x) {
    leave_out(stmt);
    value(x.amount);
    value(x.from);
    value(x.to);
  }
  void does(const Stmt&, const LetStmt& x) {
    owned(&x.name.text, [&] { value(x.value); });
  }
  void does(const Stmt&, const VarDecl& x) { variable(x); }
  void does(const Stmt&, const ast::If& x) {
    if (only_checks(x.then_block) && only_checks(x.else_block)) return;
    condition_value(x.condition, x.else_block == nullptr);
    block(x.then_block);
    block(x.else_block);
  }
  void does(const Stmt&, const ast::Loop& x) {
    header(x.header);
    block(x.body);
  }
  void does(const Stmt&, const ast::Match& x) {
    value(x.subject);
    for (const MatchStmtArm& arm : x.arms) {
      for (const ExprRef& pattern : arm.patterns) value(pattern);
      block(arm.body);
    }
  }
  void does(const Stmt& stmt, const Choose& x) {
    if (x.seat != nullptr) {
      if (!std::holds_alternative<IntLit>(x.seat->node)) wrap(Change::seat, x.seat, "next");
      value(x.seat);
    }
    clause_value(x.clause, true);
    if (x.secretly && !x.options.empty()) secretly({file_, x.each ? x.clause->span.end : x.seat->span.end, x.options.front().span.begin});
    for (const ast::Option& o : x.options) option(o);
    if (stmt.tags.empty() && x.tags.empty() && std::none_of(x.options.begin(), x.options.end(), tagged)) leave_out(stmt);
  }
  void does(const Stmt& stmt, const Do& x) {
    leave_out(stmt);
    for (const ExprRef& arg : x.args) value(arg);
  }
  void does(const Stmt&, const Together& x) { block(x.body); }
  void does(const Stmt&, const OriginalStmt&) {}
  void does(const Stmt& stmt, const Stop&) { leave_out(stmt); }
  void does(const Stmt& stmt, const Win& x) {
    leave_out(stmt);
    value(x.who);
  }
  void does(const Stmt& stmt, const EndTurn&) { leave_out(stmt); }
  void does(const Stmt& stmt, const EndGame&) { leave_out(stmt); }
  void does(const Stmt& stmt, const EndPhase&) { leave_out(stmt); }
  void does(const Stmt&, const Claim&) {}
  void does(const Stmt&, const Note&) {}
  void does(const Stmt&, const Phase& x) { phase(x); }
  void does(const Stmt&, const When& x) { when(x); }

  /// Nothing happens in it but claims, or there is none.
  static bool only_checks(const BlockRef& x) {
    return x == nullptr || std::all_of(x->statements.begin(), x->statements.end(), [](const StmtRef& s) { return std::holds_alternative<Claim>(s->node) || std::holds_alternative<Note>(s->node); });
  }

  /// A sheet may speak of what stands in it.
  static bool tagged(const ast::Option& x) {
    const auto in_block = [](const BlockRef& b) {
      return b != nullptr && (!b->tags.empty() || std::any_of(b->statements.begin(), b->statements.end(), [](const StmtRef& s) { return !s->tags.empty(); }));
    };
    return !x.tags.empty() || in_block(x.body) || std::any_of(x.group.begin(), x.group.end(), tagged);
  }

  void phase(const Phase& x) {
    if (x.loop) header(*x.loop);
    block(x.body);
  }
  void when(const When& x) {
    if (x.clause == nullptr || x.clause->where != nullptr) {
      add(Change::trigger, text_.closed(x.clause == nullptr ? x.condition->span : x.clause->where->span), "no");
    } else {
      add(Change::trigger, {file_, x.clause->span.end, x.clause->span.end}, " where no");
    }
    clause_value(x.clause, false);
    condition_value(x.condition, false);
    block(x.body);
  }
  void variable(const VarDecl& x) {
    owned(&x.name.text, [&] { value(x.start); });
    unseen(x.name.span.end, x.seen_by);
  }
  /// `seen by S` goes.
  void unseen(std::uint32_t from, const ExprRef& by) {
    if (by == nullptr) return;
    if (const auto span = text_.word("seen", {file_, from, by->span.begin})) add(Change::secret, join(*span, text_.closed(by->span)), "");
    value(by);
  }

  // ---- declarations ----

  void declaration(const Decl& decl) {
    std::visit([&](const auto& x) { declares(decl, x); }, decl.node);
  }
  template <class T>
  void declares(const Decl&, const T&) {
    static_assert(std::is_same_v<T, PlayersDecl> || std::is_same_v<T, NoteDecl> || std::is_same_v<T, Require> || std::is_same_v<T, EnumDecl> || std::is_same_v<T, ReportDecl> ||
                  std::is_same_v<T, Claim> || std::is_same_v<T, BoundDecl> || std::is_same_v<T, SmallDecl> || std::is_same_v<T, ScenarioDecl>);
  }
  void declares(const Decl&, const ParamDecl& x) {
    owned(&x.name.text, [&] { value(x.value); });
  }
  void declares(const Decl&, const ComponentDecl& x) {
    value(x.faces);
    for (const AttributeDecl& attribute : x.attributes) value(attribute.value);
  }
  void line(const DeckLine& x) {
    value(x.count);
    value(x.phrase);
    clause_value(x.clause, true);
  }
  void declares(const Decl&, const DeckDecl& x) {
    if (x.refill) {
      value(x.refill->from);
      value(x.refill->keeping);
    }
    for (const DeckLine& item : x.lines) line(item);
  }
  void declares(const Decl&, const ZoneDecl& x) {
    if (x.kind == ZoneKind::hand) {
      if (const auto span = text_.word("hand", {file_, x.name.span.end, x.type.span.begin})) {
        add(Change::secret, join(*span, x.type.span), fmt::format("row of {} face up", x.type.text));
      }
    }
    if (x.face) add(Change::secret, x.face.span, x.face.text == "up" ? "down" : "up");
    value(x.max);
    if (x.refill) {
      value(x.refill->from);
      value(x.refill->keeping);
    }
    unseen(x.type.span.end, x.seen_by);
  }
  void declares(const Decl&, const VarDecl& x) { variable(x); }
  void declares(const Decl&, const LetDecl& x) {
    owned(&x.name.text, [&] { value(x.value); });
  }
  void declares(const Decl&, const RuleDecl& x) { block(x.body); }
  void declares(const Decl&, const Phase& x) { phase(x); }
  void declares(const Decl&, const When& x) { when(x); }
  void declares(const Decl&, const ScoreDecl& x) { value(x.value); }
  void declares(const Decl& decl, const WinnerDecl& x) {
    condition_value(x.where, true);
    reads_.push_back({owner_, text_.names(decl.span)});
    keys(x.keys, x.where != nullptr ? text_.closed(x.where->span).end : x.seat.span.end);
  }
  void declares(const Decl&, const VariantDecl& x) {
    const std::vector<Place> before = places_;
    sheet_ = x.name;
    for (const Delta& delta : x.deltas) {
      if (const auto* added = std::get_if<DeclRef>(&delta.node)) add_place(**added);
    }
    for (const Delta& delta : x.deltas) {
      std::visit([&](const auto& d) { changes(d); }, delta.node);
    }
    sheet_.clear();
    places_ = before;
  }
  void changes(const DeltaSet& x) {
    owned(&x.name.text, [&] { value(x.value); });
  }
  void changes(const DeltaReplaceDecl& x) { declaration(*x.declaration); }
  void changes(const DeltaAt& x) {
    for (const DeckLine& item : x.entries.lines) line(item);
    for (const ast::Option& item : x.entries.options) option(item);
    for (const StmtRef& item : x.entries.statements) statement(*item);
    for (const DeclRef& item : x.entries.declarations) declaration(*item);
  }
  void changes(const DeltaRemove&) {}
  void changes(const DeltaPlayers&) {}
  void changes(const DeclRef& x) { declaration(*x); }

  const Sources& sources_;
  ScriptText text_;
  std::uint32_t file_;
  std::vector<Place> places_;
  std::vector<Read> reads_;
  std::set<std::string> shuffled_;  ///< piles into which nothing has been put since, in the blocks around
  std::string owner_, sheet_;
  std::vector<std::pair<Mutation, std::string>> found_;  ///< and for whose sake
};

}  // namespace

std::string_view name(Change change) {
  switch (change) {
    case Change::statement: return "statement";
    case Change::number: return "number";
    case Change::comparison: return "comparison";
    case Change::condition: return "condition";
    case Change::order: return "order";
    case Change::zone: return "zone";
    case Change::trigger: return "trigger";
    case Change::secret: return "secret";
    case Change::seat: return "seat";
  }
  return "";
}

std::vector<Mutation> mutations(const Script& script, const Sources& sources) { return Finder(script, sources).take(); }

std::string mutated(std::string_view text, const Mutation& mutation) {
  std::string out(text.substr(0, mutation.span.begin));
  out += mutation.with;
  out += text.substr(mutation.span.end);
  return out;
}

}  // namespace rip::grammar
