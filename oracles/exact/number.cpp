// SPDX-License-Identifier: Apache-2.0
#include "oracles/exact/number.h"

#include "reference/base/require.h"

namespace plumb::oracles {
namespace {

using Kind = Number::Kind;

// Twice the 60 digits that an enclosure must have, and room for cancellation.
constexpr slong kPrecision = 640;
constexpr long kWritable = 20000;

// NaN or undecided among the operands decides the result; kRational: neither.
Kind poisoned(const Number& a, const Number& b) {
  for (Kind bad : {Kind::kNan, Kind::kUndecided}) {
    if (a.kind() == bad || b.kind() == bad) return bad;
  }
  return Kind::kRational;
}

bool infinite(const Number& n) {
  return n.kind() == Kind::kPlusInfinity || n.kind() == Kind::kMinusInfinity;
}

bool both_rational(const Number& a, const Number& b) {
  return a.kind() == Kind::kRational && b.kind() == Kind::kRational;
}

Rational end(const arb_t ball, bool upper) {
  fmpz_t low, high, exponent;
  fmpz_init(low);
  fmpz_init(high);
  fmpz_init(exponent);
  const bool tiny = mag_cmp_2exp_si(arb_radref(ball), -kWritable) < 0 &&
                    arf_cmpabs_2exp_si(arb_midref(ball), -kWritable) < 0;
  Rational r;
  if (tiny) {
    r = Rational::dyadic(upper ? 1 : -1, -kWritable + 1);
    if (arb_is_nonnegative(ball) && !upper) r = Rational(0);
    if (arb_is_nonpositive(ball) && upper) r = Rational(0);
  } else {
    PLUMB_REQUIRE(arf_cmpabs_2exp_si(arb_midref(ball), kWritable) < 0, "value too large to write");
    arb_get_interval_fmpz_2exp(low, high, exponent, ball);
    fmpz_set(fmpq_numref(r.raw()), upper ? high : low);
    r = r.times_power_of_two(fmpz_get_si(exponent));
  }
  fmpz_clear(low);
  fmpz_clear(high);
  fmpz_clear(exponent);
  return r;
}

}  // namespace

Number::Number(const Number& other) : Number() { *this = other; }
Number& Number::operator=(const Number& other) {
  kind_ = other.kind_;
  rational_ = other.rational_;
  arb_set(ball_, other.ball_);
  return *this;
}

Number Number::special(Kind kind) {
  Number n;
  n.kind_ = kind;
  return n;
}
Number Number::infinity(bool negative) {
  return special(negative ? Kind::kMinusInfinity : Kind::kPlusInfinity);
}

void Number::load(arb_t ball, const Number& n) {
  if (n.kind_ == Kind::kRational) {
    arb_set_fmpq(ball, n.rational_.raw(), kPrecision);
  } else {
    arb_set(ball, n.ball_);
  }
}

int Number::sign() const {
  switch (kind_) {
    case Kind::kRational:
      return rational_.sign();
    case Kind::kBall:
      return arb_is_positive(ball_) ? 1 : arb_is_negative(ball_) ? -1 : 2;
    case Kind::kPlusInfinity:
      return 1;
    case Kind::kMinusInfinity:
      return -1;
    default:
      return 2;
  }
}

Rational Number::low() const { return kind_ == Kind::kRational ? rational_ : end(ball_, false); }
Rational Number::high() const { return kind_ == Kind::kRational ? rational_ : end(ball_, true); }

Number operator+(const Number& a, const Number& b) {
  if (const Kind bad = poisoned(a, b); bad != Kind::kRational) return Number::special(bad);
  if (infinite(a) && infinite(b) && a.kind() != b.kind()) return Number::special(Kind::kNan);
  if (infinite(a)) return a;
  if (infinite(b)) return b;
  if (both_rational(a, b)) return a.rational() + b.rational();
  Number x = Number::special(Kind::kBall), y = x;
  Number::load(x.ball_, a);
  Number::load(y.ball_, b);
  arb_add(x.ball_, x.ball_, y.ball_, kPrecision);
  return x;
}

Number operator-(const Number& a, const Number& b) { return a + Number(-1) * b; }

Number operator*(const Number& a, const Number& b) {
  if (const Kind bad = poisoned(a, b); bad != Kind::kRational) return Number::special(bad);
  if (infinite(a) || infinite(b)) {
    const int signs = a.sign() * b.sign();
    if (a.is_zero() || b.is_zero()) return Number::special(Kind::kNan);
    if (signs != 1 && signs != -1) return Number::special(Kind::kUndecided);
    return Number::infinity(signs < 0);
  }
  if (a.is_zero() || b.is_zero()) return Number(0);
  if (both_rational(a, b)) return a.rational() * b.rational();
  Number x = Number::special(Kind::kBall), y = x;
  Number::load(x.ball_, a);
  Number::load(y.ball_, b);
  arb_mul(x.ball_, x.ball_, y.ball_, kPrecision);
  return x;
}

Number operator/(const Number& a, const Number& b) {
  if (const Kind bad = poisoned(a, b); bad != Kind::kRational) return Number::special(bad);
  if (infinite(b)) return infinite(a) ? Number::special(Kind::kNan) : Number(0);
  if (b.is_zero()) {
    if (a.is_zero()) return Number::special(Kind::kNan);
    return a.sign() == 2 ? Number::special(Kind::kUndecided) : Number::infinity(a.sign() < 0);
  }
  if (b.sign() == 2) return Number::special(Kind::kUndecided);
  if (infinite(a)) return Number::infinity((a.sign() < 0) != (b.sign() < 0));
  if (both_rational(a, b)) return a.rational() / b.rational();
  Number x = Number::special(Kind::kBall), y = x;
  Number::load(x.ball_, a);
  Number::load(y.ball_, b);
  arb_div(x.ball_, x.ball_, y.ball_, kPrecision);
  return x;
}

Number sqrt(const Number& a) {
  if (a.kind() == Kind::kMinusInfinity || (a.is_finite() && a.sign() == -1)) {
    return Number::special(Kind::kNan);
  }
  if (!a.is_finite()) return a;
  if (a.sign() == 2) return Number::special(Kind::kUndecided);
  Rational root;
  if (a.kind() == Kind::kRational && a.rational().square_root(&root)) return root;
  Number x = Number::special(Kind::kBall);
  Number::load(x.ball_, a);
  arb_sqrt(x.ball_, x.ball_, kPrecision);
  return x;
}

Number exp(const Number& a) {
  if (a.kind() == Kind::kMinusInfinity) return Number(0);
  if (!a.is_finite()) return a;
  if (a.is_zero()) return Number(1);
  Number x = Number::special(Kind::kBall);
  Number::load(x.ball_, a);
  arb_exp(x.ball_, x.ball_, kPrecision);
  return arb_is_finite(x.ball_) ? x : Number::special(Kind::kUndecided);
}

Number log(const Number& a) {
  if (a.kind() == Kind::kMinusInfinity) return Number::special(Kind::kNan);
  if (!a.is_finite()) return a;
  if (a.is_zero()) return Number::infinity(true);
  if (a.sign() == -1) return Number::special(Kind::kNan);
  if (a.sign() == 2) return Number::special(Kind::kUndecided);
  if (a.kind() == Kind::kRational && a.rational() == Rational(1)) return Number(0);
  Number x = Number::special(Kind::kBall);
  Number::load(x.ball_, a);
  arb_log(x.ball_, x.ball_, kPrecision);
  return x;
}

Number cos(const Number& a) {
  if (infinite(a)) return Number::special(Kind::kNan);
  if (!a.is_finite()) return a;
  if (a.is_zero()) return Number(1);
  Number x = Number::special(Kind::kBall);
  Number::load(x.ball_, a);
  arb_cos(x.ball_, x.ball_, kPrecision);
  return x;
}

Number sin(const Number& a) {
  if (infinite(a)) return Number::special(Kind::kNan);
  if (!a.is_finite() || a.is_zero()) return a;
  Number x = Number::special(Kind::kBall);
  Number::load(x.ball_, a);
  arb_sin(x.ball_, x.ball_, kPrecision);
  return x;
}

Number pow(const Number& a, const Rational& b) {
  PLUMB_REQUIRE(a.is_finite() && a.sign() == 1, "the base of a power is positive");
  if (a.kind() == Kind::kRational && b == b.nearest_integer()) {
    Rational r;
    PLUMB_REQUIRE(fmpq_pow_fmpz(r.raw(), a.rational().raw(), fmpq_numref(b.raw())) != 0);
    return r;
  }
  Number x = Number::special(Kind::kBall);
  Number::load(x.ball_, a);
  arb_pow_fmpq(x.ball_, x.ball_, b.raw(), kPrecision);
  return x;
}

Number Number::pi() {
  Number x = special(Kind::kBall);
  arb_const_pi(x.ball_, kPrecision);
  return x;
}

int compare(const Number& a, const Number& b) {
  if (poisoned(a, b) != Kind::kRational) return 2;
  if (infinite(a) || infinite(b)) {
    if (a.kind() == b.kind()) return 0;
    if (infinite(a)) return a.sign();
    return -b.sign();
  }
  if (both_rational(a, b)) return compare(a.rational(), b.rational());
  return (a - b).sign();
}

}  // namespace plumb::oracles
