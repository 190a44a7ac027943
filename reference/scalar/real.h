// SPDX-License-Identifier: Apache-2.0
// Real (50 decimal digits) and RealWide (100): the number types of the reference.
// Boost.Multiprecision stands behind them in real.cpp and is included nowhere else, so that a stage
// compiles in a tenth of the time. Every operation is correctly rounded to the type's width or, for
// elementary functions, good to its last few bits.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "reference/tensor/dtype.h"

namespace plumb {

template <int Digits>
class BigFloat {
 public:
  BigFloat();                      // 0
  BigFloat(double v);              // exact  NOLINT(google-explicit-constructor)
  BigFloat(int v);                 // exact  NOLINT(google-explicit-constructor)
  explicit BigFloat(long long v);  // exact
  // Nearest value of this width, or exact when this width is the larger.
  template <int Other>
  explicit BigFloat(const BigFloat<Other>& v);

  // "0.1", "1e-20", "-3": nearest value of this width. Not a number: a broken promise.
  static BigFloat from_decimal(std::string_view text);
  // mantissa * 2^exponent with the last bit set when `inexact` (round to odd), so that a later
  // single rounding to a narrower format is right. `mantissa` is the top 64-bit limbs, most
  // significant first.
  static BigFloat from_limbs(bool negative, const unsigned long long* limbs, int n, long exponent,
                             bool inexact);
  static BigFloat infinity();
  static BigFloat nan();
  static BigFloat pi();

  BigFloat& operator+=(const BigFloat& b);
  BigFloat& operator-=(const BigFloat& b);
  BigFloat& operator*=(const BigFloat& b);
  BigFloat& operator/=(const BigFloat& b);
  friend BigFloat operator+(BigFloat a, const BigFloat& b) { return a += b; }
  friend BigFloat operator-(BigFloat a, const BigFloat& b) { return a -= b; }
  friend BigFloat operator*(BigFloat a, const BigFloat& b) { return a *= b; }
  friend BigFloat operator/(BigFloat a, const BigFloat& b) { return a /= b; }
  BigFloat operator-() const;

  // Three-way comparison of numbers; false for every relation with NaN.
  friend bool operator<(const BigFloat& a, const BigFloat& b) { return less(a, b); }
  friend bool operator>(const BigFloat& a, const BigFloat& b) { return less(b, a); }
  friend bool operator<=(const BigFloat& a, const BigFloat& b) { return less(a, b) || equal(a, b); }
  friend bool operator>=(const BigFloat& a, const BigFloat& b) { return less(b, a) || equal(a, b); }
  friend bool operator==(const BigFloat& a, const BigFloat& b) { return equal(a, b); }

  bool is_nan() const;
  bool is_infinite() const;
  bool is_negative() const;  // the sign bit: true for -0
  bool is_zero() const;
  // floor(log2 |v|) of a finite nonzero value.
  long exponent() const;
  BigFloat scaled_by_power_of_two(long exponent) const;
  BigFloat rounded_half_even() const;  // to an integer
  BigFloat floor() const;
  BigFloat ceil() const;
  double to_double() const;  // nearest, ties to even
  // Significant digits in %g style.
  std::string to_string(int digits) const;

  // Precision in bits: |computed - exact| <= 2^-kBits |exact| for one basic operation.
  static const int kBits;

  friend BigFloat abs(const BigFloat& v) { return v.is_negative() ? -v : v; }

 private:
  static bool less(const BigFloat& a, const BigFloat& b);
  static bool equal(const BigFloat& a, const BigFloat& b);

  friend struct BigFloatAccess;
  alignas(16) std::byte storage_[Digits == 50 ? kRealBytes : kRealWideBytes];
};

template <int Digits>
BigFloat<Digits> sqrt(const BigFloat<Digits>& v);
template <int Digits>
BigFloat<Digits> exp(const BigFloat<Digits>& v);
template <int Digits>
BigFloat<Digits> log(const BigFloat<Digits>& v);
template <int Digits>
BigFloat<Digits> sin(const BigFloat<Digits>& v);
template <int Digits>
BigFloat<Digits> cos(const BigFloat<Digits>& v);
template <int Digits>
BigFloat<Digits> pow(const BigFloat<Digits>& base, const BigFloat<Digits>& exponent);

using Real = BigFloat<50>;
using RealWide = BigFloat<100>;

template <>
struct DtypeOf<Real> {
  static constexpr Dtype value = Dtype::kReal;
};
template <>
struct DtypeOf<RealWide> {
  static constexpr Dtype value = Dtype::kRealWide;
};

}  // namespace plumb
