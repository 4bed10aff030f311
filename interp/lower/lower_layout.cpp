// Declarations of the IR and the addresses of everything in the state.
#include "interp/lower/lower_impl.h"

#include <fmt/format.h>

#include <algorithm>

namespace rip {

using rules::Base;
using rules::Shape;

namespace {
constexpr std::int64_t kLargestNumber = 2147483647;

ir::ZoneKind kind_of(ast::ZoneKind kind) {
  switch (kind) {
    case ast::ZoneKind::pile: return ir::ZoneKind::pile;
    case ast::ZoneKind::row: return ir::ZoneKind::row;
    case ast::ZoneKind::place: return ir::ZoneKind::place;
    case ast::ZoneKind::hand: return ir::ZoneKind::hand;
  }
  return ir::ZoneKind::pile;
}
}  // namespace

std::int32_t Lowering::Impl::allocate(std::int32_t bytes, std::int32_t alignment) {
  cursor = (cursor + alignment - 1) / alignment * alignment;
  const std::int32_t at = cursor;
  cursor += bytes;
  highest = std::max(highest, cursor);
  return at;
}

ir::Cell Lowering::Impl::allocate_cell(ir::Width width) {
  const std::int32_t bytes = 1 << static_cast<int>(width);
  return {allocate(bytes, bytes), width};
}

std::pair<std::int64_t, std::int64_t> Lowering::Impl::axis(const rules::Type& type) const {
  return {low(type), std::max<std::int64_t>(0, high(type) - low(type) + 1)};
}

std::int64_t Lowering::Impl::low(const rules::Type& type) const {
  if (type.base == Base::component) return type.id == kNoId ? 0 : box.of_type[type.id].first;
  return type.base == Base::seat ? 0 : type.low;
}

std::int64_t Lowering::Impl::high(const rules::Type& type) const {
  if (type.base == Base::component) return (type.id == kNoId ? std::ssize(box.components) : static_cast<std::int64_t>(box.of_type[type.id].second)) - 1;
  return type.base == Base::seat ? box.players - 1 : type.high;
}

ir::Domain Lowering::Impl::domain(const rules::Type& type, Span span) const {
  switch (type.base) {
    case Base::component: return {0, std::max(1, static_cast<std::int32_t>((box.components.size() + 63) / 64))};
    case Base::seat:
    case Base::unknown:
    case Base::text: return {0, 1};
    case Base::integer:
    case Base::enumeration:
    case Base::flag:
    case Base::side: break;
  }
  const std::int64_t words = type.high < type.low ? 1 : (type.high - type.low) / 64 + 1;
  if (words > ir::kMaxWords || type.low <= -kLargestNumber) throw NotSupported{span, "a set over more than 1024 values is not supported yet"};
  return {static_cast<std::int32_t>(type.low), static_cast<std::int32_t>(words)};
}

ir::Width Lowering::Impl::width(std::int64_t low, std::int64_t high) {
  if (low >= -127 && high <= 127) return ir::Width::i8;
  if (low >= -32767 && high <= 32767) return ir::Width::i16;
  return ir::Width::i32;
}

std::int32_t Lowering::Impl::texts_of(const rules::Type& type) const {
  const auto enums = static_cast<std::int32_t>(r.enums.size());
  switch (type.base) {
    case Base::enumeration: return static_cast<std::int32_t>(type.id);
    case Base::flag: return enums;
    case Base::side: return enums + 1;
    case Base::component: return ir::kComponentText;
    case Base::seat: return ir::kSeatText;
    case Base::integer:
    case Base::text:
    case Base::unknown: return ir::kNumberText;
  }
  return ir::kNumberText;
}

std::string Lowering::Impl::seat_text(std::int64_t seat) const {
  if (seat < std::ssize(options.seats)) return options.seats[static_cast<std::size_t>(seat)];
  return fmt::format("player {}", seat + 1);
}

ir::FrameLocal Lowering::Impl::frame_local(const rules::Type& type, std::int32_t most, Span span) {
  ir::FrameLocal local;
  local.component = type.base == Base::component || type.base == Base::unknown;
  local.texts = texts_of(type);
  switch (type.shape) {
    case Shape::scalar:
      local.kind = ir::LocalKind::scalar;
      local.cell = allocate_cell(type.base == Base::unknown ? ir::Width::i32 : width(low(type), high(type)));
      return local;
    case Shape::set:
      local.kind = ir::LocalKind::set;
      local.domain = domain(type, span);
      local.cell = {allocate(8 * local.domain.words, 8), ir::Width::i32};
      return local;
    case Shape::list:
      local.kind = ir::LocalKind::list;
      local.max = std::min(most, ir::kMaxList);
      local.cell = {allocate(4 + 4 * local.max, 4), ir::Width::i32};
      return local;
  }
  return local;
}

Node Lowering::Impl::local_node(const ir::FrameLocal& local, Span span) {
  switch (local.kind) {
    case ir::LocalKind::scalar: return add(NodeOp::cell, span, local.cell.offset, 0, 0, local.cell.width);
    case ir::LocalKind::set: return add(NodeOp::set_var, span, local.cell.offset, local.domain.words, local.domain.low);
    case ir::LocalKind::list: return add(NodeOp::list_var, span, local.cell.offset);
  }
  return ir::kNoNode;
}

std::int32_t Lowering::Impl::keep_frame_local(const ir::FrameLocal& local) {
  p.frame_locals.push_back(local);
  return static_cast<std::int32_t>(p.frame_locals.size() - 1);
}

void Lowering::Impl::declare_texts() {
  p.title = r.title;
  p.variant = r.variant;
  p.players = box.players;
  for (int seat = 0; seat < box.players; ++seat) p.seats.push_back(seat_text(seat));
  for (const rules::Enum& e : r.enums) p.value_texts.push_back(e.values);
  p.value_texts.push_back({"no", "yes"});
  p.value_texts.push_back({"up", "down"});
  p.value_lows.assign(p.value_texts.size(), 0);
  for (rules::EnumId e = 0; e < r.enums.size(); ++e) {
    if (r.enums[e].interchangeable) p.interchangeable.push_back(static_cast<std::int32_t>(e));
  }
  for (std::size_t i = 0; i < r.params.size(); ++i) {
    p.params.emplace_back(r.params[i].name, config.params[i]);
    param_tables.push_back(static_cast<std::int32_t>(p.tables.size()));
    p.tables.insert(p.tables.end(), config.params[i].begin(), config.params[i].end());
  }
  for (const rules::Tag& tag : r.tags) p.tags.push_back(tag.text);
  for (const rules::CoverPoint& point : r.covers) {
    ir::CoverPoint made{static_cast<ir::CoverPoint::Kind>(static_cast<int>(point.kind)), point.name, point.span, {}};
    for (const rules::TagId tag : point.tags) made.tags.push_back(static_cast<std::int32_t>(tag));
    p.covers.push_back(std::move(made));
  }
}

void Lowering::Impl::declare_components() {
  for (rules::TypeId t = 0; t < r.component_types.size(); ++t) {
    const rules::ComponentType& from = r.component_types[t];
    ir::ComponentType type;
    type.name = from.name;
    type.first = static_cast<std::int32_t>(box.of_type[t].first);
    type.last = static_cast<std::int32_t>(box.of_type[t].second);
    type.die = from.kind == ast::ComponentKind::die;
    type.hidden_side = from.kind == ast::ComponentKind::card;
    type.low_face = static_cast<std::int32_t>(from.low_face);
    type.high_face = static_cast<std::int32_t>(from.high_face);
    const auto of_type = [&](const rules::Type& x) { return x.base == Base::component && (x.id == t || x.id == kNoId); };
    for (const rules::Var& var : r.vars)
      type.mergeable = type.mergeable && !of_type(var.type) && std::none_of(var.index.begin(), var.index.end(), of_type);
    for (const rules::Zone& zone : r.zones) type.mergeable = type.mergeable && std::none_of(zone.index.begin(), zone.index.end(), of_type);
    attribute_tables.emplace_back();
    for (rules::AttrId a = 0; a < from.attributes.size(); ++a) {
      attribute_tables.back().push_back(static_cast<std::int32_t>(p.tables.size()) - type.first);
      for (std::int32_t c = type.first; c < type.last; ++c) p.tables.push_back(box.components[static_cast<std::size_t>(c)].attributes[a]);
    }
    type.tables = attribute_tables.back();
    for (const rules::Attribute& attribute : from.attributes) type.table_texts.push_back(texts_of(attribute.type));
    p.types.push_back(std::move(type));
  }
  const std::vector<std::string>& seats = p.seats;
  for (std::uint32_t c = 0; c < box.components.size(); ++c) {
    const Component& from = box.components[c];
    const rules::ComponentType& type = r.component_types[from.type];
    ir::Component made;
    rules::Type itself{Base::component, Shape::scalar, from.type, 0, 0, false};
    made.phrase = value_text(r, box, itself, c, seats);
    made.type = static_cast<std::int16_t>(from.type);
    made.owner = static_cast<std::int16_t>(from.owner);
    const auto shows = [&](std::size_t a) { return type.kind != ast::ComponentKind::card || type.attributes[a].back; };
    const auto same_back = [&](std::uint32_t other) {
      for (std::size_t a = 0; a < type.attributes.size(); ++a)
        if (shows(a) && (box.components[other].attributes[a] != from.attributes[a] || box.components[other].texts[a] != from.texts[a])) return false;
      return true;
    };
    // classes are named by their first members
    std::uint32_t front = box.of_type[from.type].first;
    while (!box.equal(front, c)) ++front;
    std::uint32_t behind = box.of_type[from.type].first;
    while (!same_back(behind)) ++behind;
    made.front_class = static_cast<std::int32_t>(front);
    made.back_class = static_cast<std::int32_t>(behind);
    std::string back;
    for (std::size_t a = 0; a < type.attributes.size(); ++a) {
      const rules::Attribute& attribute = type.attributes[a];
      if (!shows(a) || attribute.type.shape != Shape::scalar) continue;
      const std::string text = attribute.type.base == Base::text   ? from.texts[a]
                               : attribute.type.base == Base::flag ? (from.attributes[a] == 1 ? attribute.name : "")
                                                                   : value_text(r, box, attribute.type, from.attributes[a], seats);
      if (!text.empty()) back += (back.empty() ? "" : " ") + text;
    }
    made.back = back.empty() ? type.name : fmt::format("{} <{}>", type.name, back);
    p.components.push_back(std::move(made));
  }
}

/// Gives a variable its cells: in the fixed part of the state, or in the frame that is being laid out.
void Lowering::Impl::address_var(rules::VarId id) {
  const rules::Var& from = r.vars[id];
  ir::Var& var = p.vars[id];
  if (var.set) {
    var.cell = {allocate(8 * var.domain.words * var.count, 8), ir::Width::i32};
  } else {
    const ir::Width bytes = width(low(from.type), high(from.type));
    const std::int32_t size = 1 << static_cast<int>(bytes);
    var.cell = {allocate(size * var.count, size), bytes};
  }
  if (from.seen_by != kNoId) var.known = allocate(4 * var.count, 4);
}

void Lowering::Impl::declare_vars() {
  for (rules::VarId id = 0; id < r.vars.size(); ++id) {
    const rules::Var& from = r.vars[id];
    ir::Var var;
    var.name = from.name;
    if (from.type.shape == Shape::list) throw NotSupported{from.span, "a variable that holds a list is not supported yet"};
    var.set = from.type.shape == Shape::set;
    var.domain = var.set ? domain(from.type, from.span) : ir::Domain{};
    std::int64_t count = 1;
    for (const rules::Type& type : from.index) {
      const auto [first, size] = axis(type);
      var.index.emplace_back(static_cast<std::int32_t>(first), static_cast<std::int32_t>(size));
      var.index_texts.push_back(texts_of(type));
      count *= size;
    }
    if (count > 65536) throw NotSupported{from.span, "more than 65536 variables in a family are not supported yet"};
    var.count = static_cast<std::int32_t>(count);
    var.low = std::max(low(from.type), -kLargestNumber);
    var.high = std::min(high(from.type), kLargestNumber);
    var.optional = from.type.optional;
    var.component = from.type.base == Base::component;
    var.first_value = from.type.optional ? ir::kNone : low(from.type);
    for (const rules::LocalId local : from.index_locals) {
      var.index_slots.push_back(slot(local));
      bind_scratch(local);
    }
    var.visible = !from.local;
    var.phase = from.phase == kNoId ? -1 : static_cast<std::int32_t>(from.phase);
    var.money = from.kind == rules::Var::Kind::money;
    var.texts = std::max(texts_of(from.type), -1);
    var.seat = from.type.base == Base::seat;
    var.type_text = from.type.base == Base::enumeration ? r.enums[from.type.id].name
                    : var.component && from.type.id != kNoId ? r.component_types[from.type.id].name
                                                             : "";
    p.vars.push_back(std::move(var));
    if (!from.local) address_var(id);
  }
}

void Lowering::Impl::declare_phases() {
  if (r.phases.size() > 64) throw NotSupported{r.phases[64].span, "more than 64 phases are not supported yet"};
  for (rules::PhaseId id = 0; id < r.phases.size(); ++id) {
    ir::Phase phase;
    phase.name = r.phases[id].name;
    phase.parent = r.phases[id].parent == kNoId ? -1 : static_cast<std::int32_t>(r.phases[id].parent);
    phase.bit = static_cast<std::int32_t>(id);
    p.phases.push_back(std::move(phase));
  }
  phase_code.resize(r.phases.size());
}

void Lowering::Impl::declare_zones() {
  find_bags();
  const auto components = static_cast<std::int32_t>(box.components.size());
  p.known = allocate(4 * components, 4);
  p.zone_of = allocate(2 * components, 2);
  p.counts = allocate(2 * static_cast<std::int32_t>(box.zones.size()), 2);
  for (std::uint32_t z = 0; z < box.zones.size(); ++z) {
    const ZoneInstance& from = box.zones[z];
    const rules::Zone& declared = r.zones[from.zone];
    ir::Zone zone;
    zone.name = zone_name(r, box, z, p.seats);
    zone.family = static_cast<std::int32_t>(from.zone);
    zone.index = from.index;
    for (const rules::Type& type : declared.index) zone.index_texts.push_back(texts_of(type));
    zone.kind = kind_of(declared.kind);
    zone.capacity = from.capacity;
    if (declared.face) zone.face = static_cast<std::int8_t>(*declared.face);
    zone.deck = declared.deck != kNoId;
    if (declared.kind == ast::ZoneKind::hand)
      for (std::size_t i = 0; i < from.index.size() && zone.owner < 0; ++i)
        if (declared.index[i].base == Base::seat) zone.owner = static_cast<std::int32_t>(from.index[i]);
    zone.ids = allocate(2 * zone.capacity, 2);
    zone.backs_tell = shown_zones.count(from.zone) != 0;
    p.zones.push_back(std::move(zone));
    std::vector<std::uint16_t> contents(box.contents[z].begin(), box.contents[z].end());
    // a pile is kept from bottom to top
    if (declared.kind == ast::ZoneKind::pile) std::reverse(contents.begin(), contents.end());
    p.contents.push_back(std::move(contents));
  }
  for (ir::Zone& zone : p.zones)
    if (bag_zones.count(static_cast<rules::ZoneId>(zone.family)) != 0) zone.bags = allocate(zone.capacity, 1);
  p.faces = allocate(components, 1);
  const bool rolls = std::any_of(r.component_types.begin(), r.component_types.end(),
                                 [](const rules::ComponentType& type) { return type.kind == ast::ComponentKind::die; });
  p.rolling = rolls ? allocate(components, 1) : -1;
}

/// What is read each time somebody looks, with the zone's index values in place.
void Lowering::Impl::read_seen_by() {
  for (std::uint32_t z = 0; z < box.zones.size(); ++z) {
    const rules::Zone& declared = r.zones[box.zones[z].zone];
    for (std::size_t i = 0; i < declared.index_locals.size(); ++i) {
      if (declared.index_locals[i] == kNoId) continue;
      names[declared.index_locals[i]] = constant(box.zones[z].index[i], declared.span);
    }
    if (declared.seen_by != kNoId) p.zones[z].seen_by = set(declared.seen_by);
    if (declared.max != kNoId) p.zones[z].limit = needed(declared.max);
    if (declared.refill_keeping != kNoId) p.zones[z].refill_keeping = needed(declared.refill_keeping);
    if (declared.refill_from != kNoId) {
      const Node from = zone(declared.refill_from);
      if (at(from).op != NodeOp::zone || at(from).b != 1)
        throw NotSupported{expr(declared.refill_from).span, "a pile can be refilled from one fixed zone only, so far"};
      p.zones[z].refill_from = at(from).a;
    }
  }
  for (rules::VarId id = 0; id < r.vars.size(); ++id) {
    const rules::Var& from = r.vars[id];
    for (const rules::LocalId local : from.index_locals) bind_scratch(local);
    if (from.seen_by != kNoId) p.vars[id].seen_by = set(from.seen_by);
  }
}

}  // namespace rip
