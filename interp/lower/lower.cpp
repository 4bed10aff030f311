// Layout and declarations: what lies where in the state, and the order in which everything is lowered.
#include "interp/lower/lower_impl.h"

#include <algorithm>

namespace rip {

using rules::Base;

std::int32_t Lowering::Impl::allocate(std::int32_t bytes, std::int32_t align) {
  p.size = (p.size + align - 1) / align * align;
  const std::int32_t offset = p.size;
  p.size += bytes;
  if (p.size > (16 << 20)) throw NotSupported{span, "the state of this game takes more than 16 MiB"};
  return offset;
}

ir::Cell Lowering::Impl::allocate_cell(std::int64_t low, std::int64_t high) {
  if (low >= -127 && high <= 127) return {allocate(1, 1), ir::Width::i8};
  if (low >= -32767 && high <= 32767) return {allocate(2, 2), ir::Width::i16};
  return {allocate(4, 4), ir::Width::i32};
}

std::pair<std::int32_t, std::int32_t> Lowering::Impl::index_range(const rules::Type& type) const {
  switch (type.base) {
    case Base::seat: return {0, box.players};
    case Base::component: {
      const auto [first, last] = box.of_type[type.id];
      return {static_cast<std::int32_t>(first), static_cast<std::int32_t>(last - first)};
    }
    default: return {static_cast<std::int32_t>(type.low), static_cast<std::int32_t>(type.high - type.low + 1)};
  }
}

std::int32_t Lowering::Impl::texts_of(const rules::Type& type) {
  switch (type.base) {
    case Base::component: return -2;
    case Base::seat: return -3;
    case Base::flag:
    case Base::side:
    case Base::enumeration: break;
    default: return -1;
  }
  const auto key = std::pair(static_cast<int>(type.base), type.base == Base::enumeration ? type.id : 0);
  const auto found = texts.find(key);
  if (found != texts.end()) return found->second;
  p.value_texts.push_back(type.base == Base::flag   ? std::vector<std::string>{"no", "yes"}
                          : type.base == Base::side ? std::vector<std::string>{"up", "down"}
                                                    : r.enums[type.id].values);
  p.value_lows.push_back(0);
  return texts[key] = static_cast<std::int32_t>(p.value_texts.size() - 1);
}

void Lowering::Impl::seats_and_texts() {
  p.title = r.title;
  p.variant = r.variant;
  p.players = box.players;
  p.seats = options.seats;
  for (int i = static_cast<int>(p.seats.size()); i < box.players; ++i) p.seats.push_back("player " + std::to_string(i + 1));
  for (std::size_t i = 0; i < r.params.size(); ++i) {
    p.params.emplace_back(r.params[i].name, config.params[i]);
    param_tables.push_back(static_cast<std::int32_t>(p.tables.size()));
    p.tables.insert(p.tables.end(), config.params[i].begin(), config.params[i].end());
  }
  for (const rules::Tag& tag : r.tags) p.tags.push_back(tag.text);
  for (const rules::CoverPoint& point : r.covers) {
    p.covers.push_back({static_cast<ir::CoverPoint::Kind>(point.kind), point.name, point.span, {point.tags.begin(), point.tags.end()}});
  }
}

void Lowering::Impl::components() {
  const auto n = static_cast<std::int32_t>(box.components.size());
  for (std::size_t t = 0; t < r.component_types.size(); ++t) {
    const rules::ComponentType& type = r.component_types[t];
    const auto [first, last] = box.of_type[t];
    ir::ComponentType made;
    made.name = type.name;
    made.first = static_cast<std::int32_t>(first);
    made.last = static_cast<std::int32_t>(last);
    made.die = type.kind == ast::ComponentKind::die;
    made.hidden_side = type.kind == ast::ComponentKind::card;
    made.low_face = static_cast<std::int32_t>(type.low_face);
    made.high_face = static_cast<std::int32_t>(type.high_face);
    auto tells_apart = [&](const rules::Var& var) {
      const bool indexed = std::any_of(var.index.begin(), var.index.end(), [&](const rules::Type& i) { return i.base == Base::component && i.id == t; });
      return indexed || (var.kind != rules::Var::Kind::phase_binding && var.type.base == Base::component && (var.type.id == t || var.type.id == rules::kNoId));
    };
    made.mergeable = std::none_of(r.vars.begin(), r.vars.end(), tells_apart) &&
                     std::none_of(r.zones.begin(), r.zones.end(), [&](const rules::Zone& zone) {
                       return std::any_of(zone.index.begin(), zone.index.end(), [&](const rules::Type& i) { return i.base == Base::component && i.id == t; });
                     });
    p.types.push_back(std::move(made));

    attribute_tables.emplace_back();
    for (std::size_t a = 0; a < type.attributes.size(); ++a) {
      // one number for each component of the type; read at table + component id
      attribute_tables.back().push_back(static_cast<std::int32_t>(p.tables.size()) - static_cast<std::int32_t>(first));
      for (std::uint32_t c = first; c < last; ++c) p.tables.push_back(box.components[c].attributes[a]);
    }
  }
  std::vector<std::uint32_t> fronts;
  std::vector<std::uint32_t> backs;
  for (std::int32_t c = 0; c < n; ++c) {
    const Component& from = box.components[static_cast<std::size_t>(c)];
    const rules::ComponentType& type = r.component_types[from.type];
    auto same_back = [&](std::uint32_t other) {
      const Component& with = box.components[other];
      if (with.type != from.type) return false;
      for (std::size_t a = 0; a < type.attributes.size(); ++a) {
        if (type.attributes[a].back && (with.attributes[a] != from.attributes[a] || with.texts[a] != from.texts[a])) return false;
      }
      return true;
    };
    auto class_of = [&](std::vector<std::uint32_t>& known, auto same) {
      for (std::size_t i = known.size(); i-- > 0;) {
        if (same(known[i])) return static_cast<std::int32_t>(i);
      }
      known.push_back(static_cast<std::uint32_t>(c));
      return static_cast<std::int32_t>(known.size() - 1);
    };
    ir::Component made;
    made.phrase = phrase_text(static_cast<std::uint32_t>(c));
    made.type = static_cast<std::int16_t>(from.type);
    made.owner = static_cast<std::int16_t>(from.owner);
    made.front_class = class_of(fronts, [&](std::uint32_t other) { return box.equal(other, static_cast<std::uint32_t>(c)); });
    made.back_class = class_of(backs, same_back);
    std::string back;
    for (std::size_t a = 0; a < type.attributes.size(); ++a) {
      if (!type.attributes[a].back) continue;
      back += back.empty() ? "" : " ";
      back += type.attributes[a].type.base == Base::text ? from.texts[a] : value_text(r, box, type.attributes[a].type, from.attributes[a], p.seats);
    }
    made.back = back;
    p.components.push_back(std::move(made));
  }
  p.zone_of = allocate(2 * n, 2);
  p.faces = allocate(n, 1);
  p.known = allocate(4 * n, 4);
  p.rolling = std::any_of(p.types.begin(), p.types.end(), [](const ir::ComponentType& t) { return t.die; }) ? allocate(n, 1) : -1;
}

std::string Lowering::Impl::phrase_text(std::uint32_t component) const {

  const rules::Type type{rules::Base::component, rules::Shape::scalar, box.components[component].type, 0, 0, false};
  const std::string text = value_text(r, box, type, component, p.seats);
  return text;
}

void Lowering::Impl::zones() {
  // of which types some pile may hold a bag, and of which cards may lie face up
  auto look = [&](auto&& self, const rules::Block& block_of) -> void {
    for (const rules::Stmt& stmt : block_of) {
      std::visit(
          [&](const auto& x) {
            using T = std::decay_t<decltype(x)>;
            if constexpr (std::is_same_v<T, rules::Shuffle>) mixed_types.insert(r.zones[at(x.what).ref].type);
            if constexpr (std::is_same_v<T, rules::Move>) {
              if (x.face != rules::kNoId) facing_types.insert(r.zones[at(x.to).ref].type);
            }
            if constexpr (std::is_same_v<T, rules::Turn>) facing_types.insert(is_zone_like(x.what) ? r.zones[at(x.what).ref].type : at(x.what).type.id);
            if constexpr (std::is_same_v<T, rules::If>) {
              self(self, x.then_block);
              self(self, x.else_block);
            }
            if constexpr (std::is_same_v<T, rules::Loop> || std::is_same_v<T, rules::Together>) self(self, x.body);
            if constexpr (std::is_same_v<T, rules::MatchStmt>) {
              for (const auto& arm : x.arms) self(self, arm.body);
            }
            if constexpr (std::is_same_v<T, rules::Choose>) {
              for (const auto& option : x.options) self(self, option.body);
            }
          },
          stmt.node);
    }
  };
  for (const auto& phase : r.phases) look(look, phase.body);
  for (const auto& routine : r.routines) look(look, routine.body);
  for (const auto& when : r.whens) look(look, when.body);
  for (const auto& zone : r.zones) {
    if (zone.refill_from != rules::kNoId || zone.kind == ast::ZoneKind::hand) mixed_types.insert(zone.type);
    if (zone.face && *zone.face == 0) facing_types.insert(zone.type);
  }
  const auto n = static_cast<std::int32_t>(box.zones.size());
  p.counts = allocate(2 * n, 2);
  for (std::int32_t z = 0; z < n; ++z) {
    const ZoneInstance& from = box.zones[static_cast<std::size_t>(z)];
    const rules::Zone& declared = r.zones[from.zone];
    const rules::ComponentType& type = r.component_types[declared.type];
    ir::Zone made;
    made.name = zone_name(r, box, static_cast<std::uint32_t>(z), p.seats);
    made.family = static_cast<std::int32_t>(from.zone);
    made.index = from.index;
    for (const rules::Type& index : declared.index) made.index_texts.push_back(texts_of(index));
    made.kind = static_cast<ir::ZoneKind>(declared.kind);
    made.capacity = from.capacity;
    made.ids = allocate(2 * std::max(1, made.capacity), 2);
    if (may_hold_bags(declared)) made.bags = allocate(std::max(1, made.capacity), 1);
    if (declared.face) made.face = static_cast<std::int8_t>(*declared.face);
    made.deck = declared.deck != rules::kNoId;
    if (made.kind == ir::ZoneKind::hand && !from.index.empty()) made.owner = static_cast<std::int32_t>(from.index.front());
    const bool backs = std::any_of(type.attributes.begin(), type.attributes.end(), [](const rules::Attribute& a) { return a.back; });
    made.backs_tell = made.kind == ir::ZoneKind::pile && (backs || facing_types.count(declared.type) != 0 || type.kind != ast::ComponentKind::card);
    p.zones.push_back(std::move(made));
    // piles from the top in the box, from the bottom in the state
    std::vector<std::uint16_t> cards(box.contents[static_cast<std::size_t>(z)].begin(), box.contents[static_cast<std::size_t>(z)].end());
    if (declared.kind == ast::ZoneKind::pile) std::reverse(cards.begin(), cards.end());
    p.contents.push_back(std::move(cards));
  }
}

void Lowering::Impl::vars() {
  for (const rules::Var& declared : r.vars) {
    ir::Var made;
    made.name = declared.name;
    made.optional = declared.type.optional;
    made.component = declared.type.base == Base::component;
    made.seat = declared.type.base == Base::seat;
    made.low = made.seat ? 0 : declared.type.low;
    made.high = made.seat ? box.players - 1 : declared.type.high;
    made.money = declared.kind == rules::Var::Kind::money;
    made.visible = !declared.local;
    made.phase = declared.phase == rules::kNoId ? -1 : static_cast<std::int32_t>(declared.phase);
    made.texts = texts_of(declared.type);
    for (const rules::Type& index : declared.index) {
      made.index_texts.push_back(texts_of(index));
      made.index.push_back(index_range(index));
      made.count *= made.index.back().second;
    }
    if (declared.type.shape == rules::Shape::set) {
      made.set = true;
      made.domain = domain_of(declared.type, declared.span);
      made.cell.offset = allocate(8 * made.domain.words * made.count, 8);
    } else {
      const bool wide = declared.type.base == Base::component || declared.type.base == Base::unknown;
      const std::int64_t high = wide ? static_cast<std::int64_t>(box.components.size()) : made.high;
      // start values before the first pass are 0 or none, so 0 must fit
      made.cell = allocate_cell(std::min<std::int64_t>(0, made.low), std::max<std::int64_t>(0, high));
      const std::int32_t width = 1 << static_cast<int>(made.cell.width);
      p.size = made.cell.offset;
      made.cell.offset = allocate(width * made.count, width);
    }
    if (declared.seen_by != rules::kNoId) made.known = allocate(4 * made.count, 4);
    made.first_value = made.optional ? ir::kNone : made.component || made.seat ? 0 : made.low;
    p.vars.push_back(std::move(made));
  }
  for (std::size_t i = 0; i < r.phases.size(); ++i) {
    ir::Phase made;
    made.name = r.phases[i].name;
    made.parent = r.phases[i].parent == rules::kNoId ? -1 : static_cast<std::int32_t>(r.phases[i].parent);
    made.bit = static_cast<std::int32_t>(i);
    if (i >= 64) throw NotSupported{r.phases[i].span, "more than 64 phases are not supported yet"};
    p.phases.push_back(std::move(made));
  }
  entries.resize(r.phases.size());
}

void Lowering::Impl::start_of(rules::VarId id) {
  const rules::Var& declared = r.vars[id];
  const Span outer = span;
  span = declared.span;
  std::vector<std::int32_t> slots;
  for (const rules::LocalId name : declared.index_locals) {
    if (name == rules::kNoId) {
      slots.push_back(-1);
      continue;
    }
    places[name] = new_scratch(r.locals[name].type, false, false, declared.span);
    slots.push_back(places[name].slot);
  }
  p.vars[id].index_slots = std::move(slots);
  if (declared.start != rules::kNoId) p.vars[id].start = p.vars[id].set ? set(declared.start) : scalar(declared.start);
  if (declared.seen_by != rules::kNoId) p.vars[id].seen_by = set(declared.seen_by);
  span = outer;
}

void Lowering::Impl::late_declarations() {
  // a variable that starts where it stands may read the names around it, so it waits for that place
  for (std::size_t i = 0; i < r.vars.size(); ++i) {
    if (!r.vars[i].local && r.vars[i].phase == rules::kNoId) start_of(static_cast<rules::VarId>(i));
  }
  for (std::size_t z = 0; z < box.zones.size(); ++z) {
    const ZoneInstance& from = box.zones[z];
    const rules::Zone& declared = r.zones[from.zone];
    ir::Zone& made = p.zones[z];
    span = declared.span;
    // the names of the index are known numbers in each place
    std::vector<std::pair<rules::LocalId, std::int64_t>> names;
    for (std::size_t i = 0; i < declared.index_locals.size(); ++i) {
      if (declared.index_locals[i] == rules::kNoId) continue;
      Place place;
      place.kind = Place::Kind::constant;
      place.value = from.index[i];
      places[declared.index_locals[i]] = place;
    }
    if (declared.max != rules::kNoId) made.limit = scalar(declared.max);
    if (declared.seen_by != rules::kNoId) {
      made.seen_by = set(declared.seen_by);
      p.refreshes.push_back(static_cast<std::int32_t>(z));
    }
    if (declared.refill_from != rules::kNoId) {
      const ir::Node source_zone = zone(declared.refill_from);
      const ir::ExprNode& node = p.nodes[static_cast<std::size_t>(source_zone)];
      if (node.op != ir::NodeOp::zone || node.b != 1) throw NotSupported{declared.span, "`refilled from` needs one zone with known indices"};
      p.zones[z].refill_from = node.a;
      if (declared.refill_keeping != rules::kNoId) p.zones[z].refill_keeping = scalar(declared.refill_keeping);
    }
  }
  p.score_slot = p.scratch_slots++;
  if (r.score != rules::kNoId) {
    Place place;
    place.kind = Place::Kind::scratch;
    place.slot = p.score_slot;
    places[r.score_seat] = place;
    p.score = scalar(r.score);
  }
  if (r.winner != rules::kNoId) p.winner = clause(r.winner, false);
}

void Lowering::Impl::routines() {
  // 0 is the main flow, then the rules, then the bodies of triggers
  p.routines.resize(1 + r.routines.size() + r.whens.size());
  auto lower_routine = [&](std::int32_t index, const std::string& name, auto&& params, auto&& body, rules::CoverId cover_id) {
    now = {};
    now.routine = index;
    ir::Routine& made = p.routines[static_cast<std::size_t>(index)];
    made.name = name;
    made.frame = allocate(8, 8);
    params(made);
    const ir::Pc entry = here();
    cover(cover_id);
    body();
    if (index != 0) emit(ir::InstrOp::ret);
    ir::Routine& done = p.routines[static_cast<std::size_t>(index)];
    done.entry = entry;
    done.frame_size = p.size - done.frame;
  };
  // a pc of 0 marks a frame that does not run
  emit(ir::InstrOp::nop);
  lower_routine(
      0, "main", [](ir::Routine&) {},
      [&] {
        p.entry = here();
        if (r.setup == rules::kNoId) p.setup_end = emit(ir::InstrOp::checkpoint);
        block(r.main);
        emit(ir::InstrOp::finish);
      },
      rules::kNoId);
  for (std::size_t i = 0; i < r.routines.size(); ++i) {
    const rules::Routine& routine = r.routines[i];
    lower_routine(
        static_cast<std::int32_t>(1 + i), routine.name,
        [&](ir::Routine& made) {
          for (const rules::LocalId name : routine.params) {
            made.params.push_back(frame_local(r.locals[name].type, r.locals[name].span));
            places[name] = place_of(made.params.back());
          }
        },
        [&] { block(routine.body); }, routine.cover);
  }
  for (std::size_t i = 0; i < r.whens.size(); ++i) {
    const rules::When& when = r.whens[i];
    lower_routine(
        static_cast<std::int32_t>(1 + r.routines.size() + i), "when",
        [&](ir::Routine&) {
          if (when.clause == rules::kNoId) {
            const ir::Node condition = scalar(when.condition);
            p.whens[i].condition = condition;
            return;
          }
          p.whens[i].clause = clause(when.clause, true);
          for (const auto& binder : r.clauses[when.clause].binders) {
            p.whens[i].locals.push_back(frame_local(r.locals[binder.local].type, when.span));
            places[binder.local] = place_of(p.whens[i].locals.back());
          }
        },
        [&] { block(when.body); }, when.cover);
  }
}

void Lowering::Impl::claims() {
  for (std::size_t i = 0; i < r.claims.size(); ++i) {
    const rules::Claim& claim = r.claims[i];
    ir::Claim& made = p.claims[i];
    const bool waiting = !claim.statement && (claim.moment == ast::MomentKind::waiting || claim.moment == ast::MomentKind::end);
    if (!waiting) continue;
    now = {};
    if (claim.condition != rules::kNoId) made.condition = scalar(claim.condition);
    made.at_end = claim.moment == ast::MomentKind::end || claim.reads_result;
    made.at_waiting = !made.at_end;
  }
  for (const rules::Bound& bound : r.bounds) {
    ir::Bound made;
    made.text = bound.text;
    made.span = bound.span;
    if (bound.clause != rules::kNoId) made.clause = clause(bound.clause, true);
    made.value = need(bound.value);
    made.low = need(bound.low);
    made.high = need(bound.high);
    made.at_end = bound.reads_result;
    p.bounds.push_back(std::move(made));
  }
  for (const rules::Report& report : r.reports) p.reports.push_back({report.text, need(report.value)});
}

// ---- the public side ------------------------------------------------------------------------------------------

Lowering::Lowering(const rules::Rules& rules, const Box& box, const rules::Config& config, LowerOptions options)
    : impl_(new Impl(rules, box, config, std::move(options))) {}

Lowering::~Lowering() { delete impl_; }

void Lowering::game() {
  Impl& in = *impl_;
  try {
    in.places.resize(in.r.locals.size());
    in.p.size = ir::kHeaderSize;
    in.seats_and_texts();
    in.components();
    in.zones();
    in.vars();
    for (const rules::Claim& claim : in.r.claims) {
      in.p.claims.push_back({claim.text, ir::kNoNode, static_cast<ir::Claim::Kind>(claim.kind), false, false, claim.span});
    }
    in.late_declarations();
    in.declare_whens();
    in.routines();
    in.claims();
  } catch (const NotSupported& wanted) {
    in.error = wanted.message;
    in.error_span = wanted.span;
  } catch (const ConstantFault& wanted) {
    in.error = wanted.message;
    in.error_span = wanted.span;
  }
}

ir::Node Lowering::expression(rules::ExprId expr) {
  Impl& in = *impl_;
  in.now = {};
  in.places.resize(in.r.locals.size());
  try {
    return in.value(expr);
  } catch (const NotSupported& wanted) {
    in.error = wanted.message;
    in.error_span = wanted.span;
  }
  return ir::kNoNode;
}

ir::Domain Lowering::domain(rules::ExprId expr) const { return impl_->domain_of(impl_->at(expr).type, impl_->at(expr).span); }

ir::Node Lowering::index_node(rules::VarId var, const std::vector<rules::ExprId>& index) {
  impl_->now = {};
  return impl_->position(index, impl_->r.vars[var].index);
}

std::int32_t Lowering::phrase(rules::PhraseId phrase) {
  impl_->now = {};
  return impl_->phrase(impl_->r.phrases[phrase]);
}

const ir::Program& Lowering::program() {
  impl_->p.size = (impl_->p.size + 15) / 16 * 16;
  return impl_->p;
}

const std::string& Lowering::error() const { return impl_->error; }
Span Lowering::error_span() const { return impl_->error_span; }

}  // namespace rip
