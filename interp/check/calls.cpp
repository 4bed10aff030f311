// Calls: `let`s, whose parameters take their types from all calls, and the built-in functions.
#include "interp/check/checker.h"

#include <fmt/format.h>

namespace rip::check {

using rules::Base;
using rules::ExprId;
using rules::Op;
using rules::Shape;
using rules::Type;

ExprId Checker::node(const ast::Expr& at, const ast::Call& n, Want) {
  const std::string& name = n.name.text;
  const auto wants = [&](std::size_t count) {
    if (n.args.size() == count) return true;
    report(Code::R0302, at.span, fmt::format("{} arguments, but `{}` takes {}", n.args.size(), name, count));
    return false;
  };
  if (name == "random") {
    if (chance_root_ != &at) {
      report(Code::R0602, at.span, "`random` inside of an expression").hint =
          "it is the whole value of `set`, `let`, `var` or `turns from`, or a branch of its outermost `if`";
      return broken(at.span);
    }
    return wants(1) ? random_value(n, at.span) : broken(at.span);
  }
  if (name == "nth") return wants(2) ? nth_value(n, at.span) : broken(at.span);
  if (name == "next" || name == "previous") return wants(1) ? neighbour(n, at.span, name == "next") : broken(at.span);
  if (name == "abs") {
    if (!wants(1)) return broken(at.span);
    const ExprId kid = number(*n.args[0]);
    if (unknown(kid)) return broken(at.span);
    return bounded(Op::abs, absolute(interval(type(kid))), at.span, {kid});
  }
  if (name == "number") {
    if (!wants(1)) return broken(at.span);
    const ExprId kid = expr(*n.args[0], {Form::scalar, {}});
    const Type t = type(kid);
    if (is_unknown(t)) return broken(at.span);
    if (t.base != Base::seat && t.base != Base::enumeration) {
      report(Code::R0301, n.args[0]->span, fmt::format("{}, but `number` is of a seat or an enum value", describe(rules_, t)));
      return broken(at.span);
    }
    return emit(Op::number, integer_type(t.low, t.high), at.span, {kid});
  }
  const auto found = values_.find(name);
  if (found != values_.end() && found->second.kind == ValueName::Kind::let) {
    found->second.read = true;
    note_value(n.name.span, found->second);
    return let_call(found->second.id, n, at.span);
  }
  if (found != values_.end() || find_local(name) != nullptr) {
    report(Code::R0209, n.name.span, fmt::format("`{}` is not a `let`, so it is not called", name)).hint = "an index stands in `[` `]`";
    return broken(at.span);
  }
  if (procedures_.contains(name)) {
    report(Code::R0209, n.name.span, fmt::format("`{}` is a rule or phase, not a value", name)).hint = fmt::format("`do {}(...)` carries it out", name);
    return broken(at.span);
  }
  std::vector<std::string_view> names{"nth", "next", "previous", "number", "abs", "random"};
  for (const rules::Let& let : rules_.lets) names.push_back(let.name);
  std::string message = fmt::format("unknown name `{}`", name);
  if (const std::string_view near = nearest(name, names); !near.empty()) message += fmt::format("; did you mean `{}`?", near);
  report(Code::R0203, n.name.span, std::move(message));
  return broken(at.span);
}

ExprId Checker::random_value(const ast::Call& call, Span span) {
  const ExprId from = expr(*call.args[0], {Form::set, {}});
  const Type element = scalar_of(type(from));
  return emit(Op::random, element, span, {from});
}

ExprId Checker::nth_value(const ast::Call& call, Span span) {
  const ExprId of = as_set(expr(*call.args[0], {Form::any, {}}));
  const ExprId n = number(*call.args[1]);
  if (is_hand(of)) return no_order(of, span);
  const rules::Expr& source = rules_.exprs[of];
  if (source.type.shape == Shape::set && source.op != Op::zone && !is_unknown(source.type)) {
    report(Code::R0303, call.args[0]->span, fmt::format("{} where a zone or a list is wanted", describe(rules_, source.type)));
    return broken(span);
  }
  Type element = scalar_of(source.type);
  element.optional = true;
  return emit(Op::nth, element, span, {of, n});
}

// Of seats and enums the ring is all of them; of numbers it is the range that was written for them.
ExprId Checker::neighbour(const ast::Call& call, Span span, bool forward) {
  const ExprId kid = expr(*call.args[0], {Form::scalar, {}});
  const Type t = type(kid);
  if (is_unknown(t)) return broken(span);
  Type ring = required(t);
  if (t.base == Base::seat) {
    ring = seat_type(rules_.players_high);
  } else if (t.base == Base::enumeration) {
    ring = enum_type(rules_, t.id);
  } else if (t.base == Base::integer) {
    const rules::Expr& e = rules_.exprs[kid];
    const bool known = e.op == Op::var || e.op == Op::param || e.op == Op::attribute || e.op == Op::face ||
                       (e.op == Op::local && local_is_ring_[e.ref]);
    if (!known) {
      report(Code::R0313, span, fmt::format("`{}` goes round a range, but none is written for this number", call.name.text)).hint =
          e.op == Op::constant ? "a variable or a parameter with `: a..b` has one; the seat that 0 stands for elsewhere is `first(p in players)` here"
                               : "a variable or a parameter with `: a..b` has one";
      return broken(span);
    }
  } else {
    report(Code::R0301, call.args[0]->span, fmt::format("{} has no neighbour", describe(rules_, t)));
    return broken(span);
  }
  return emit(forward ? Op::next : Op::previous, ring, span, {kid});
}

void Checker::pass_argument(ExprId arg, Type& param, bool declared, const std::string& name) {
  const Type t = type(arg);
  if (declared) {
    test_type(arg, param, fmt::format("`{}`", name));
    if (!adopted_) test_range(arg, param, fmt::format("`{}`", name));
    return;
  }
  if (join_into(param, t)) return;
  report(Code::R0305, rules_.exprs[arg].span,
         fmt::format("`{}` is {} here, but {} elsewhere", name, describe(rules_, t), describe(rules_, param)))
      .hint = fmt::format("write its type: `{}: T`", name);
}

std::vector<ExprId> Checker::arguments(const std::vector<ast::ExprRef>& args, std::vector<Type>& params, const std::vector<bool>& declared,
                                       const std::vector<std::string>& names, const ast::Name& callee) {
  std::vector<ExprId> out;
  if (args.size() != params.size()) {
    report(Code::R0302, callee.span, fmt::format("{} arguments, but `{}` takes {}", args.size(), callee.text, params.size()));
    for (const ast::ExprRef& arg : args) expr(*arg);
    return out;
  }
  for (std::size_t i = 0; i < args.size(); ++i) {
    const Type wanted = params[i];
    const Form form = wanted.shape == Shape::set ? Form::set : declared[i] && !is_unknown(wanted) && is_scalar(wanted) ? Form::scalar : Form::any;
    out.push_back(expr(*args[i], {form, wanted}));
    pass_argument(out.back(), params[i], declared[i], names[i]);
  }
  return out;
}

ExprId Checker::let_call(rules::LetId id, const ast::Call& call, Span span) {
  std::vector<std::string> names;
  if (lets_[id].decl != nullptr)
    for (const ast::Param& param : lets_[id].decl->params) names.push_back(param.name.text);
  else
    for (const rules::LocalId local : rules_.lets[id].params) names.push_back(rules_.locals[local].name);
  std::vector<Type> params = lets_[id].params;
  std::vector<ExprId> kids = arguments(call.args, params, lets_[id].declared, names, call.name);
  lets_[id].params = params;
  if (lets_[id].emitting) {
    report(Code::R0605, span, fmt::format("`{}` calls itself", call.name.text)).related.push_back({lets_[id].span, "declared here"});
    return broken(span);
  }
  emit_let(id);
  need_me_of(lets_[id].needs, span, call.name.text);
  if (lets_[id].needs.result) need_result(span, fmt::format("`{}`, which reads the result,", call.name.text));
  if (kids.size() != params.size() || rules_.lets[id].value == kNoId) return broken(span);
  const ExprId out = emit(Op::call, type(rules_.lets[id].value), span, std::move(kids));
  rules_.exprs[out].ref = id;
  return out;
}

// The body, once for each pass, wherever the first call stands.
void Checker::emit_let(rules::LetId id) {
  LetInfo& info = lets_[id];
  if (info.emitted || info.decl == nullptr) return;
  const ast::LetDecl& decl = *info.decl;
  info.emitting = true;
  Context inside;
  inside.me = Context::Me::caller;
  inside.let = id;
  std::vector<LocalName> no_names;
  const Restore<Context> context(context_, inside);
  const Restore<std::vector<LocalName>> scope(scope_, no_names);
  const Restore<const ast::Expr*> root(chance_root_, nullptr);
  const Restore<bool> result(reads_result_, false);
  const Restore<bool> seats(use_seats_, false);
  const Restore<rules::PhaseId> header_of(hidden_header_, kNoId);
  rules_.lets[id].params.clear();
  for (std::size_t i = 0; i < decl.params.size(); ++i) {
    if (lets_[id].declared[i]) lets_[id].params[i] = resolve_type(*decl.params[i].type, TypeUse::parameter);
    const rules::LocalId local = bind_local(decl.params[i].name, lets_[id].params[i], false);
    local_is_ring_[local] = lets_[id].declared[i];
    rules_.lets[id].params.push_back(local);
  }
  ExprId value = kNoId;
  if (decl.type != nullptr) {
    const Type wanted = resolve_type(*decl.type, TypeUse::parameter);
    value = value_of(*decl.value, wanted, fmt::format("`{}`", decl.name.text));
  } else {
    value = expr(*decl.value);
  }
  rules_.lets[id].value = value;
  close_scope(0);
  lets_[id].emitting = false;
  lets_[id].emitted = true;
}

}  // namespace rip::check
