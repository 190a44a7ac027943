// SPDX-License-Identifier: Apache-2.0
// Number: a value of an exact computation. Rational as long as the formula allows it, an Arb ball
// (an interval that surely holds the value) from the first irrational function on, or an infinity
// or NaN of IEEE arithmetic. kUndecided: the ball was too wide to say.
#pragma once

#include <arb.h>

#include "oracles/exact/rational.h"

namespace plumb::oracles {

class Number {
 public:
  enum class Kind { kRational, kBall, kPlusInfinity, kMinusInfinity, kNan, kUndecided };

  Number() { arb_init(ball_); }
  Number(Rational q) : Number() { rational_ = std::move(q); }  // NOLINT
  Number(long v) : Number(Rational(v)) {}                      // NOLINT
  Number(const Number& other);
  Number& operator=(const Number& other);
  ~Number() { arb_clear(ball_); }
  static Number special(Kind kind);
  static Number infinity(bool negative);

  Kind kind() const { return kind_; }
  bool is_finite() const { return kind_ == Kind::kRational || kind_ == Kind::kBall; }
  const Rational& rational() const { return rational_; }
  bool is_zero() const { return kind_ == Kind::kRational && rational_.sign() == 0; }
  // -1, 0 or 1; 2 when a ball reaches over zero.
  int sign() const;
  // Ends of the interval that holds a finite value; equal for a rational. Ends beyond 2^+-20000 are
  // moved outwards to what can still be written down.
  Rational low() const;
  Rational high() const;

  friend Number operator+(const Number& a, const Number& b);
  friend Number operator-(const Number& a, const Number& b);
  friend Number operator*(const Number& a, const Number& b);
  // IEEE: a / 0 is an infinity with the sign of a; 0 / 0 is NaN.
  friend Number operator/(const Number& a, const Number& b);
  friend Number sqrt(const Number& a);
  friend Number exp(const Number& a);
  // IEEE: log(0) is -infinity, log of a negative number NaN; cos and sin of an infinity are NaN.
  friend Number log(const Number& a);
  friend Number cos(const Number& a);
  friend Number sin(const Number& a);
  // a^b of a positive finite a; rational where b is an integer.
  friend Number pow(const Number& a, const Rational& b);
  static Number pi();
  // -1, 0, 1; 2 when undecided or NaN.
  friend int compare(const Number& a, const Number& b);

 private:
  static void load(arb_t ball, const Number& n);

  Kind kind_ = Kind::kRational;
  Rational rational_;
  arb_t ball_;
};

}  // namespace plumb::oracles
