// Decisions: who is asked, what may be chosen, and the bodies that follow.
#include "interp/lower/lower_impl.h"

#include <algorithm>

namespace rip {

namespace {
constexpr std::int32_t kMostNumbers = 30;  ///< in one move
}

/// The clause of a move, and cells from `base` on for its arguments.
std::int32_t Lowering::Impl::option(const rules::Option& from, std::int32_t base) {
  ir::Option made;
  made.name = from.name;
  made.secretly = from.secretly;
  made.otherwise = from.otherwise;
  made.cover = from.cover == kNoId ? -1 : static_cast<std::int32_t>(from.cover);
  made.span = from.span;
  made.clause = clause(from.clause, true);
  cursor = base;
  for (const rules::Binder& binder : r.clauses[from.clause].binders) {
    rules::Type type = r.locals[binder.local].type;
    made.arg_texts.push_back(texts_of(type));
    if (!binder.pick) {
      made.args.push_back(frame_local(type, 0, from.span));
      made.args_size += 1;
      continue;
    }
    type = expr(binder.source).type;
    type.shape = binder.in_order ? rules::Shape::list : rules::Shape::set;
    const rules::ExprId high_id = binder.pick_high == kNoId ? binder.pick_low : binder.pick_high;
    const std::optional<std::int64_t> known = fold(high_id);
    const std::int64_t picked = std::min<std::int64_t>(known ? *known : high(expr(high_id).type), most(binder.source));
    const auto numbers = static_cast<std::int32_t>(std::clamp<std::int64_t>(picked, 0, ir::kMaxList));
    made.args.push_back(frame_local(type, numbers, from.span));
    made.args_size += 1 + numbers;
  }
  if (made.args_size > kMostNumbers) throw NotSupported{from.span, "a move that names more than 29 things is not supported yet"};
  p.max_args = std::max(p.max_args, made.args_size);
  p.options.push_back(std::move(made));
  return static_cast<std::int32_t>(p.options.size() - 1);
}

void Lowering::Impl::run_choose(const rules::Choose& node, Span span) {
  const std::int32_t begin = cursor;
  ir::Choose made;
  made.each = node.each;
  made.span = span;
  if (node.each) {
    const std::vector<rules::Binder>& binders = r.clauses[node.clause].binders;
    if (binders.size() != 1) throw NotSupported{span, "`choose each` over several names is not supported yet"};
    made.clause = clause(node.clause, true);
    made.seat_local = frame_local(r.locals[binders[0].local].type, 0, span);
    names[binders[0].local] = local_node(made.seat_local, span);
  } else {
    made.seat = scalar(node.seat);
    made.saved_me = allocate_cell(ir::Width::i32);
  }
  const std::int32_t base = cursor;
  std::int32_t args_end = base;
  std::int32_t numbers = 0;
  made.first = static_cast<std::int32_t>(p.options.size());
  made.count = static_cast<std::int32_t>(node.options.size());
  for (const rules::Option& from : node.options) {
    const std::int32_t index = option(from, base);
    numbers = std::max(numbers, p.options[static_cast<std::size_t>(index)].args_size);
    args_end = std::max(args_end, cursor);
  }
  cursor = args_end;
  if (node.each) {
    made.commit_stride = 4 + 4 * numbers;
    made.state = allocate(ir::commitment(made, box.players, box.players), 4);  // made.state is 0: what all of it takes
  }
  const auto index = static_cast<std::int32_t>(p.chooses.size());
  p.chooses.push_back(made);
  Label behind;
  span_now = span;
  refer(behind, emit(InstrOp::choose, index), 1);
  chooses.push_back(index);
  for (std::size_t i = 0; i < node.options.size(); ++i) {
    const rules::Option& from = node.options[i];
    const std::size_t at_option = static_cast<std::size_t>(made.first) + i;
    span_now = from.span;
    p.options[at_option].body = here();
    const std::vector<rules::Binder>& binders = r.clauses[from.clause].binders;
    for (std::size_t k = 0; k < binders.size(); ++k) names[binders[k].local] = local_node(p.options[at_option].args[k], from.span);
    cover(from.cover);
    if (options.coverage) {
      std::set<rules::LetId> found;
      lets_in_clause(from.clause, found);
      cover_lets(found);
    }
    block(from.body);
    span_now = from.span;
    claims_at(ast::MomentKind::move, kNoId, from.name);
    refer(behind, emit(InstrOp::choose_end, index), 1);
  }
  chooses.pop_back();
  place(behind);
  cursor = begin;
}

}  // namespace rip
