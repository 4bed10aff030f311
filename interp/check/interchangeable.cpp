#include "interp/check/interchangeable.h"

#include "interp/check/walk.h"

#include <algorithm>
#include <variant>

namespace rip::check {

namespace {

using rules::Base;
using rules::ClauseId;
using rules::ExprId;
using rules::kNoId;
using rules::Op;
using rules::Shape;
using rules::Type;

class Finder {
 public:
  explicit Finder(const rules::Rules& rules) : r_(rules), walk_(rules), free_(rules.enums.size(), 1) {}

  std::vector<char> run() {
    declarations();
    walk_.bodies([&](const rules::Block& block) {
      walk_.statements(block, [&](const rules::Stmt& stmt) { statement(stmt); });
    });
    for (const rules::Phase& phase : r_.phases) {
      if (phase.loop) header(*phase.loop);
    }
    for (const rules::When& when : r_.whens) {
      in_order(when.clause);
      clause(when.clause);
      expression(when.condition);
    }
    for (const rules::Let& let : r_.lets) expression(let.value);
    expression(r_.score);
    clause(r_.winner);
    for (const rules::Claim& claim : r_.claims) expression(claim.condition);
    for (const rules::Bound& bound : r_.bounds) {
      for (const ExprId id : {bound.value, bound.low, bound.high}) expression(id);
      clause(bound.clause);
    }
    for (const rules::Report& report : r_.reports) expression(report.value);
    return std::move(free_);
  }

 private:
  void bind(const Type& type) {
    if (type.base == Base::enumeration && type.id < free_.size()) free_[type.id] = 0;
  }
  /// A run through components may go by their names, and these by the values they bear.
  void bind_what_it_bears(const Type& type) {
    bind(type);
    if (type.base != Base::component) return;
    for (rules::TypeId t = 0; t < r_.component_types.size(); ++t) {
      if (type.id != kNoId && type.id != t) continue;
      for (const rules::Attribute& attribute : r_.component_types[t].attributes) bind(attribute.type);
    }
  }

  void declarations() {
    for (const rules::ComponentType& type : r_.component_types) {
      std::vector<std::uint32_t> seen;
      for (const rules::Attribute& attribute : type.attributes) {
        const bool twice = std::find(seen.begin(), seen.end(), attribute.type.id) != seen.end();
        if (attribute.type.base != Base::enumeration) continue;
        if (attribute.type.shape != Shape::scalar || twice) bind(attribute.type);
        seen.push_back(attribute.type.id);
      }
    }
    for (const rules::Param& param : r_.params) {
      bind(param.type);
      for (const Type& index : param.index) bind(index);
      expression(param.value);
    }
    for (const rules::Zone& zone : r_.zones) {
      for (const Type& index : zone.index) bind(index);
      for (const ExprId id : {zone.max, zone.refill_from, zone.refill_keeping, zone.seen_by}) expression(id);
    }
    for (const rules::Var& var : r_.vars) {
      const bool starts_as_first = var.type.shape == Shape::scalar && !var.type.optional && var.start == kNoId;
      if (var.type.shape == Shape::list || starts_as_first) bind(var.type);
      for (const Type& index : var.index) {
        // sets by value, and values by value, would have to change places in both ways
        if (var.type.shape != Shape::scalar || var.type.base == Base::enumeration || var.type.base == Base::component) bind(index);
      }
      expression(var.start);
      expression(var.seen_by);
    }
  }

  void header(const rules::LoopHeader& header) {
    if (const auto* loop = std::get_if<rules::ForLoop>(&header)) {
      in_order(loop->clause);
      clause(loop->clause);
    } else if (const auto* repeat = std::get_if<rules::RepeatLoop>(&header)) {
      expression(repeat->until);
      expression(repeat->limit.value);
    } else if (const auto* turns = std::get_if<rules::TurnsLoop>(&header)) {
      for (const ExprId id : {turns->from, turns->then, turns->where, turns->until, turns->limit.value}) expression(id);
    }
  }

  void statement(const rules::Stmt& stmt) {
    walk_.parts(stmt, [&](ExprId id, Role) { expression(id); });
    if (const auto* loop = std::get_if<rules::Loop>(&stmt.node)) header(loop->header);
    if (const auto* move = std::get_if<rules::Move>(&stmt.node)) in_order(move->each);
    const auto* choose = std::get_if<rules::Choose>(&stmt.node);
    if (choose == nullptr) return;
    clause(choose->clause);
    for (const rules::Option& option : choose->options) {
      clause(option.clause);
      if (!choose->each) continue;
      for (const rules::Binder& binder : r_.clauses[option.clause].binders) bind(r_.locals[binder.local].type);  // kept until all have decided
    }
  }

  /// The order of its bindings can be noticed.
  void in_order(ClauseId id) {
    if (id == kNoId) return;
    for (const rules::Binder& binder : r_.clauses[id].binders) bind_what_it_bears(r_.locals[binder.local].type);
  }

  void clause(ClauseId id) {
    if (id == kNoId) return;
    walk_.clause(id, [&](ExprId inner) {
      read(inner);
      return true;
    });
    for (const rules::Key& key : r_.clauses[id].keys) bind(r_[key.value].type);
    for (const rules::Binder& binder : r_.clauses[id].binders) {
      if (binder.in_order) bind_what_it_bears(r_.locals[binder.local].type);
    }
  }

  void expression(ExprId id) {
    walk_.expression(id, [&](ExprId inner) {
      read(inner);
      return true;
    });
  }

  void read(ExprId id) {
    const rules::Expr& e = r_[id];
    const auto kids = [&] {
      for (const ExprId kid : e.kids) bind_what_it_bears(r_[kid].type);
    };
    if (e.type.shape == Shape::list) bind(e.type);
    if (e.clause != kNoId) {
      for (const rules::Key& key : r_.clauses[e.clause].keys) bind(r_[key.value].type);
    }
    switch (e.op) {
      case Op::constant:
        if (e.value != rules::kNone) bind(e.type);
        return;
      case Op::part_of_enum: case Op::next: case Op::previous: bind(e.type); return;
      case Op::number: case Op::lt: case Op::le: case Op::gt: case Op::ge: case Op::min2: case Op::max2: case Op::range_set:
        for (const ExprId kid : e.kids) bind(r_[kid].type);
        return;
      case Op::min: case Op::max: case Op::min_of: case Op::max_of:
        bind(e.type);
        return;
      case Op::first: case Op::list_of: in_order(e.clause); return;
      case Op::first_of: kids(); return;
      case Op::top: case Op::bottom: case Op::top_n: case Op::bottom_n: case Op::nth:
        for (const ExprId kid : e.kids) {
          if (r_[kid].op != Op::zone) bind_what_it_bears(r_[kid].type);
        }
        return;
      case Op::var_family: case Op::param_family:
        for (const Type& index : e.op == Op::var_family ? r_.vars[e.ref].index : r_.params[e.ref].index) bind(index);
        return;
      default: return;
    }
  }

  const rules::Rules& r_;
  Walk walk_;
  std::vector<char> free_;
};

}  // namespace

std::vector<char> interchangeable_enums(const rules::Rules& rules) { return Finder(rules).run(); }

}  // namespace rip::check
