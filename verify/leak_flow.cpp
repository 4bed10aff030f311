#include "verify/leak_flow.h"

#include <algorithm>
#include <tuple>

namespace rip::verify {

namespace {

bool inside(Span inner, Span outer) { return inner.file == outer.file && inner.begin >= outer.begin && inner.end <= outer.end && inner.end > inner.begin; }

/// Does the flow begin at what is other in the second world? 0: no; 2: certainly.
int begins_there(const Flow& flow, const Swap& swap, const Playable& playable) {
  const rules::Rules& rules = *playable.rules;
  const ir::Program& program = *playable.program;
  if (swap.renames()) {
    if (flow.secret.type == rules::kNoId) return flow.secret.var == rules::kNoId ? 1 : 0;
    const std::string& type = program.types[static_cast<std::size_t>(program.components[static_cast<std::size_t>(swap.a)].type)].name;
    return rules.component_types[flow.secret.type].name == type ? 2 : 0;
  }
  if (swap.var >= 0) return flow.secret.var != rules::kNoId && rules.vars[flow.secret.var].name == program.vars[static_cast<std::size_t>(swap.var)].name ? 2 : 0;
  return flow.secret.var != rules::kNoId ? 2 : 1;  // a decision: it lives on in what its body wrote
}

int ends_at(Span sink, Span noticed) {
  if (sink == noticed) return 4;
  if (inside(sink, noticed)) return 3;
  return inside(noticed, sink) ? 2 : 0;
}

/// Does it end where the seat has noticed a difference? 0: no; 1: it can have led there; 4: just there.
int ends_there(const Flow& flow, const Leak& leak, const Playable& playable) {
  using Sink = Flow::Sink;
  const bool options = leak.what == "the number of options" || leak.what == "an option";
  const bool asked = leak.what == "whose turn it is" || leak.what == "what is asked";
  if (options != (flow.kind == Sink::options) || (leak.what == "the own score") != (flow.kind == Sink::score)) return 0;
  if (flow.kind == Sink::score) return 4;
  const bool goes_another_way = flow.kind == Sink::asked || flow.kind == Sink::goes_on;
  if (asked && !goes_another_way) return 0;
  if (flow.kind == Sink::variable) {
    const std::string name = "the view of " + playable.rules->vars[flow.to].name;
    if (leak.what == name || leak.what.starts_with(name + "[")) return 4;
  }
  if (const int at = std::max(ends_at(flow.sink, leak.span), ends_at(flow.sink, leak.span_there)); at > 0) return at;
  // what happens next is other because a seat was asked, or something ended; and a sheet puts options into a decision of the base
  return goes_another_way || options || flow.kind == Sink::eyes ? 1 : 0;
}

}  // namespace

std::optional<Revealed> revealed_by(const Leak& leak, const Flows& flows, const Playable& playable) {
  const Flow* best = nullptr;
  std::tuple<int, int, std::int64_t> most{};
  for (const Flow& flow : flows.all) {
    const int begins = begins_there(flow, leak.swap, playable), ends = ends_there(flow, leak, playable);
    if (begins == 0 || ends == 0) continue;
    const std::tuple rank(ends, begins, -static_cast<std::int64_t>(flow.sink.end - flow.sink.begin));
    if (best != nullptr && rank <= most) continue;
    best = &flow;
    most = rank;
  }
  if (best == nullptr) return std::nullopt;
  return told(*best, *playable.rules);
}

}  // namespace rip::verify
