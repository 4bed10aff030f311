#include "verify/canonical.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace rip::verify {

namespace {

/// Mixes small numbers into well spread ones (the finalizer of splitmix64, Steele, Lea, Flood 2014).
std::uint64_t spread(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
std::uint64_t mixed(std::uint64_t a, std::uint64_t b, std::uint64_t c = 0) { return spread(a ^ spread(b ^ spread(c))); }

}  // namespace

Canonical::Canonical(const ir::Program& program, Reductions reductions)
    : p(program), reductions_(reductions), unread_(find_unread(program)), group_(p.components.size(), -1), pinned_(p.components.size()), signature_(p.components.size()), renamed_(p.components.size()) {
  const auto attribute = [&](std::int32_t table, std::int32_t component) -> std::int64_t {
    const ir::ComponentType& type = p.types[static_cast<std::size_t>(p.components[static_cast<std::size_t>(component)].type)];
    const bool of_type = std::find(type.tables.begin(), type.tables.end(), table) != type.tables.end();
    return of_type ? p.tables[static_cast<std::size_t>(table + component)] : 0;
  };
  // zones of a component cannot change hands, nor can what is indexed by two components
  std::vector<char> named(p.components.size(), 0);
  const auto name_type = [&](std::int64_t component) {
    const ir::ComponentType& type = p.types[static_cast<std::size_t>(p.components[static_cast<std::size_t>(component)].type)];
    std::fill(named.begin() + type.first, named.begin() + type.last, 1);
  };
  for (const ir::Zone& zone : p.zones) {
    for (std::size_t i = 0; i < zone.index.size(); ++i) {
      if (zone.index_texts[i] == ir::kComponentText) name_type(zone.index[i]);
    }
  }
  for (std::size_t v = 0; v < p.vars.size(); ++v) {
    const ir::Var& var = p.vars[v];
    const auto indices = std::count(var.index_texts.begin(), var.index_texts.end(), ir::kComponentText);
    if (!var.component && indices == 0) continue;
    Marks marks{static_cast<std::int32_t>(v), var.component, indices == 1};
    for (std::size_t i = 0, stride = static_cast<std::size_t>(var.count); i < var.index.size(); ++i) {
      stride /= static_cast<std::size_t>(var.index[i].second);
      if (var.index_texts[i] != ir::kComponentText) continue;
      marks.stride = static_cast<std::int32_t>(stride);
      marks.low = var.index[i].first;
      marks.count = var.index[i].second;
      if (indices > 1 || var.component || var.set) {
        for (std::int32_t c = 0; c < marks.count; ++c) name_type(marks.low + c);
      }
    }
    marks_.push_back(marks);
  }
  for (std::size_t c = 0; c < p.components.size(); ++c) {
    if (named[c] != 0 || !reductions_.equal_components) continue;
    const auto same = [&](std::int32_t d) {
      const ir::Component &x = p.components[c], &y = p.components[static_cast<std::size_t>(d)];
      return x.type == y.type && x.owner == y.owner && std::all_of(unread_.tables.begin(), unread_.tables.end(), [&](std::int32_t table) {
               return attribute(table, static_cast<std::int32_t>(c)) == attribute(table, d);
             });
    };
    const auto known = std::find_if(groups_.begin(), groups_.end(), [&](const auto& group) { return same(group.front()); });
    if (known != groups_.end()) known->push_back(static_cast<std::int32_t>(c));
    else groups_.push_back({static_cast<std::int32_t>(c)});
  }
  std::erase_if(groups_, [](const auto& group) { return group.size() < 2; });
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (const std::int32_t c : groups_[g]) group_[static_cast<std::size_t>(c)] = static_cast<std::int32_t>(g);
  }
  const auto take = [&](const ir::FrameLocal& local) {
    if (local.component) locals_.push_back(local);
  };
  for (const ir::Option& option : p.options) std::for_each(option.args.begin(), option.args.end(), take);
  for (const ir::For& loop : p.fors) std::for_each(loop.locals.begin(), loop.locals.end(), take);
  for (const ir::When& when : p.whens) std::for_each(when.locals.begin(), when.locals.end(), take);
  for (const ir::Routine& routine : p.routines) std::for_each(routine.params.begin(), routine.params.end(), take);
  std::for_each(p.frame_locals.begin(), p.frame_locals.end(), take);
  for (const ir::For& loop : p.fors) {
    const auto& binders = p.clauses[static_cast<std::size_t>(loop.clause)].binders;
    if (std::any_of(binders.begin(), binders.end(), [](const ir::Binder& b) { return b.component; })) {
      rows_.emplace_back(loop.state + 8, loop.capacity * static_cast<std::int32_t>(binders.size()));
    }
  }
  const auto over_components = [&](std::int32_t when) {
    const std::int32_t clause = p.whens[static_cast<std::size_t>(when)].clause;
    if (clause < 0) return false;
    const auto& binders = p.clauses[static_cast<std::size_t>(clause)].binders;
    return std::any_of(binders.begin(), binders.end(), [](const ir::Binder& b) { return b.component; });
  };
  for (std::int32_t w = 0; w < static_cast<std::int32_t>(p.whens.size()); ++w) {
    if (!over_components(w)) continue;
    for (const std::int32_t area : p.whens[static_cast<std::size_t>(w)].waiting) bits_.emplace_back(w, area);
  }
  for (const ir::Wake& wake : p.wakes) {
    for (std::size_t i = 0; i < wake.before.size(); ++i) {
      if (wake.before[i] >= 0 && over_components(wake.whens[i])) bits_.emplace_back(wake.whens[i], wake.before[i]);
    }
  }
  for (const ir::Choose& choose : p.chooses) {
    bool components = false;
    for (std::int32_t i = choose.first; i < choose.first + choose.count; ++i) {
      components = components || ir::names_components(p.options[static_cast<std::size_t>(i)].arg_texts);
    }
    if (choose.each && components) rows_.emplace_back(ir::commitment(choose, p.players, 0), choose.commit_stride / 4 * p.players);
  }
}

/// Nothing but its members counts; a pile of which a part has been mixed is left as it is.
bool Canonical::orderless(std::size_t z) const {
  const ir::Zone& zone = p.zones[z];
  if (!reductions_.no_order) return false;
  if (zone.kind == ir::ZoneKind::hand) return true;
  if (unread_.order[static_cast<std::size_t>(zone.family)] == 0) return false;
  if (zone.bags < 0) return true;
  const std::uint8_t* marks = bytes_.data() + zone.bags;
  return std::all_of(marks, marks + get<std::uint16_t>(p.counts + 2 * static_cast<std::int32_t>(z)), [](std::uint8_t mark) { return mark == 0; });
}

template <class T>
T Canonical::get(std::int32_t offset) const {
  T value;
  std::memcpy(&value, bytes_.data() + offset, sizeof value);
  return value;
}

template <class T>
void Canonical::put(std::int32_t offset, T value) {
  std::memcpy(bytes_.data() + offset, &value, sizeof value);
}

std::int64_t Canonical::cell(ir::Cell cell, std::int32_t at) const {
  switch (cell.width) {
    case ir::Width::i8: return get<std::int8_t>(cell.offset + at);
    case ir::Width::i16: return get<std::int16_t>(cell.offset + 2 * at);
    case ir::Width::i32: return get<std::int32_t>(cell.offset + 4 * at);
  }
  return 0;
}

void Canonical::set_cell(ir::Cell cell, std::int32_t at, std::int64_t value) {
  switch (cell.width) {
    case ir::Width::i8: put(cell.offset + at, static_cast<std::int8_t>(value)); break;
    case ir::Width::i16: put(cell.offset + 2 * at, static_cast<std::int16_t>(value)); break;
    case ir::Width::i32: put(cell.offset + 4 * at, static_cast<std::int32_t>(value)); break;
  }
}

void Canonical::pin_members(std::int32_t offset, ir::Domain domain) {
  for (std::int32_t w = 0; w < domain.words; ++w) {
    for (auto bits = get<std::uint64_t>(offset + 8 * w); bits != 0; bits &= bits - 1) pin(domain.low + 64 * w + __builtin_ctzll(bits));
  }
}

// Cells of a frame are used by turns: a number that could be a component counts as one.
void Canonical::pin_local(const ir::FrameLocal& local) {
  switch (local.kind) {
    case ir::LocalKind::scalar: pin(cell(local.cell, 0)); break;
    case ir::LocalKind::set: pin_members(local.cell.offset, local.domain); break;
    case ir::LocalKind::list: {
      const std::int32_t n = std::clamp(get<std::int32_t>(local.cell.offset), 0, local.max);
      for (std::int32_t i = 0; i < n; ++i) pin(get<std::int32_t>(local.cell.offset + 4 + 4 * i));
    }
  }
}

/// Components that a rule under way has in hand keep their names: where exactly it has them is not looked at.
void Canonical::pin_what_runs() {
  std::fill(pinned_.begin(), pinned_.end(), 0);
  for (const ir::FrameLocal& local : locals_) pin_local(local);
  for (const auto& [offset, numbers] : rows_) {
    for (std::int32_t i = 0; i < numbers; ++i) pin(get<std::int32_t>(offset + 4 * i));
  }
  for (const auto& [index, area] : bits_) {
    const ir::When& when = p.whens[static_cast<std::size_t>(index)];
    const auto& binders = p.clauses[static_cast<std::size_t>(when.clause)].binders;
    for (std::int32_t w = 0; w < when.words; ++w) {
      for (auto bits = get<std::uint64_t>(area + 8 * w); bits != 0; bits &= bits - 1) {
        std::int64_t rest = 64 * w + __builtin_ctzll(bits);
        for (std::size_t k = when.radix.size(); k-- > 0; rest /= when.radix[k].second) {
          if (binders[k].component) pin(when.radix[k].first + rest % when.radix[k].second);
        }
      }
    }
  }
  const auto header = get<ir::Header>(0);
  if (header.chance != 0) {
    pin(header.chance_a);
    pin(header.chance_b);
  }
}

/// What tells a component from its equals: where it lies and how, and the variables that speak of it.
void Canonical::sign() {
  for (std::size_t z = 0; z < p.zones.size(); ++z) {
    const ir::Zone& zone = p.zones[z];
    const std::int32_t n = get<std::uint16_t>(p.counts + 2 * static_cast<std::int32_t>(z));
    const bool no_order = orderless(z);
    std::int32_t bag = 0;  // the number of the bag in its pile
    for (std::int32_t i = 0; i < n; ++i) {
      const auto c = get<std::uint16_t>(zone.ids + 2 * i);
      if (group_[c] < 0) continue;
      const std::uint8_t mark = zone.bags < 0 ? 0 : get<std::uint8_t>(zone.bags + i);
      std::uint64_t place = no_order ? 0 : static_cast<std::uint64_t>(i) + 1;
      if (mark != 0) {
        if (i > 0 && get<std::uint8_t>(zone.bags + i - 1) != mark) ++bag;
        if (reductions_.no_order && ir::is_bag(mark)) place = 0x10000u + static_cast<std::uint64_t>(bag);
      }
      const auto face = static_cast<std::uint8_t>(get<std::int8_t>(p.faces + c));
      const auto rolled = static_cast<std::uint8_t>(p.rolling < 0 ? 0 : get<std::int8_t>(p.rolling + c));
      signature_[c] = mixed(z, place, static_cast<std::uint64_t>(rolled) << 40 | static_cast<std::uint64_t>(face) << 32 | get<std::uint32_t>(p.known + 4 * c));
    }
  }
  for (const Marks& marks : marks_) {
    const ir::Var& var = p.vars[static_cast<std::size_t>(marks.var)];
    const auto which = static_cast<std::uint64_t>(marks.var) << 32;
    for (std::int32_t at = 0; at < var.count; ++at) {
      const std::uint64_t place = which | static_cast<std::uint32_t>(at);
      if (var.set && marks.holds) {
        const std::int32_t offset = var.cell.offset + 8 * var.domain.words * at;
        for (std::int32_t w = 0; w < var.domain.words; ++w) {
          for (auto bits = get<std::uint64_t>(offset + 8 * w); bits != 0; bits &= bits - 1) {
            const auto c = static_cast<std::size_t>(var.domain.low + 64 * w + __builtin_ctzll(bits));
            if (c < signature_.size()) signature_[c] += spread(place);
          }
        }
      } else if (!var.set && marks.holds) {
        const std::int64_t c = cell(var.cell, at);
        if (c >= 0 && c < static_cast<std::int64_t>(signature_.size())) signature_[static_cast<std::size_t>(c)] += spread(place);
      } else if (!var.set && marks.indexed) {
        const auto c = static_cast<std::size_t>(marks.low + at / marks.stride % marks.count);
        const auto other = static_cast<std::uint64_t>(at - (at / marks.stride % marks.count) * marks.stride);
        const std::uint32_t seats = var.known < 0 ? 0 : get<std::uint32_t>(var.known + 4 * at);
        signature_[c] += mixed(which | other, static_cast<std::uint64_t>(cell(var.cell, at)), seats);
      }
    }
  }
}

/// The names of a group go to its members in the order of their signatures.
void Canonical::rename() {
  for (std::size_t c = 0; c < renamed_.size(); ++c) renamed_[c] = static_cast<std::int32_t>(c);
  for (const auto& group : groups_) {
    free_.clear();
    for (const std::int32_t c : group) {
      if (pinned_[static_cast<std::size_t>(c)] == 0) free_.push_back(c);
    }
    sorted_ = free_;
    std::sort(sorted_.begin(), sorted_.end(), [&](std::int32_t a, std::int32_t b) { return signature_[static_cast<std::size_t>(a)] < signature_[static_cast<std::size_t>(b)]; });
    for (std::size_t i = 0; i < free_.size(); ++i) renamed_[static_cast<std::size_t>(sorted_[i])] = free_[i];
  }
}

template <class T>
void Canonical::permute(std::int32_t offset, std::int32_t stride, std::int32_t low, std::int32_t count) {
  for (std::int32_t i = 0; i < count; ++i) {
    const std::int32_t to = renamed_[static_cast<std::size_t>(low + i)] - low;
    if (to == i) continue;
    std::memcpy(bytes_.data() + offset + to * stride * static_cast<std::int32_t>(sizeof(T)), old_.data() + offset + i * stride * static_cast<std::int32_t>(sizeof(T)), sizeof(T));
  }
}

void Canonical::rewrite() {
  old_ = bytes_;
  const auto components = static_cast<std::int32_t>(p.components.size());
  permute<std::uint16_t>(p.zone_of, 1, 0, components);
  permute<std::int8_t>(p.faces, 1, 0, components);
  permute<std::uint32_t>(p.known, 1, 0, components);
  if (p.rolling >= 0) permute<std::int8_t>(p.rolling, 1, 0, components);
  for (const Marks& marks : marks_) {
    const ir::Var& var = p.vars[static_cast<std::size_t>(marks.var)];
    if (marks.holds) {
      for (std::int32_t at = 0; at < var.count; ++at) {
        if (!var.set) {
          const std::int64_t c = cell(var.cell, at);
          if (c >= 0 && c < components) set_cell(var.cell, at, renamed_[static_cast<std::size_t>(c)]);
          continue;
        }
        const std::int32_t offset = var.cell.offset + 8 * var.domain.words * at;
        std::memset(bytes_.data() + offset, 0, 8 * static_cast<std::size_t>(var.domain.words));
        for (std::int32_t i = 0; i < 64 * var.domain.words; ++i) {
          const std::int32_t byte = offset + i / 8, c = var.domain.low + i;
          if ((old_[static_cast<std::size_t>(byte)] >> (i % 8) & 1u) == 0 || c >= components) continue;
          const std::int32_t to = renamed_[static_cast<std::size_t>(c)] - var.domain.low;
          bytes_[static_cast<std::size_t>(offset + to / 8)] |= static_cast<std::uint8_t>(1u << (to % 8));
        }
      }
    } else if (marks.indexed && !var.set) {
      for (std::int32_t block = 0; block < var.count; block += marks.stride * marks.count) {
        for (std::int32_t at = block; at < block + marks.stride; ++at) {
          switch (var.cell.width) {
            case ir::Width::i8: permute<std::int8_t>(var.cell.offset + at, marks.stride, marks.low, marks.count); break;
            case ir::Width::i16: permute<std::int16_t>(var.cell.offset + 2 * at, marks.stride, marks.low, marks.count); break;
            case ir::Width::i32: permute<std::int32_t>(var.cell.offset + 4 * at, marks.stride, marks.low, marks.count); break;
          }
          if (var.known >= 0) permute<std::uint32_t>(var.known + 4 * at, marks.stride, marks.low, marks.count);
        }
      }
    }
  }
  for (std::size_t z = 0; z < p.zones.size(); ++z) {
    const ir::Zone& zone = p.zones[z];
    const std::int32_t n = get<std::uint16_t>(p.counts + 2 * static_cast<std::int32_t>(z));
    auto* ids = reinterpret_cast<std::uint16_t*>(bytes_.data() + zone.ids);
    for (std::int32_t i = 0; i < n; ++i) ids[i] = static_cast<std::uint16_t>(renamed_[ids[i]]);
  }
}

/// Where the order counts for nothing it is that of the names.
void Canonical::put_in_order() {
  if (!reductions_.no_order) return;
  for (std::size_t z = 0; z < p.zones.size(); ++z) {
    const ir::Zone& zone = p.zones[z];
    const std::int32_t n = get<std::uint16_t>(p.counts + 2 * static_cast<std::int32_t>(z));
    if (n < 2) continue;
    auto* ids = reinterpret_cast<std::uint16_t*>(bytes_.data() + zone.ids);
    if (orderless(z)) std::sort(ids, ids + n);
    if (zone.bags < 0) continue;
    const std::uint8_t* marks = bytes_.data() + zone.bags;
    for (std::int32_t i = 0; i < n;) {
      std::int32_t end = i + 1;
      while (end < n && marks[end] == marks[i]) ++end;
      if (ir::is_bag(marks[i])) std::sort(ids + i, ids + end);
      i = end;
    }
  }
}

void Canonical::forget_knowledge() {
  std::memset(bytes_.data() + p.known, 0, 4 * p.components.size());
  for (const ir::Var& var : p.vars) {
    if (var.known >= 0) std::memset(bytes_.data() + var.known, 0, 4 * static_cast<std::size_t>(var.count));
  }
}

void Canonical::remember_knowledge(const State& state) {
  std::memcpy(bytes_.data() + p.known, state.bytes.data() + p.known, 4 * p.components.size());
  for (const ir::Var& var : p.vars) {
    if (var.known >= 0) std::memcpy(bytes_.data() + var.known, state.bytes.data() + var.known, 4 * static_cast<std::size_t>(var.count));
  }
}

void Canonical::leave_out_idle() {
  const std::uint64_t running = get<ir::Header>(0).running;
  for (const ir::Var& var : p.vars) {
    if (var.phase < 0 || (running >> p.phases[static_cast<std::size_t>(var.phase)].bit & 1u) != 0) continue;
    std::memset(bytes_.data() + var.cell.offset, 0, static_cast<std::size_t>(var.bytes()));
  }
}

const std::uint8_t* Canonical::form(const State& state, bool after_setup) {
  if (state.bytes.size() != static_cast<std::size_t>(p.size)) return nullptr;
  bytes_.resize(state.bytes.size() + 1);
  std::memcpy(bytes_.data(), state.bytes.data(), state.bytes.size());
  bytes_.back() = after_setup ? 1 : 0;
  if (reductions_.idle) leave_out_idle();
  if (!groups_.empty()) {
    // equals are put in an order that does not depend on who knows what
    if (reductions_.knowledge) forget_knowledge();
    pin_what_runs();
    sign();
    if (reductions_.knowledge) remember_knowledge(state);
    rename();
    rewrite();
  }
  put_in_order();
  return bytes_.data();
}

Hash128 Canonical::key(const State& state, bool after_setup) {
  if (form(state, after_setup) == nullptr) return hash128(std::as_bytes(std::span(state.bytes)), after_setup ? 3 : 2);
  if (reductions_.knowledge) forget_knowledge();
  return hash128(std::as_bytes(std::span(bytes_)));
}

}  // namespace rip::verify
