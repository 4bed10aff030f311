// Exact chances. Used by scenarios that state one.
#pragma once

#include <cstdint>
#include <numeric>
#include <string>

namespace rip::verify {

/// A reduced fraction; once its terms grow beyond 64 bits it is no longer `exact` and stays so.
struct Fraction {
  std::int64_t of = 0, whole = 1;  ///< whole > 0
  bool exact = true;

  Fraction() = default;
  Fraction(std::int64_t n, std::int64_t d) : of(n / std::gcd(n, d)), whole(d / std::gcd(n, d)) {}

  friend Fraction operator*(Fraction a, Fraction b) {
    const Fraction x(a.of, b.whole), y(b.of, a.whole);
    Fraction out;
    out.exact = !__builtin_mul_overflow(x.of, y.of, &out.of) && !__builtin_mul_overflow(x.whole, y.whole, &out.whole) && a.exact && b.exact;
    return out;
  }
  friend Fraction operator+(Fraction a, Fraction b) {
    const std::int64_t shared = std::gcd(a.whole, b.whole);
    std::int64_t left = 0, right = 0, whole = 0, of = 0;
    const bool overflows = __builtin_mul_overflow(a.of, b.whole / shared, &left) || __builtin_mul_overflow(b.of, a.whole / shared, &right) ||
                           __builtin_mul_overflow(a.whole, b.whole / shared, &whole) || __builtin_add_overflow(left, right, &of);
    Fraction out;
    if (!overflows) out = Fraction(of, whole);
    out.exact = !overflows && a.exact && b.exact;
    return out;
  }
  bool operator==(const Fraction&) const = default;
  /// `5 of 36`, as scripts write it; whole numbers alone.
  std::string text() const { return whole == 1 ? std::to_string(of) : std::to_string(of) + " of " + std::to_string(whole); }
};

}  // namespace rip::verify
