// SPDX-License-Identifier: Apache-2.0
#include "reference/scalar/format.h"

#include <algorithm>

namespace plumb {
namespace {

// The handful of operations that rounding needs, for hardware and for wide numbers.
struct Hardware {
  static bool is_finite_nonzero(double v) { return std::isfinite(v) && v != 0; }
  static long exponent(double v) { return std::ilogb(v); }
  static double scaled(double v, long e) { return std::ldexp(v, static_cast<int>(e)); }
  static double integer(double v) { return std::nearbyint(v); }  // ties to even is the default mode
  static bool negative(double v) { return std::signbit(v); }
};

template <int Digits>
struct Software {
  using T = BigFloat<Digits>;
  static bool is_finite_nonzero(const T& v) {
    return !v.is_nan() && !v.is_infinite() && !v.is_zero();
  }
  static long exponent(const T& v) { return v.exponent(); }
  static T scaled(const T& v, long e) { return v.scaled_by_power_of_two(e); }
  static T integer(const T& v) { return v.rounded_half_even(); }
  static bool negative(const T& v) { return v.is_negative(); }
};

template <class Ops, class T>
T overflowed(const Format& format, bool negative) {
  switch (format.overflow) {
    case Overflow::kSaturate:
      return T(negative ? -format.max_finite : format.max_finite);
    case Overflow::kNan:
      return T(std::numeric_limits<double>::quiet_NaN());
    case Overflow::kInfinity:
      break;
  }
  return T(negative ? -std::numeric_limits<double>::infinity()
                    : std::numeric_limits<double>::infinity());
}

template <class Ops, class T>
T rounded(const Format& format, const T& v) {
  if (!Ops::is_finite_nonzero(v)) {
    const bool infinite = v == T(std::numeric_limits<double>::infinity()) ||
                          v == T(-std::numeric_limits<double>::infinity());
    return infinite ? overflowed<Ops, T>(format, Ops::negative(v)) : v;
  }
  // The quantum is the weight of the last bit at this magnitude; below the normal range it is
  // constant.
  const long exponent = std::max<long>(Ops::exponent(v), format.min_exponent);
  const long quantum = exponent - format.precision + 1;
  const T r = Ops::scaled(Ops::integer(Ops::scaled(v, -quantum)), quantum);
  if (r > T(format.max_finite) || r < T(-format.max_finite)) {
    return overflowed<Ops, T>(format, Ops::negative(v));
  }
  return r;
}

}  // namespace

template <>
double round_to(const Format& format, const double& v) {
  return rounded<Hardware>(format, v);
}
template <>
Real round_to(const Format& format, const Real& v) {
  return rounded<Software<50>>(format, v);
}
template <>
RealWide round_to(const Format& format, const RealWide& v) {
  return rounded<Software<100>>(format, v);
}

}  // namespace plumb
