// SPDX-License-Identifier: Apache-2.0
// Rational: FLINT's fmpq as a value.
#pragma once

#include <flint/fmpq.h>

#include <string>

namespace plumb::oracles {

class Rational {
 public:
  Rational() { fmpq_init(q_); }
  Rational(long numerator) : Rational() { fmpq_set_si(q_, numerator, 1); }  // NOLINT
  Rational(long numerator, unsigned long denominator) : Rational() {
    fmpq_set_si(q_, numerator, denominator);
  }
  Rational(const Rational& other) : Rational() { fmpq_set(q_, other.q_); }
  Rational(Rational&& other) noexcept : Rational() { fmpq_swap(q_, other.q_); }
  Rational& operator=(Rational other) noexcept {
    fmpq_swap(q_, other.q_);
    return *this;
  }
  ~Rational() { fmpq_clear(q_); }

  // "p/q", "p" or a decimal such as "-1.5e-20".
  static Rational from_text(const std::string& text);
  // mantissa * 2^exponent
  static Rational dyadic(long mantissa, long exponent);
  // The shortest decimal that reads back as v: what a person wrote for a parameter.
  static Rational shortest_decimal(double v);

  std::string text() const;
  int sign() const { return fmpq_sgn(q_); }
  // floor(log2 |q|) of a nonzero number.
  long exponent() const;
  Rational times_power_of_two(long exponent) const;
  Rational magnitude() const;
  // Nearest integer, ties to even.
  Rational nearest_integer() const;
  // The square root when it is rational; false otherwise.
  bool square_root(Rational* root) const;

  fmpq* raw() { return q_; }
  const fmpq* raw() const { return q_; }

  friend Rational operator+(const Rational& a, const Rational& b);
  friend Rational operator-(const Rational& a, const Rational& b);
  friend Rational operator*(const Rational& a, const Rational& b);
  friend Rational operator/(const Rational& a, const Rational& b);
  friend int compare(const Rational& a, const Rational& b) { return fmpq_cmp(a.q_, b.q_); }
  friend bool operator<(const Rational& a, const Rational& b) { return compare(a, b) < 0; }
  friend bool operator>(const Rational& a, const Rational& b) { return compare(a, b) > 0; }
  friend bool operator<=(const Rational& a, const Rational& b) { return compare(a, b) <= 0; }
  friend bool operator>=(const Rational& a, const Rational& b) { return compare(a, b) >= 0; }
  friend bool operator==(const Rational& a, const Rational& b) { return compare(a, b) == 0; }

 private:
  fmpq_t q_;
};

}  // namespace plumb::oracles
