#include "verify/packing.h"

#include "base/hash.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace rip::verify {

namespace {

std::uint64_t word(const std::uint8_t* bytes) {
  std::uint64_t out;
  std::memcpy(&out, bytes, sizeof out);
  return out;
}

/// Bits one behind the other, lowest first.
class Writer {
 public:
  explicit Writer(std::uint8_t* out) : out_(out) {}
  /// At most 32 bits.
  void put(std::uint32_t value, std::uint8_t width) {
    held_ |= std::uint64_t{value} << bits_;
    bits_ += width;
    while (bits_ >= 8) {
      *out_++ = static_cast<std::uint8_t>(held_);
      held_ >>= 8;
      bits_ -= 8;
    }
  }
  void end() {
    if (bits_ > 0) *out_ = static_cast<std::uint8_t>(held_);
  }

 private:
  std::uint8_t* out_;
  std::uint64_t held_ = 0;
  unsigned bits_ = 0;
};
class Reader {
 public:
  explicit Reader(const std::uint8_t* from) : from_(from) {}
  std::uint32_t get(std::uint8_t width) {
    while (bits_ < width) {
      held_ |= std::uint64_t{*from_++} << bits_;
      bits_ += 8;
    }
    const auto out = static_cast<std::uint32_t>(held_ & ((std::uint64_t{1} << width) - 1));
    held_ >>= width;
    bits_ -= width;
    return out;
  }

 private:
  const std::uint8_t* from_;
  std::uint64_t held_ = 0;
  unsigned bits_ = 0;
};

}  // namespace

std::uint32_t Packing::Unit::code_of_block(const std::uint8_t* bytes) const {
  const std::size_t mask = block_codes.size() - 1;
  for (std::size_t at = hash64(std::as_bytes(std::span(bytes, length))) & mask; block_codes[at] != kNew; at = (at + 1) & mask) {
    if (std::memcmp(values.data() + block_codes[at] * length, bytes, length) == 0) return block_codes[at];
  }
  return kNew;
}

void Packing::Unit::add(const std::uint8_t* bytes) {
  const auto code = static_cast<std::uint32_t>(count());
  values.insert(values.end(), bytes, bytes + length);
  if (length == 1) {
    byte_codes.resize(256, kLastCode);
    byte_codes[*bytes] = static_cast<std::uint8_t>(code);
    return;
  }
  const auto put = [&](std::uint32_t c) {
    const std::size_t mask = block_codes.size() - 1;
    std::size_t at = hash64(std::as_bytes(std::span(values.data() + c * length, length))) & mask;
    while (block_codes[at] != kNew) at = (at + 1) & mask;
    block_codes[at] = c;
  };
  if (2 * count() <= block_codes.size()) return put(code);
  block_codes.assign(std::max<std::size_t>(16, 2 * block_codes.size()), kNew);
  for (std::uint32_t c = 0; c <= code; ++c) put(c);
}

Packing::Packing(const ir::Program& program, const Unread& unread, bool no_order, bool knowledge) : p(program) {
  const auto size = static_cast<std::size_t>(p.size) + 1;
  follows_.assign(size, 0);
  beside_byte_.assign(size, 0);
  base_.assign(size, 0);
  std::vector<char> alone(size, 0);  // bytes that change independently of those beside them
  const auto mark = [](auto& marks, std::int32_t offset, std::size_t bytes) { std::fill_n(marks.begin() + offset, bytes, 1); };
  const std::size_t components = p.components.size();
  mark(follows_, p.counts, 2 * p.zones.size());
  mark(alone, p.counts, 2 * p.zones.size());
  mark(alone, p.zone_of, 2 * components);
  mark(alone, p.faces, components);
  mark(alone, p.known, 4 * components);
  if (p.rolling >= 0) mark(alone, p.rolling, components);
  alone.back() = 1;
  for (std::size_t z = 0; z < p.zones.size(); ++z) {
    const ir::Zone& zone = p.zones[z];
    mark(alone, zone.ids, 2 * static_cast<std::size_t>(zone.capacity));
    if (zone.bags >= 0) mark(alone, zone.bags, static_cast<std::size_t>(zone.capacity));
    const bool unordered = no_order && (zone.kind == ir::ZoneKind::hand || (unread.order[static_cast<std::size_t>(zone.family)] != 0 && zone.bags < 0));
    if (zone.capacity != 1 && !unordered) continue;
    mark(follows_, zone.ids, 2 * static_cast<std::size_t>(zone.capacity));
    ascending_.push_back(static_cast<std::int32_t>(z));
  }
  if (!knowledge) mark(beside_byte_, p.known, 4 * components);
  for (const ir::Var& var : p.vars) {
    mark(alone, var.cell.offset, static_cast<std::size_t>(var.bytes()));
    if (var.known < 0) continue;
    mark(alone, var.known, 4 * static_cast<std::size_t>(var.count));
    if (!knowledge) mark(beside_byte_, var.known, 4 * static_cast<std::size_t>(var.count));
  }
  constexpr std::size_t kBlock = 32;
  for (std::size_t begin = 0; begin < size;) {
    std::size_t end = begin + 1;
    while (alone[begin] == 0 && end < size && end - begin < kBlock && alone[end] == 0) ++end;
    if (follows_[begin] == 0) blocks_.emplace_back(begin, end - begin);
    begin = end;
  }
  fixed_.assign((size + 7) / 8 * 8, 0);
  for (std::size_t i = 0; i < size; ++i) fixed_[i] = follows_[i] != 0 ? 0 : 0xff;
}

bool Packing::pack(const Part& part, const std::uint8_t* bytes, std::uint8_t* out) {
  Writer writer(out);
  for (const Unit& unit : part.units) {
    const std::uint32_t code = unit.code_of(bytes + unit.offset);
    if (code == kNew) return false;
    writer.put(code, unit.width);
  }
  writer.end();
  return true;
}

bool Packing::pack(const std::uint8_t* bytes, std::uint8_t* key, std::uint8_t* beside) const {
  if (!begun_) return false;
  const std::size_t n = base_.size();
  std::size_t i = 0;
  std::uint64_t other = 0;
  for (; i + 8 <= n; i += 8) other |= (word(bytes + i) ^ word(base_.data() + i)) & word(fixed_.data() + i);
  for (; i < n; ++i) other |= static_cast<std::uint8_t>((bytes[i] ^ base_[i]) & fixed_[i]);
  return other == 0 && pack(key_, bytes, key) && pack(beside_, bytes, beside);
}

void Packing::unpack(const Part& part, const std::uint8_t* key, std::uint8_t* bytes) {
  Reader reader(key);
  for (const Unit& unit : part.units) {
    const std::uint8_t* value = unit.values.data() + std::size_t{reader.get(unit.width)} * unit.length;
    if (unit.length == 1) bytes[unit.offset] = *value;
    else std::memcpy(bytes + unit.offset, value, unit.length);
  }
}

void Packing::unpack(const std::uint8_t* key, const std::uint8_t* beside, std::uint8_t* bytes) const {
  std::memcpy(bytes, base_.data(), base_.size());
  unpack(key_, key, bytes);
  unpack(beside_, beside, bytes);
  std::memset(bytes + p.counts, 0, 2 * p.zones.size());
  for (const std::int32_t z : ascending_) {
    const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
    std::memset(bytes + zone.ids, 0, 2 * static_cast<std::size_t>(zone.capacity));
  }
  auto* counts = reinterpret_cast<std::uint16_t*>(bytes + p.counts);
  const auto* zones = reinterpret_cast<const std::uint16_t*>(bytes + p.zone_of);
  for (std::size_t c = 0; c < p.components.size(); ++c) {
    const std::uint16_t z = zones[c];
    const std::uint16_t at = counts[z]++;
    const ir::Zone& zone = p.zones[z];
    if (follows_[static_cast<std::size_t>(zone.ids)] != 0) reinterpret_cast<std::uint16_t*>(bytes + zone.ids)[at] = static_cast<std::uint16_t>(c);
  }
}

bool Packing::learn(Part& part, std::size_t offset, std::size_t length, const std::uint8_t* bytes) {
  auto unit = std::find_if(part.units.begin(), part.units.end(), [&](const Unit& u) { return u.offset == offset; });
  if (unit == part.units.end()) {
    part.units.emplace_back(offset, length);
    unit = part.units.end() - 1;
    unit->add(base_.data() + offset);
    std::fill_n(fixed_.begin() + static_cast<std::ptrdiff_t>(offset), length, std::uint8_t{0});
  }
  if (unit->code_of(bytes) != kNew) return false;
  unit->add(bytes);
  const auto width = static_cast<std::uint8_t>(std::bit_width(unit->count() - 1));
  if (width == unit->width) return false;
  part.bits += width - unit->width;
  unit->width = width;
  return true;
}

bool Packing::learn(const std::uint8_t* bytes) {
  if (!begun_) {
    std::memcpy(base_.data(), bytes, base_.size());
    begun_ = true;
    return false;
  }
  bool wider = false;
  for (const auto& [offset, length] : blocks_) {
    if (fixed_[offset] != 0 && std::memcmp(bytes + offset, base_.data() + offset, length) == 0) continue;
    wider = learn(beside_byte_[offset] != 0 ? beside_ : key_, offset, length, bytes + offset) || wider;
  }
  return wider;
}

void Packing::widen(const Part& before, const Part& after, const std::uint8_t* from, std::uint8_t* to) {
  Reader reader(from);
  Writer writer(to);
  for (std::size_t i = 0; i < after.units.size(); ++i) {
    // a byte that became a unit since was that of the first state, whose code is 0
    const std::uint32_t code = i < before.units.size() ? reader.get(before.units[i].width) : 0;
    writer.put(code, after.units[i].width);
  }
  writer.end();
}

}  // namespace rip::verify
