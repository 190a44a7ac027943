// SPDX-License-Identifier: Apache-2.0
#include "oracles/exact/rational.h"

#include <cstdio>
#include <cstdlib>

#include "reference/base/require.h"

namespace plumb::oracles {

Rational Rational::from_text(const std::string& text) {
  const std::size_t e = text.find_first_of("eE");
  std::string digits = text.substr(0, e);
  long power = e == std::string::npos ? 0 : std::strtol(text.c_str() + e + 1, nullptr, 10);
  const std::size_t point = digits.find('.');
  if (point != std::string::npos) {
    power -= static_cast<long>(digits.size() - point - 1);
    digits.erase(point, 1);
  }
  Rational r;
  PLUMB_REQUIRE(fmpq_set_str(r.q_, digits.c_str(), 10) == 0, text);
  fmpq_canonicalise(r.q_);
  Rational ten(10);
  Rational factor;
  fmpq_pow_si(factor.q_, ten.q_, power);
  return r * factor;
}

Rational Rational::dyadic(long mantissa, long exponent) {
  return Rational(mantissa).times_power_of_two(exponent);
}

Rational Rational::shortest_decimal(double v) {
  char buffer[40];
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(buffer, sizeof(buffer), "%.*e", digits - 1, v);
    if (std::strtod(buffer, nullptr) == v) return from_text(buffer);
  }
  PLUMB_REQUIRE(false, "not a finite number", v);
  return {};
}

std::string Rational::text() const {
  char* raw_text = fmpq_get_str(nullptr, 10, q_);
  std::string s(raw_text);
  flint_free(raw_text);
  return s;
}

long Rational::exponent() const {
  PLUMB_REQUIRE(sign() != 0, "zero has no exponent");
  long guess =
      static_cast<long>(fmpz_bits(fmpq_numref(q_))) - static_cast<long>(fmpz_bits(fmpq_denref(q_)));
  // |q| lies in (2^(guess - 1), 2^(guess + 1)).
  return magnitude() < dyadic(1, guess) ? guess - 1 : guess;
}

Rational Rational::times_power_of_two(long exponent) const {
  Rational r;
  if (exponent >= 0) {
    fmpq_mul_2exp(r.q_, q_, static_cast<flint_bitcnt_t>(exponent));
  } else {
    fmpq_div_2exp(r.q_, q_, static_cast<flint_bitcnt_t>(-exponent));
  }
  return r;
}

Rational Rational::magnitude() const {
  Rational r;
  fmpq_abs(r.q_, q_);
  return r;
}

Rational Rational::nearest_integer() const {
  Rational below;
  fmpz_fdiv_q(fmpq_numref(below.q_), fmpq_numref(q_), fmpq_denref(q_));
  const int side = compare(*this - below, Rational(1, 2));
  const bool odd = fmpz_is_odd(fmpq_numref(below.q_)) != 0;
  return side > 0 || (side == 0 && odd) ? below + Rational(1) : below;
}

bool Rational::square_root(Rational* root) const {
  if (sign() < 0 || fmpz_is_square(fmpq_numref(q_)) == 0 || fmpz_is_square(fmpq_denref(q_)) == 0) {
    return false;
  }
  fmpz_sqrt(fmpq_numref(root->q_), fmpq_numref(q_));
  fmpz_sqrt(fmpq_denref(root->q_), fmpq_denref(q_));
  return true;
}

Rational operator+(const Rational& a, const Rational& b) {
  Rational r;
  fmpq_add(r.q_, a.q_, b.q_);
  return r;
}
Rational operator-(const Rational& a, const Rational& b) {
  Rational r;
  fmpq_sub(r.q_, a.q_, b.q_);
  return r;
}
Rational operator*(const Rational& a, const Rational& b) {
  Rational r;
  fmpq_mul(r.q_, a.q_, b.q_);
  return r;
}
Rational operator/(const Rational& a, const Rational& b) {
  PLUMB_REQUIRE(b.sign() != 0, "division by zero", a.text());
  Rational r;
  fmpq_div(r.q_, a.q_, b.q_);
  return r;
}

}  // namespace plumb::oracles
