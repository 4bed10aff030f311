// What does not fit into the fixed part of a state: frames of routines that run inside of themselves (a trigger woken by its
// own body), and the order of a packet as far as chance has laid it. Such records stand behind the fixed part, the newest
// last, and are gone before the game goes on without them; most games never have any.
#include "interp/run/interpreter.h"

#include <algorithm>

namespace rip {

namespace {

struct Trailer {
  std::int32_t kind;  ///< a routine, or kOrderRecord
  std::int32_t size;
  std::uint64_t mark;
};
constexpr std::uint64_t kMark = 0x7269705f66726d65u;
constexpr int kMaxNested = 64;

}  // namespace

std::int32_t Interpreter::record_before(std::size_t end, Record& record) const {
  if (end < sizeof(Trailer) + static_cast<std::size_t>(p.size)) return 0;
  Trailer trailer{};
  std::memcpy(&trailer, state_->bytes.data() + end - sizeof trailer, sizeof trailer);
  if (trailer.mark != kMark) return 0;
  const std::int32_t padded = (trailer.size + 7) / 8 * 8;
  record = {trailer.kind, static_cast<std::int32_t>(end - sizeof trailer) - padded, trailer.size};
  return static_cast<std::int32_t>(sizeof trailer) + padded;
}

void Interpreter::push_record(std::int32_t kind, const void* data, std::int32_t size) {
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  state_->bytes.insert(state_->bytes.end(), bytes, bytes + size);
  state_->bytes.resize((state_->bytes.size() + 7) / 8 * 8);
  const Trailer trailer{kind, size, kMark};
  const auto* end = reinterpret_cast<const std::uint8_t*>(&trailer);
  state_->bytes.insert(state_->bytes.end(), end, end + sizeof trailer);
  s = state_->bytes.data();
}

void Interpreter::pop_record() {
  Record record;
  const std::int32_t size = record_before(state_->bytes.size(), record);
  state_->bytes.resize(state_->bytes.size() - static_cast<std::size_t>(size));
  s = state_->bytes.data();
}

bool Interpreter::put_aside(std::int32_t index) {
  const ir::Routine& routine = p.routines[static_cast<std::size_t>(index)];
  if (!can_nest_) return false;
  std::vector<std::uint8_t> kept(s + routine.frame, s + routine.frame + routine.frame_size);
  for (const auto& [offset, size] : loose_locals_) kept.insert(kept.end(), s + offset, s + offset + size);
  push_record(index, kept.data(), static_cast<std::int32_t>(kept.size()));
  std::memset(s + routine.frame, 0, static_cast<std::size_t>(routine.frame_size));
  return true;
}

void Interpreter::take_back(std::int32_t index) {
  Record record;
  if (record_before(state_->bytes.size(), record) == 0 || record.kind != index) return;
  const ir::Routine& routine = p.routines[static_cast<std::size_t>(index)];
  const std::uint8_t* kept = s + record.offset;
  std::memcpy(s + routine.frame, kept, static_cast<std::size_t>(routine.frame_size));
  kept += routine.frame_size;
  for (const auto& [offset, size] : loose_locals_) {
    std::memcpy(s + offset, kept, static_cast<std::size_t>(size));
    kept += size;
  }
  pop_record();
}

/// One more body of a trigger may run inside of those that do.
bool Interpreter::may_nest() {
  int nested = 0;
  for (std::size_t i = 0; i < p.routines.size(); ++i) {
    if (when_routine_[i] != 0 && at<std::int32_t>(p.routines[i].frame) != 0) ++nested;
  }
  Record record;
  std::size_t end = state_->bytes.size();
  while (const std::int32_t size = record_before(end, record)) {
    if (record.kind >= 0 && when_routine_[static_cast<std::size_t>(record.kind)] != 0) ++nested;
    end -= static_cast<std::size_t>(size);
  }
  return nested < kMaxNested;
}

// ---- the order of a packet, as far as it is laid ----

void Interpreter::read_order(Order& order) {
  order.laid.size = 0;
  order.left.size = 0;
  Record record;
  if (record_before(state_->bytes.size(), record) == 0 || record.kind != kOrderRecord) return;
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(record.size) / 4);
  std::memcpy(numbers.data(), s + record.offset, 4 * numbers.size());
  const auto laid = static_cast<std::size_t>(numbers[0]);
  for (std::size_t i = 1; i < numbers.size(); ++i) (i <= laid ? order.laid : order.left).push(numbers[i]);
}

void Interpreter::write_order(const Order& order) {
  Record record;
  if (record_before(state_->bytes.size(), record) != 0 && record.kind == kOrderRecord) pop_record();
  std::vector<std::int32_t> numbers{order.laid.size};
  numbers.insert(numbers.end(), order.laid.values, order.laid.values + order.laid.size);
  numbers.insert(numbers.end(), order.left.values, order.left.values + order.left.size);
  push_record(kOrderRecord, numbers.data(), static_cast<std::int32_t>(4 * numbers.size()));
}

void Interpreter::drop_order() {
  Record record;
  if (record_before(state_->bytes.size(), record) != 0 && record.kind == kOrderRecord) pop_record();
}

}  // namespace rip
