// States in few bits, exactly: each byte of the canonical form, and each block of what controls the rules, takes as many bits as
// it has been seen to need; what follows from the rest takes none. What is packed can be unpacked and played on.
// Flow: canonical bytes <-> key of verify/state_graph.
#pragma once

#include "interp/ir/ir.h"
#include "verify/unread.h"

#include <cstdint>
#include <vector>

namespace rip::verify {

/// Learns as it goes: learn() shows it a state that pack() refused; keys of before have to be widened then.
class Packing {
 public:
  /// `no_order`: hands and zones of which no rule reads the order hold their components in ascending order. `knowledge`: who
  /// knows what is part of the key.
  Packing(const ir::Program& program, const Unread& unread, bool no_order, bool knowledge);

  /// Bytes of a state and one more, which says whether claims count already.
  std::size_t size() const { return base_.size(); }
  /// Bytes of the key, and of what goes beside it: who knows what.
  std::size_t key_bytes() const { return (key_.bits + 7) / 8; }
  std::size_t beside_bytes() const { return (beside_.bits + 7) / 8; }

  /// False: there is something in it that was not seen before.
  bool pack(const std::uint8_t* bytes, std::uint8_t* key, std::uint8_t* beside) const;
  void unpack(const std::uint8_t* key, const std::uint8_t* beside, std::uint8_t* bytes) const;
  /// True: keys and what goes beside them have to be widened.
  bool learn(const std::uint8_t* bytes);
  /// From the form that `before` packed; only more has been learnt since.
  void widen_key(const Packing& before, const std::uint8_t* from, std::uint8_t* to) const { widen(before.key_, key_, from, to); }
  void widen_beside(const Packing& before, const std::uint8_t* from, std::uint8_t* to) const { widen(before.beside_, beside_, from, to); }

 private:
  /// Some bytes, mostly one, that are not the same in all states.
  struct Unit {
    Unit(std::size_t first, std::size_t size) : offset(static_cast<std::uint32_t>(first)), length(static_cast<std::uint32_t>(size)) {}
    /// kNew: not seen.
    std::uint32_t code_of(const std::uint8_t* bytes) const {
      if (length > 1) return code_of_block(bytes);
      const std::uint32_t code = byte_codes[*bytes];
      return code < kLastCode || (values.size() > kLastCode && values[kLastCode] == *bytes) ? code : kNew;
    }
    std::uint32_t code_of_block(const std::uint8_t* bytes) const;
    void add(const std::uint8_t* bytes);
    std::size_t count() const { return values.size() / length; }

    std::uint32_t offset, length;
    std::uint8_t width = 0;                 ///< bits of a code
    std::vector<std::uint8_t> byte_codes;   ///< by value if it is one byte; kLastCode also where there is none
    std::vector<std::uint8_t> values;       ///< by code
    std::vector<std::uint32_t> block_codes; ///< of longer values: open addressing, kNew = free
  };
  static constexpr std::uint8_t kLastCode = 0xff;
  static constexpr std::uint32_t kNew = 0xffffffffu;
  struct Part {
    std::vector<Unit> units;           ///< in the order in which they became units
    std::size_t bits = 0;
  };
  static bool pack(const Part& part, const std::uint8_t* bytes, std::uint8_t* out);
  static void unpack(const Part& part, const std::uint8_t* key, std::uint8_t* bytes);
  static void widen(const Part& before, const Part& after, const std::uint8_t* from, std::uint8_t* to);
  bool learn(Part& part, std::size_t offset, std::size_t length, const std::uint8_t* bytes);

  const ir::Program& p;
  std::vector<std::uint8_t> follows_;        ///< by byte: it follows from others
  std::vector<std::uint8_t> beside_byte_;    ///< says who knows what
  std::vector<std::pair<std::size_t, std::size_t>> blocks_;  ///< offset, length: taken together
  std::vector<std::uint8_t> base_;           ///< of the first state
  std::vector<std::uint8_t> fixed_;          ///< 0xff where a byte must be that of the first state
  bool begun_ = false;
  Part key_, beside_;
  std::vector<std::int32_t> ascending_;      ///< zones whose contents follow from where the components are
};

}  // namespace rip::verify
