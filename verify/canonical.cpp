#include "verify/canonical.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <tuple>

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

std::string reduction_names() {
  std::string names;
  for (const ReductionName& reduction : kReductions) names.append(names.empty() ? "" : ",").append(reduction.name);
  return names;
}

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
  for (std::size_t z = 0; z < p.zones.size(); ++z) {
    if (is_lost(p.zones[z])) lost_zones_.push_back(static_cast<std::int32_t>(z));
  }
  if (reductions_.symmetries) symmetries_ = find_symmetries(p, unread_.tables);
  // zones of a component, and what is indexed by two, cannot change hands
  std::erase_if(symmetries_, [&](const Symmetry& symmetry) {
    return std::any_of(symmetry.rows.begin(), symmetry.rows.end(), [&](const auto& row) { return named[static_cast<std::size_t>(row.front())] != 0; });
  });
  signed_.resize(p.components.size());
  for (std::size_t c = 0; c < signed_.size(); ++c) signed_[c] = group_[c] >= 0 ? 1 : 0;
  for (const Symmetry& symmetry : symmetries_) {
    for (const auto& row : symmetry.rows) {
      for (const std::int32_t c : row) signed_[static_cast<std::size_t>(c)] = 1;
    }
  }
  Frames frames = find_frames(p);
  rows_ = std::move(frames.rows);
  for (const LocalInUse& local : frames.locals) {
    const bool value = std::any_of(symmetries_.begin(), symmetries_.end(), [&](const Symmetry& symmetry) { return symmetry.texts == local.local.texts; });
    if (local.local.component || value) locals_.push_back(local);
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
}

/// Nothing but its members counts, and which of them are in one bag.
bool Canonical::orderless(const ir::Zone& zone) const {
  return reductions_.no_order && (zone.kind == ir::ZoneKind::hand || unread_.order[static_cast<std::size_t>(zone.family)] != 0);
}

/// Nobody looks there.
bool Canonical::is_lost(const ir::Zone& zone) const { return reductions_.forgotten && unread_.members[static_cast<std::size_t>(zone.family)] != 0; }

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

template <class F>
void Canonical::each_member(std::int32_t offset, ir::Domain domain, F&& f) const {
  for (std::int32_t w = 0; w < domain.words; ++w) {
    for (auto bits = get<std::uint64_t>(offset + 8 * w); bits != 0; bits &= bits - 1) f(domain.low + 64 * w + __builtin_ctzll(bits));
  }
}

template <class F>
void Canonical::each_value(const ir::FrameLocal& local, F&& f) const {
  switch (local.kind) {
    case ir::LocalKind::scalar: f(cell(local.cell, 0)); break;
    case ir::LocalKind::set: each_member(local.cell.offset, local.domain, f); break;
    case ir::LocalKind::list: {
      const std::int32_t n = std::clamp(get<std::int32_t>(local.cell.offset), 0, local.max);
      for (std::int32_t i = 0; i < n; ++i) f(get<std::int32_t>(local.cell.offset + 4 + 4 * i));
    }
  }
}

/// What the rows of a loop, the bindings of a trigger and local `let`s speak of keeps its name: where exactly it stands is not looked at.
void Canonical::pin_what_runs() {
  std::fill(pinned_.begin(), pinned_.end(), 0);
  control(p, bytes_.data(), control_);
  const auto header = get<ir::Header>(0);
  live_.clear();
  doubtful_.clear();
  for (const LocalInUse& local : locals_) {
    if (in_use(local.use, control_, header)) (local.may_be_over ? doubtful_ : live_).push_back(&local.local);
  }
  for (const ir::FrameLocal* local : doubtful_) {
    if (local->component) each_value(*local, [&](std::int64_t c) { pin(c); });
  }
  for (const RowsInUse& rows : rows_) {
    if (!in_use(rows.use, control_, header)) continue;
    const std::int32_t n = rows.commitments ? get<std::uint8_t>(rows.state) : get<std::int32_t>(rows.state);
    for (std::int32_t i = 0; i < n; ++i) {
      const std::int32_t row = rows.commitments ? get<std::uint8_t>(rows.state + 2 + i) : i;
      const bool undecided = rows.commitments && header.pc == rows.use.begin && (header.deciding >> row & 1u) != 0;
      for (std::int32_t k = 0; k < rows.width && !undecided; ++k) pin(get<std::int32_t>(rows.offset + 4 * (row * rows.width + k)));
    }
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
}

/// Numbers the bags of a pile, by place: in their order, or where nobody reads that by what is in them. `only_sizes`: and not
/// by what that is.
void Canonical::number_bags(const ir::Zone& zone, std::int32_t n, bool only_sizes) {
  segments_.clear();
  for (std::int32_t i = 0; i < n; ++i) {
    const auto mark = get<std::uint8_t>(zone.bags + i);
    if (!ir::is_bag(mark)) continue;
    if (segments_.empty() || segments_.back().end != i || get<std::uint8_t>(zone.bags + i - 1) != mark) segments_.push_back({i, i, true, 0});
    Segment& bag = segments_.back();
    ++bag.end;
    const auto c = get<std::uint16_t>(zone.ids + 2 * i);
    const std::int32_t group = group_[c];
    bag.content += only_sizes ? 1 : spread(static_cast<std::uint64_t>(group < 0 ? c : groups_[static_cast<std::size_t>(group)].front()));
  }
  if (orderless(zone)) std::stable_sort(segments_.begin(), segments_.end(), [](const Segment& x, const Segment& y) { return x.content < y.content; });
  bag_.resize(static_cast<std::size_t>(n));
  for (std::size_t number = 0; number < segments_.size(); ++number) {
    for (std::int32_t i = segments_[number].begin; i < segments_[number].end; ++i) bag_[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(number);
  }
}

/// What tells a component from its equals: where it lies and how, and the variables that speak of it. `all_lost_alike`: it
/// does not matter in which of the zones where nobody looks.
void Canonical::sign(bool all_lost_alike) {
  for (std::size_t z = 0; z < p.zones.size(); ++z) {
    const ir::Zone& zone = p.zones[z];
    const std::int32_t n = get<std::uint16_t>(p.counts + 2 * static_cast<std::int32_t>(z));
    const bool no_order = orderless(zone);
    if (zone.bags >= 0) number_bags(zone, n, all_lost_alike);
    for (std::int32_t i = 0; i < n; ++i) {
      const auto c = get<std::uint16_t>(zone.ids + 2 * i);
      if (signed_[c] == 0) continue;
      const std::uint8_t mark = zone.bags < 0 ? 0 : get<std::uint8_t>(zone.bags + i);
      std::uint64_t place = no_order ? 0 : static_cast<std::uint64_t>(i) + 1;
      if (reductions_.no_order && ir::is_bag(mark)) place = 0x10000u + static_cast<std::uint64_t>(bag_[static_cast<std::size_t>(i)]);
      const auto face = static_cast<std::uint8_t>(get<std::int8_t>(p.faces + c));
      const auto rolled = static_cast<std::uint8_t>(p.rolling < 0 ? 0 : get<std::int8_t>(p.rolling + c));
      const bool lost = all_lost_alike && mark == 0 && is_lost(zone);
      signature_[c] = mixed(lost ? p.zones.size() : z, lost ? 0 : place, static_cast<std::uint64_t>(rolled) << 40 | static_cast<std::uint64_t>(face) << 32 | get<std::uint32_t>(p.known + 4 * c));
    }
  }
  if (is_rolling()) signature_[static_cast<std::size_t>(get<ir::Header>(0).chance_a)] += spread(3);
  for (std::size_t i = 0; i < live_.size(); ++i) {
    if (!live_[i]->component) continue;
    std::uint64_t n = 0;
    each_value(*live_[i], [&](std::int64_t c) {
      const std::uint64_t place = live_[i]->kind == ir::LocalKind::list ? ++n : 0;
      if (c >= 0 && c < static_cast<std::int64_t>(signature_.size())) signature_[static_cast<std::size_t>(c)] += mixed(i, place, 1);
    });
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
void Canonical::permute(std::int32_t offset, std::int32_t stride, std::int32_t low, std::int32_t count, const std::vector<std::int32_t>& to) {
  const auto size = static_cast<std::int32_t>(sizeof(T));
  for (std::int32_t i = 0; i < count; ++i) {
    const std::int32_t at = to[static_cast<std::size_t>(low + i)] - low;
    if (at != i) std::memcpy(bytes_.data() + offset + at * stride * size, old_.data() + offset + i * stride * size, sizeof(T));
  }
}

/// The cells of one index change places, and so does who knows them.
void Canonical::permute_cells(const ir::Var& var, std::int32_t stride, std::int32_t low, std::int32_t count, const std::vector<std::int32_t>& to) {
  for (std::int32_t block = 0; block < var.count; block += stride * count) {
    for (std::int32_t at = block; at < block + stride; ++at) {
      switch (var.cell.width) {
        case ir::Width::i8: permute<std::int8_t>(var.cell.offset + at, stride, low, count, to); break;
        case ir::Width::i16: permute<std::int16_t>(var.cell.offset + 2 * at, stride, low, count, to); break;
        case ir::Width::i32: permute<std::int32_t>(var.cell.offset + 4 * at, stride, low, count, to); break;
      }
      if (var.known >= 0) permute<std::uint32_t>(var.known + 4 * at, stride, low, count, to);
    }
  }
}

/// From the bytes as they were.
void Canonical::rewrite_set(std::int32_t offset, ir::Domain domain, const std::vector<std::int32_t>& to) {
  std::memset(bytes_.data() + offset, 0, 8 * static_cast<std::size_t>(domain.words));
  for (std::int32_t w = 0; w < domain.words; ++w) {
    std::uint64_t bits;
    std::memcpy(&bits, old_.data() + offset + 8 * w, sizeof bits);
    for (; bits != 0; bits &= bits - 1) {
      const auto member = static_cast<std::size_t>(domain.low + 64 * w + __builtin_ctzll(bits));
      const std::int32_t at = (member < to.size() ? to[member] : static_cast<std::int32_t>(member)) - domain.low;
      put(offset + 8 * (at / 64), get<std::uint64_t>(offset + 8 * (at / 64)) | std::uint64_t{1} << (at % 64));
    }
  }
}

void Canonical::rewrite_local(const ir::FrameLocal& local, const std::vector<std::int32_t>& to) {
  const auto renamed = [&](std::int64_t value) { return value >= 0 && value < static_cast<std::int64_t>(to.size()) ? to[static_cast<std::size_t>(value)] : value; };
  switch (local.kind) {
    case ir::LocalKind::scalar: set_cell(local.cell, 0, renamed(cell(local.cell, 0))); break;
    case ir::LocalKind::set: rewrite_set(local.cell.offset, local.domain, to); break;
    case ir::LocalKind::list: {
      const std::int32_t n = std::clamp(get<std::int32_t>(local.cell.offset), 0, local.max);
      for (std::int32_t i = 0; i < n; ++i) put(local.cell.offset + 4 + 4 * i, static_cast<std::int32_t>(renamed(get<std::int32_t>(local.cell.offset + 4 + 4 * i))));
    }
  }
}

void Canonical::rewrite() {
  old_ = bytes_;
  const auto components = static_cast<std::int32_t>(p.components.size());
  if (is_rolling()) {
    auto header = get<ir::Header>(0);
    header.chance_a = renamed_[static_cast<std::size_t>(header.chance_a)];
    put(0, header);
  }
  for (const ir::FrameLocal* local : live_) {
    if (local->component) rewrite_local(*local, renamed_);
  }
  permute<std::uint16_t>(p.zone_of, 1, 0, components, renamed_);
  permute<std::int8_t>(p.faces, 1, 0, components, renamed_);
  permute<std::uint32_t>(p.known, 1, 0, components, renamed_);
  if (p.rolling >= 0) permute<std::int8_t>(p.rolling, 1, 0, components, renamed_);
  for (const Marks& marks : marks_) {
    const ir::Var& var = p.vars[static_cast<std::size_t>(marks.var)];
    if (marks.holds) {
      for (std::int32_t at = 0; at < var.count; ++at) {
        if (!var.set) {
          const std::int64_t c = cell(var.cell, at);
          if (c >= 0 && c < components) set_cell(var.cell, at, renamed_[static_cast<std::size_t>(c)]);
          continue;
        }
        rewrite_set(var.cell.offset + 8 * var.domain.words * at, var.domain, renamed_);
      }
    } else if (marks.indexed && !var.set) {
      permute_cells(var, marks.stride, marks.low, marks.count, renamed_);
    }
  }
  for (std::size_t z = 0; z < p.zones.size(); ++z) {
    const ir::Zone& zone = p.zones[z];
    const std::int32_t n = get<std::uint16_t>(p.counts + 2 * static_cast<std::int32_t>(z));
    auto* ids = reinterpret_cast<std::uint16_t*>(bytes_.data() + zone.ids);
    for (std::int32_t i = 0; i < n; ++i) ids[i] = static_cast<std::uint16_t>(renamed_[ids[i]]);
  }
}

/// The values go, in the order of their signatures, to the components and cells of the free ones. False: they stand so already.
bool Canonical::exchange_values(const Symmetry& symmetry) {
  values_.clear();
  for (const std::int32_t value : symmetry.values) values_.push_back({0, value, false});
  const auto entry = [&](std::int64_t value) -> Value* {
    const auto at = std::find_if(values_.begin(), values_.end(), [&](const Value& v) { return v.value == value; });
    return at == values_.end() ? nullptr : &*at;
  };
  for (std::size_t r = 0; r < symmetry.rows.size(); ++r) {
    for (std::size_t v = 0; v < values_.size(); ++v) {
      const auto c = static_cast<std::size_t>(symmetry.rows[r][v]);
      values_[v].signature += mixed(static_cast<std::uint64_t>(symmetry.alike[r]), signature_[c]);
      values_[v].pinned = values_[v].pinned || pinned_[c] != 0;
    }
  }
  for (const std::int32_t index : symmetry.holders) {
    const ir::Var& var = p.vars[static_cast<std::size_t>(index)];
    for (std::int32_t at = 0; at < var.count; ++at) {
      const std::uint64_t place = mixed(static_cast<std::uint64_t>(index) + 1, static_cast<std::uint64_t>(at));
      const auto add = [&](std::int64_t value) {
        if (Value* held = entry(value)) held->signature += place;
      };
      if (var.set) each_member(var.cell.offset + 8 * var.domain.words * at, var.domain, add);
      else add(cell(var.cell, at));
    }
  }
  for (const Symmetry::Indexed& indexed : symmetry.indexed) {
    const ir::Var& var = p.vars[static_cast<std::size_t>(indexed.var)];
    for (std::int32_t at = 0; at < var.count; ++at) {
      const std::int32_t i = at / indexed.stride % indexed.count;
      const auto place = (static_cast<std::uint64_t>(indexed.var) << 32) | static_cast<std::uint32_t>(at - i * indexed.stride);
      if (Value* of = entry(indexed.low + i)) of->signature += mixed(place, static_cast<std::uint64_t>(cell(var.cell, at)));
    }
  }
  for (std::size_t i = 0; i < live_.size(); ++i) {
    if (live_[i]->texts != symmetry.texts) continue;
    each_value(*live_[i], [&](std::int64_t value) {
      if (Value* held = entry(value)) held->signature += mixed(i, 0, 2);
    });
  }
  for (const ir::FrameLocal* local : doubtful_) {
    if (local->texts != symmetry.texts) continue;
    each_value(*local, [&](std::int64_t value) {
      if (Value* held = entry(value)) held->pinned = true;
    });
  }
  free_columns_.clear();
  sorted_.clear();
  for (std::size_t v = 0; v < values_.size(); ++v) {
    if (values_[v].pinned) continue;
    free_columns_.push_back(v);
    sorted_.push_back(static_cast<std::int32_t>(v));
  }
  std::stable_sort(sorted_.begin(), sorted_.end(), [&](std::int32_t x, std::int32_t y) { return values_[static_cast<std::size_t>(x)].signature < values_[static_cast<std::size_t>(y)].signature; });
  bool moved = false;
  for (std::size_t i = 0; i < sorted_.size(); ++i) moved = moved || static_cast<std::size_t>(sorted_[i]) != free_columns_[i];
  if (!moved) return false;
  for (std::size_t c = 0; c < renamed_.size(); ++c) renamed_[c] = static_cast<std::int32_t>(c);
  value_to_.resize(p.value_texts[static_cast<std::size_t>(symmetry.texts)].size());
  for (std::size_t v = 0; v < value_to_.size(); ++v) value_to_[v] = static_cast<std::int32_t>(v);
  for (std::size_t i = 0; i < sorted_.size(); ++i) {
    const auto from = static_cast<std::size_t>(sorted_[i]), to = free_columns_[i];
    value_to_[static_cast<std::size_t>(values_[from].value)] = values_[to].value;
    for (const auto& row : symmetry.rows) renamed_[static_cast<std::size_t>(row[from])] = row[to];
  }
  return true;
}

/// In all variables but those of phases that do not run.
void Canonical::rewrite_values(const Symmetry& symmetry) {
  old_ = bytes_;
  for (const ir::FrameLocal* local : live_) {
    if (local->texts == symmetry.texts) rewrite_local(*local, value_to_);
  }
  for (const std::int32_t index : symmetry.holders) {
    const ir::Var& var = p.vars[static_cast<std::size_t>(index)];
    if (is_idle(var)) continue;
    for (std::int32_t at = 0; at < var.count; ++at) {
      if (var.set) {
        rewrite_set(var.cell.offset + 8 * var.domain.words * at, var.domain, value_to_);
      } else if (const std::int64_t value = cell(var.cell, at); value >= 0 && value < static_cast<std::int64_t>(value_to_.size())) {
        set_cell(var.cell, at, value_to_[static_cast<std::size_t>(value)]);
      }
    }
  }
  for (const Symmetry::Indexed& indexed : symmetry.indexed) {
    const ir::Var& var = p.vars[static_cast<std::size_t>(indexed.var)];
    if (!is_idle(var)) permute_cells(var, indexed.stride, indexed.low, indexed.count, value_to_);
  }
}

/// Where the order counts for nothing it is that of the names: what lies fixed, then one bag after the other.
void Canonical::put_in_order() {
  if (!reductions_.no_order) return;
  for (std::size_t z = 0; z < p.zones.size(); ++z) {
    const ir::Zone& zone = p.zones[z];
    const std::int32_t n = get<std::uint16_t>(p.counts + 2 * static_cast<std::int32_t>(z));
    if (n < 2) continue;
    auto* ids = reinterpret_cast<std::uint16_t*>(bytes_.data() + zone.ids);
    const bool unread = orderless(zone);
    if (zone.bags < 0) {
      if (unread) std::sort(ids, ids + n);
      continue;
    }
    std::uint8_t* marks = bytes_.data() + zone.bags;
    segments_.clear();
    std::int32_t fixed = 0;
    bool settled = true;  // no card of a bag is on its way
    for (std::int32_t i = 0; i < n;) {
      std::int32_t end = i + 1;
      while (end < n && marks[end] == marks[i]) ++end;
      if (ir::is_bag(marks[i])) std::sort(ids + i, ids + end);
      settled = settled && !ir::is_drawn(marks[i]);
      if (marks[i] == 0) fixed += end - i;
      segments_.push_back({i, end, marks[i] != 0, 0});
      i = end;
    }
    if (!unread || !settled) continue;
    std::stable_sort(segments_.begin(), segments_.end(), [&](const Segment& x, const Segment& y) {
      return x.bag != y.bag ? y.bag : x.bag && ids[x.begin] < ids[y.begin];
    });
    sorted_.assign(ids, ids + n);
    std::int32_t at = 0;
    std::uint8_t mark = 2;
    for (const Segment& segment : segments_) {
      if (segment.bag) mark = mark == 1 ? 2 : 1;
      for (std::int32_t i = segment.begin; i < segment.end; ++i, ++at) {
        ids[at] = static_cast<std::uint16_t>(sorted_[static_cast<std::size_t>(i)]);
        marks[at] = segment.bag ? mark : 0;
      }
    }
    std::sort(ids, ids + fixed);
  }
}

void Canonical::forget_knowledge() {
  std::memset(bytes_.data() + p.known, 0, 4 * p.components.size());
  for (const ir::Var& var : p.vars) {
    if (var.known >= 0) std::memset(bytes_.data() + var.known, 0, 4 * static_cast<std::size_t>(var.count));
  }
}

void Canonical::remember_knowledge() {
  std::memcpy(bytes_.data() + p.known, knowing_.data() + p.known, 4 * p.components.size());
  for (const ir::Var& var : p.vars) {
    if (var.known >= 0) std::memcpy(bytes_.data() + var.known, knowing_.data() + var.known, 4 * static_cast<std::size_t>(var.count));
  }
}

/// Variables speak of them by name.
void Canonical::keep_what_is_held() {
  kept_ = pinned_;
  const auto keep = [&](std::int64_t component) {
    if (component >= 0 && component < static_cast<std::int64_t>(kept_.size())) kept_[static_cast<std::size_t>(component)] = 1;
  };
  for (const Marks& marks : marks_) {
    const ir::Var& var = p.vars[static_cast<std::size_t>(marks.var)];
    if (!marks.holds) continue;
    for (std::int32_t at = 0; at < var.count; ++at) {
      if (var.set) each_member(var.cell.offset + 8 * var.domain.words * at, var.domain, keep);
      else keep(cell(var.cell, at));
    }
  }
}

/// Of the components that lie where nobody looks the first ones lie first; what is known of a place stays with the place.
void Canonical::forget_members() {
  found_.clear();
  for (const std::int32_t z : lost_zones_) {
    const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
    const std::int32_t n = get<std::uint16_t>(p.counts + 2 * z);
    for (std::int32_t i = 0; i < n; ++i) {
      const auto c = get<std::uint16_t>(zone.ids + 2 * i);
      const auto type = static_cast<std::size_t>(p.components[c].type);
      if (unread_.found_elsewhere[type] != 0 || kept_[c] != 0) continue;
      if (zone.bags >= 0 && get<std::uint8_t>(zone.bags + i) != 0) continue;
      if (p.rolling >= 0 && get<std::int8_t>(p.rolling + c) != 0) continue;
      const std::uint64_t kind = static_cast<std::uint64_t>(type) << 8 | static_cast<std::uint8_t>(get<std::int8_t>(p.faces + c));
      const std::int32_t group = group_[c];
      found_.push_back({kind, c, group < 0 ? c : groups_[static_cast<std::size_t>(group)].front(), z, i, get<std::uint32_t>(p.known + 4 * c)});
    }
  }
  if (found_.size() < 2) return;
  places_ = found_;
  std::sort(found_.begin(), found_.end(), [](const Lost& x, const Lost& y) { return std::tie(x.kind, x.equal_to, x.component) < std::tie(y.kind, y.equal_to, y.component); });
  std::stable_sort(places_.begin(), places_.end(), [](const Lost& x, const Lost& y) { return x.kind < y.kind; });
  for (std::size_t i = 0; i < found_.size(); ++i) {
    const Lost& place = places_[i];
    const std::int32_t c = found_[i].component;
    put(p.zones[static_cast<std::size_t>(place.zone)].ids + 2 * place.at, static_cast<std::uint16_t>(c));
    put(p.zone_of + 2 * c, static_cast<std::uint16_t>(place.zone));
    put(p.known + 4 * c, place.known);
  }
}

/// Chance is asked for the side of a die.
bool Canonical::is_rolling() const { return get<ir::Header>(0).chance == static_cast<std::uint8_t>(ChanceKind::roll); }

bool Canonical::is_idle(const ir::Var& var) const {
  return var.phase >= 0 && (get<ir::Header>(0).running >> p.phases[static_cast<std::size_t>(var.phase)].bit & 1u) == 0;
}

void Canonical::leave_out_idle() {
  for (const ir::Var& var : p.vars) {
    if (is_idle(var)) std::memset(bytes_.data() + var.cell.offset, 0, static_cast<std::size_t>(var.bytes()));
  }
}

/// Components that cannot be told apart are put in an order that does not depend on who knows what.
void Canonical::sign_without_knowledge(bool all_lost_alike) {
  if (!reductions_.knowledge) return sign(all_lost_alike);
  knowing_ = bytes_;
  forget_knowledge();
  sign(all_lost_alike);
  remember_knowledge();
}

const std::uint8_t* Canonical::form(const State& state, bool after_setup) {
  if (state.bytes.size() != static_cast<std::size_t>(p.size)) return nullptr;
  bytes_.resize(state.bytes.size() + 1);
  std::memcpy(bytes_.data(), state.bytes.data(), state.bytes.size());
  bytes_.back() = after_setup ? 1 : 0;
  if (reductions_.idle) leave_out_idle();
  if (!groups_.empty() || !lost_zones_.empty() || !symmetries_.empty()) pin_what_runs();
  for (const Symmetry& symmetry : symmetries_) {
    sign_without_knowledge(true);
    if (!exchange_values(symmetry)) continue;
    rewrite();
    rewrite_values(symmetry);
  }
  if (!lost_zones_.empty()) {
    keep_what_is_held();
    forget_members();
  }
  if (!groups_.empty()) {
    sign_without_knowledge(false);
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
