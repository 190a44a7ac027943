// SPDX-License-Identifier: Apache-2.0
#include "oracles/exact/rounding.h"

#include <algorithm>

namespace plumb::oracles {
namespace {

using Kind = Number::Kind;

struct Layout {
  int fraction_bits;
  long lowest_exponent;  // of a normal number
  Rational largest;
  bool saturates;
};

const Layout& layout(Target target) {
  static const Layout kBf16{7, -126, Rational::dyadic(0xFF, 120), false};
  static const Layout kF32{23, -126, Rational::dyadic(0xFFFFFF, 104), false};
  static const Layout kF64{52, -1022, Rational::dyadic((1L << 53) - 1, 971), false};
  static const Layout kE4m3{3, -6, Rational(448), true};
  switch (target) {
    case Target::kBf16:
      return kBf16;
    case Target::kF32:
      return kF32;
    case Target::kF64:
      return kF64;
    case Target::kE4m3:
      break;
  }
  return kE4m3;
}

Number beyond(const Layout& to, bool negative) {
  if (!to.saturates) return Number::infinity(negative);
  return negative ? Rational(0) - to.largest : to.largest;
}

Number nearest(const Rational& q, const Layout& to) {
  if (q.sign() == 0) return q;
  const long last_bit = std::max(q.exponent(), to.lowest_exponent) - to.fraction_bits;
  const Rational r = q.times_power_of_two(-last_bit).nearest_integer().times_power_of_two(last_bit);
  if (r.magnitude() > to.largest) return beyond(to, q.sign() < 0);
  return r;
}

}  // namespace

Number rounded(const Number& n, Target target) {
  const Layout& to = layout(target);
  switch (n.kind()) {
    case Kind::kRational:
      return nearest(n.rational(), to);
    case Kind::kBall: {
      // Rounding is monotone: equal ends decide everything between them.
      Number low = nearest(n.low(), to);
      return compare(low, nearest(n.high(), to)) == 0 ? low : Number::special(Kind::kUndecided);
    }
    case Kind::kPlusInfinity:
      return beyond(to, false);
    case Kind::kMinusInfinity:
      return beyond(to, true);
    default:
      return n;
  }
}

}  // namespace plumb::oracles
