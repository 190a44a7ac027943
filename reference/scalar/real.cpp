// SPDX-License-Identifier: Apache-2.0
#include "reference/scalar/real.h"

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cstring>
#include <new>
#include <type_traits>

#include "reference/base/require.h"

namespace plumb {

namespace mp = boost::multiprecision;

// The Boost number that lies in a BigFloat's storage. Its digits stand inline (no allocator), so
// that copying the bytes copies the value.
struct BigFloatAccess {
  template <int Digits>
  using Number = mp::number<mp::cpp_bin_float<Digits>, mp::et_off>;

  template <int Digits>
  static Number<Digits>& in(BigFloat<Digits>& v) {
    static_assert(sizeof(Number<Digits>) <= sizeof(v.storage_));
    static_assert(alignof(Number<Digits>) <= alignof(BigFloat<Digits>));
    static_assert(std::is_trivially_destructible_v<Number<Digits>>);
    return *std::launder(reinterpret_cast<Number<Digits>*>(v.storage_));
  }
  template <int Digits>
  static const Number<Digits>& in(const BigFloat<Digits>& v) {
    return *std::launder(reinterpret_cast<const Number<Digits>*>(v.storage_));
  }
  template <int Digits>
  static BigFloat<Digits> wrap(const Number<Digits>& n) {
    BigFloat<Digits> v;
    in(v) = n;
    return v;
  }
  template <int Digits>
  static void construct(BigFloat<Digits>& v) {
    std::memset(v.storage_, 0, sizeof(v.storage_));
    new (v.storage_) Number<Digits>();
  }
};

namespace {

template <int Digits>
using Number = BigFloatAccess::Number<Digits>;

template <int Digits>
decltype(auto) in(BigFloat<Digits>& v) {
  return BigFloatAccess::in(v);
}
template <int Digits>
decltype(auto) in(const BigFloat<Digits>& v) {
  return BigFloatAccess::in(v);
}
template <int Digits>
BigFloat<Digits> wrap(const Number<Digits>& n) {
  return BigFloatAccess::wrap<Digits>(n);
}

}  // namespace

template <int Digits>
const int BigFloat<Digits>::kBits = std::numeric_limits<Number<Digits>>::digits;

template <int Digits>
BigFloat<Digits>::BigFloat() {
  BigFloatAccess::construct(*this);
}
template <int Digits>
BigFloat<Digits>::BigFloat(double v) : BigFloat() {
  in(*this) = v;
}
template <int Digits>
BigFloat<Digits>::BigFloat(int v) : BigFloat() {
  in(*this) = v;
}
template <int Digits>
BigFloat<Digits>::BigFloat(long long v) : BigFloat() {
  in(*this) = v;
}
template <int Digits>
template <int Other>
BigFloat<Digits>::BigFloat(const BigFloat<Other>& v) : BigFloat() {
  in(*this) = static_cast<Number<Digits>>(in(v));
}

template <int Digits>
BigFloat<Digits> BigFloat<Digits>::from_decimal(std::string_view text) {
  PLUMB_REQUIRE(
      !text.empty() && text.find_first_not_of("0123456789+-.eE") == std::string_view::npos, text);
  return wrap<Digits>(Number<Digits>(std::string(text)));
}

template <int Digits>
BigFloat<Digits> BigFloat<Digits>::from_limbs(bool negative, const unsigned long long* limbs, int n,
                                              long exponent, bool inexact) {
  // Keep whole limbs that fit beside one spare bit; what is cut off only matters as "not zero".
  mp::cpp_int mantissa = 0;
  for (int i = 0; i < n; ++i) mantissa = (mantissa << 64) | limbs[i];
  if (mantissa == 0) return BigFloat();
  const long excess = static_cast<long>(mp::msb(mantissa)) + 1 - kBits;
  if (excess > 0) {
    inexact = inexact || mp::lsb(mantissa) < static_cast<unsigned long>(excess);
    mantissa >>= excess;
    exponent += excess;
  } else if (inexact) {
    mantissa <<= -excess;
    exponent += excess;
  }
  if (inexact) mp::bit_set(mantissa, 0);
  Number<Digits> v = mp::ldexp(Number<Digits>(mantissa), static_cast<int>(exponent));
  return wrap<Digits>(negative ? Number<Digits>(-v) : v);
}

template <int Digits>
BigFloat<Digits> BigFloat<Digits>::infinity() {
  return wrap<Digits>(std::numeric_limits<Number<Digits>>::infinity());
}
template <int Digits>
BigFloat<Digits> BigFloat<Digits>::nan() {
  return wrap<Digits>(std::numeric_limits<Number<Digits>>::quiet_NaN());
}
template <int Digits>
BigFloat<Digits> BigFloat<Digits>::pi() {
  return wrap<Digits>(boost::math::constants::pi<Number<Digits>>());
}

template <int Digits>
BigFloat<Digits>& BigFloat<Digits>::operator+=(const BigFloat& b) {
  in(*this) += in(b);
  return *this;
}
template <int Digits>
BigFloat<Digits>& BigFloat<Digits>::operator-=(const BigFloat& b) {
  in(*this) -= in(b);
  return *this;
}
template <int Digits>
BigFloat<Digits>& BigFloat<Digits>::operator*=(const BigFloat& b) {
  in(*this) *= in(b);
  return *this;
}
template <int Digits>
BigFloat<Digits>& BigFloat<Digits>::operator/=(const BigFloat& b) {
  // IEEE division; Boost throws on a zero divisor.
  if (b.is_zero() && !is_nan()) {
    if (is_zero()) return *this = nan();
    const bool negative = is_negative() != b.is_negative();
    return *this = negative ? -infinity() : infinity();
  }
  in(*this) /= in(b);
  return *this;
}
template <int Digits>
BigFloat<Digits> BigFloat<Digits>::operator-() const {
  return wrap<Digits>(-in(*this));
}

template <int Digits>
bool BigFloat<Digits>::less(const BigFloat& a, const BigFloat& b) {
  return !a.is_nan() && !b.is_nan() && in(a) < in(b);
}
template <int Digits>
bool BigFloat<Digits>::equal(const BigFloat& a, const BigFloat& b) {
  return !a.is_nan() && !b.is_nan() && in(a) == in(b);
}

template <int Digits>
bool BigFloat<Digits>::is_nan() const {
  return (mp::isnan)(in(*this));
}
template <int Digits>
bool BigFloat<Digits>::is_infinite() const {
  return (mp::isinf)(in(*this));
}
template <int Digits>
bool BigFloat<Digits>::is_negative() const {
  return (mp::signbit)(in(*this)) != 0;
}
template <int Digits>
bool BigFloat<Digits>::is_zero() const {
  return in(*this).is_zero();
}
template <int Digits>
long BigFloat<Digits>::exponent() const {
  PLUMB_REQUIRE(!is_zero() && !is_nan() && !is_infinite());
  return static_cast<long>(in(*this).backend().exponent());
}
template <int Digits>
BigFloat<Digits> BigFloat<Digits>::scaled_by_power_of_two(long exponent) const {
  return wrap<Digits>(mp::ldexp(in(*this), static_cast<int>(exponent)));
}
template <int Digits>
BigFloat<Digits> BigFloat<Digits>::floor() const {
  return wrap<Digits>(mp::floor(in(*this)));
}
template <int Digits>
BigFloat<Digits> BigFloat<Digits>::ceil() const {
  return wrap<Digits>(mp::ceil(in(*this)));
}
template <int Digits>
BigFloat<Digits> BigFloat<Digits>::rounded_half_even() const {
  const Number<Digits> below = mp::floor(in(*this));
  const Number<Digits> rest = in(*this) - below;  // exact: the integer part cancels
  const Number<Digits> half = 0.5;
  const Number<Digits> pair = mp::floor(Number<Digits>(below * half)) * 2;
  const bool up = rest > half || (rest == half && pair != below);
  const Number<Digits> r = up ? Number<Digits>(below + 1) : below;
  // What vanishes keeps its sign.
  return wrap<Digits>(r.is_zero() && is_negative() ? Number<Digits>(-Number<Digits>(0)) : r);
}
template <int Digits>
double BigFloat<Digits>::to_double() const {
  return in(*this).template convert_to<double>();
}
template <int Digits>
std::string BigFloat<Digits>::to_string(int digits) const {
  return in(*this).str(digits, std::ios_base::fmtflags{});
}

template <int Digits>
BigFloat<Digits> sqrt(const BigFloat<Digits>& v) {
  if (v.is_negative() && !v.is_zero()) return BigFloat<Digits>::nan();
  return wrap<Digits>(mp::sqrt(in(v)));
}
template <int Digits>
BigFloat<Digits> exp(const BigFloat<Digits>& v) {
  if (v.is_infinite()) return v.is_negative() ? BigFloat<Digits>() : v;
  return wrap<Digits>(mp::exp(in(v)));
}
template <int Digits>
BigFloat<Digits> log(const BigFloat<Digits>& v) {
  if (v.is_zero()) return -BigFloat<Digits>::infinity();
  if (v.is_negative() || v.is_nan()) return BigFloat<Digits>::nan();
  return wrap<Digits>(mp::log(in(v)));
}
template <int Digits>
BigFloat<Digits> sin(const BigFloat<Digits>& v) {
  return v.is_infinite() ? BigFloat<Digits>::nan() : wrap<Digits>(mp::sin(in(v)));
}
template <int Digits>
BigFloat<Digits> cos(const BigFloat<Digits>& v) {
  return v.is_infinite() ? BigFloat<Digits>::nan() : wrap<Digits>(mp::cos(in(v)));
}
template <int Digits>
BigFloat<Digits> pow(const BigFloat<Digits>& base, const BigFloat<Digits>& exponent) {
  return wrap<Digits>(mp::pow(in(base), in(exponent)));
}

#define PLUMB_INSTANTIATE(Digits)                          \
  template class BigFloat<Digits>;                         \
  template BigFloat<Digits> sqrt(const BigFloat<Digits>&); \
  template BigFloat<Digits> exp(const BigFloat<Digits>&);  \
  template BigFloat<Digits> log(const BigFloat<Digits>&);  \
  template BigFloat<Digits> sin(const BigFloat<Digits>&);  \
  template BigFloat<Digits> cos(const BigFloat<Digits>&);  \
  template BigFloat<Digits> pow(const BigFloat<Digits>&, const BigFloat<Digits>&);

PLUMB_INSTANTIATE(50)
PLUMB_INSTANTIATE(100)
template BigFloat<100>::BigFloat(const BigFloat<50>&);
template BigFloat<50>::BigFloat(const BigFloat<100>&);

}  // namespace plumb
