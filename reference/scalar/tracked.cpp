// SPDX-License-Identifier: Apache-2.0
#include "reference/scalar/tracked.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plumb {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Each bound is the result of a few double operations; this factor covers their rounding.
constexpr double kInflate = 1 + 0x1p-40;

// |v| as a double. Real's range is far wider (exp of a large logit): there the largest double
// stands for it, which keeps the relative errors that a quotient needs.
double magnitude(const Real& v) {
  const double m = std::fabs(v.to_double());
  return std::isinf(m) && !v.is_infinite() ? std::numeric_limits<double>::max() : m;
}

// Relative error of one 50-digit operation.
double own_unit() {
  static const double unit = std::ldexp(1.0, 1 - Real::kBits);
  return unit;
}

Tracked combine(const Tracked& a, const Tracked& b, Real value) {
  Tracked r;
  r.value = value;
  r.contract = a.contract != nullptr ? a.contract : b.contract;
  r.flags = static_cast<std::uint8_t>(a.flags | b.flags);
  return r;
}

Tracked derived(const Tracked& a, Real value) { return combine(a, a, value); }

bool is_double(const Real& v) { return Real(v.to_double()) == v; }

// Whether Real holds the result itself, without any error of its own: then a result halfway between
// two numbers of a format is known to be that, and its rounding is not open. Two doubles have a
// product of 106 bits, and a sum of as many bits as lie between their ends.
bool is_exact_product(const Real& a, const Real& b) { return is_double(a) && is_double(b); }
bool is_exact_sum(const Real& a, const Real& b) {
  if (!is_double(a) || !is_double(b)) return false;
  if (a.is_zero() || b.is_zero() || a.is_infinite() || b.is_infinite()) return true;
  return std::abs(a.exponent() - b.exponent()) < Real::kBits - 56;
}
bool is_exact_quotient(const Real& a, const Real& b, const Real& quotient) {
  return is_exact_product(b, quotient) && b * quotient == a;
}

// Bound of a first-order-in-either-bound expression for both kinds of error at once.
template <class Propagate>
void propagate(Tracked& r, const Tracked& a, const Tracked& b, Propagate rule, bool exact = false) {
  // Exact operands have no error to pass on, infinite ones included (0 * inf would be NaN).
  const auto passed_on = [&](double ea, double eb) {
    return ea == 0 && eb == 0 ? 0 : rule(ea, eb);
  };
  // An infinity is a class of values, not a rounded one.
  const bool rounded = !exact && !r.value.is_infinite();
  r.error = passed_on(a.error, b.error) * kInflate;
  r.slack =
      (passed_on(a.slack, b.slack) + (rounded ? magnitude(r.value) * own_unit() : 0)) * kInflate;
  if (std::isnan(r.error)) r.error = kInfinity;
  if (std::isnan(r.slack)) r.slack = kInfinity;
}

// An elementary function: the argument's error through the steepest slope, then the contract's
// ulps.
Tracked elementary(const Tracked& v, Real value, double ulps, auto rule) {
  Tracked r = derived(v, value);
  propagate(r, v, v, [&](double e, double) { return rule(e); });
  // One ulp is at most two unit roundoffs of the result.
  add_operation_error(r, 2 * ulps);
  return r;
}

const FunctionUlps& ulps_of(const Tracked& v) {
  static const FunctionUlps kExact{0, 0, 0, 0, 0, 0};
  return v.contract != nullptr ? v.contract->ulps : kExact;
}

}  // namespace

void add_operation_error(Tracked& v, double roundings) {
  if (v.contract == nullptr) return;
  const Format& format = v.contract->accumulator;
  const double reach = magnitude(v.value) + v.error;
  const double floor = v.contract->flushes_subnormals ? std::ldexp(1.0, format.min_exponent)
                                                      : format.half_smallest();
  const double own = roundings * (reach * format.unit_roundoff() + floor);
  v.inherited = roundings == 1 && !v.contract->flushes_subnormals ? v.error : -1;
  // Exact zeros of exact operands stay zero in every format.
  if (reach != 0) v.error = (v.error + own) * kInflate;
  // Beyond the accumulator's range the candidate may hold anything.
  const double farthest = roundings == 1 ? reach : reach + own;
  if (!(farthest < format.overflow_threshold()) && !v.value.is_infinite() && !v.value.is_nan()) {
    v.error = kInfinity;
    v.inherited = -1;
    v.flags |= Tracked::kLoose | Tracked::kMayOverflow;
  }
}

Tracked operator+(const Tracked& a, const Tracked& b) {
  Tracked r = combine(a, b, a.value + b.value);
  propagate(
      r, a, b, [](double ea, double eb) { return ea + eb; }, is_exact_sum(a.value, b.value));
  add_operation_error(r, 1);
  return r;
}

Tracked operator-(const Tracked& a, const Tracked& b) { return a + -b; }

Tracked Tracked::operator-() const {
  Tracked r = *this;
  r.value = -value;
  return r;
}

Tracked operator*(const Tracked& a, const Tracked& b) {
  Tracked r = combine(a, b, a.value * b.value);
  const double ma = magnitude(a.value);
  const double mb = magnitude(b.value);
  propagate(
      r, a, b, [&](double ea, double eb) { return ma * eb + mb * ea + ea * eb; },
      is_exact_product(a.value, b.value));
  add_operation_error(r, 1);
  return r;
}

Tracked operator/(const Tracked& a, const Tracked& b) {
  Tracked r = combine(a, b, a.value / b.value);
  const double mb = magnitude(b.value);
  const double mq = magnitude(r.value);
  const auto rule = [&](double ea, double eb) {
    if (eb == 0 && ea == 0) return 0.0;
    return eb < mb ? (ea + mq * eb) / (mb - eb) : kInfinity;
  };
  propagate(r, a, b, rule, is_exact_quotient(a.value, b.value, r.value));
  if (r.error == kInfinity) r.flags |= Tracked::kLoose;
  add_operation_error(r, 2 * ulps_of(r).division);
  return r;
}

Tracked sqrt(const Tracked& v) {
  const Real root = sqrt(v.value);
  return elementary(v, root, ulps_of(v).sqrt, [&](double e) {
    const double m = magnitude(v.value);
    return e == 0 ? 0.0 : (e < m ? e / std::sqrt(m - e) : std::sqrt(m + e));
  });
}

Tracked rsqrt(const Tracked& v) {
  const Real value = Real(1) / sqrt(v.value);
  return elementary(v, value, ulps_of(v).rsqrt, [&](double e) {
    if (e == 0) return 0.0;
    const double least = magnitude(v.value) - e;
    return least > 0 ? 0.5 * e / (least * std::sqrt(least)) : kInfinity;
  });
}

// The argument is reduced by multiples of ln 2, so the reference's own error grows with the
// argument: up to 1.4 (1 + |v|) units were seen.
Tracked exp(const Tracked& v) {
  const Real value = exp(v.value);
  Tracked r = elementary(v, value, ulps_of(v).exp, [&](double e) {
    // exp(v + e) - exp(v); far below the range of double nothing is left of either.
    if (e < 1) return magnitude(value) * std::expm1(e);
    return std::exp(v.value.to_double() + e) * (1 + 0x1p-40) +
           std::numeric_limits<double>::denorm_min();
  });
  if (!v.value.is_infinite()) {
    r.slack += 4 * (magnitude(v.value) + 1) * magnitude(value) * own_unit();
  }
  return r;
}

// Near 1 the result is a difference: up to 9 (1 + |log v|) units, absolute, were seen.
Tracked log(const Tracked& v) {
  Tracked r = elementary(v, log(v.value), ulps_of(v).exp, [&](double e) {
    const double least = magnitude(v.value) - e;
    return e == 0 ? 0.0 : (least > 0 ? e / least : kInfinity);
  });
  if (!r.value.is_infinite()) r.slack += 32 * (magnitude(r.value) + 1) * own_unit();
  return r;
}

// The argument is reduced by multiples of pi, so the reference's own error grows with the argument.
Tracked sin(const Tracked& v) {
  Tracked r =
      elementary(v, sin(v.value), ulps_of(v).sin, [](double e) { return std::min(e, 2.0); });
  r.slack += (magnitude(v.value) + 1) * own_unit();
  return r;
}
Tracked cos(const Tracked& v) {
  Tracked r =
      elementary(v, cos(v.value), ulps_of(v).cos, [](double e) { return std::min(e, 2.0); });
  r.slack += (magnitude(v.value) + 1) * own_unit();
  return r;
}

Tracked pow(const Tracked& base, const Tracked& exponent) {
  Tracked r = combine(base, exponent, pow(base.value, exponent.value));
  const double scale = magnitude(r.value);
  const double slope = scale * magnitude(exponent.value) / std::max(magnitude(base.value), 1e-300);
  const double curve = scale * std::fabs(std::log(std::max(magnitude(base.value), 1e-300)));
  propagate(r, base, exponent, [&](double eb, double ee) {
    return eb == 0 && ee == 0 ? 0.0 : 2 * (slope * eb + curve * ee);
  });
  r.slack += scale * 64 * own_unit();
  add_operation_error(r, 2 * ulps_of(r).exp);
  return r;
}

Tracked round_to(const Format& format, const Tracked& v) {
  Tracked r = v;
  r.value = round_to(format, v.value);
  r.slack = 0;
  if (v.slack != 0) {
    const Real slack(v.slack);
    const Real low = round_to(format, v.value - slack);
    const Real high = round_to(format, v.value + slack);
    // The last rounding is open: the reference itself may be a unit off.
    if (!(low == high) && !v.value.is_nan() && !v.value.is_infinite()) {
      r.slack = std::max(abs(r.value - low).to_double(), abs(high - r.value).to_double());
    }
  }
  r.inherited = -1;
  const bool same_rounding = v.inherited >= 0 && v.contract != nullptr &&
                             v.contract->accumulator.precision == format.precision &&
                             v.contract->accumulator.min_exponent == format.min_exponent;
  r.error = same_rounding ? v.inherited : v.error;
  if (r.error == 0 || r.error == kInfinity || r.value.is_nan()) return r;
  const Real error(r.error);
  const Real low = round_to(format, v.value - error);
  const Real high = round_to(format, v.value + error);
  const bool overflows = low.is_infinite() || high.is_infinite();
  if (overflows) r.flags |= Tracked::kMayOverflow;
  if (r.value.is_infinite() || low.is_infinite() || high.is_infinite()) {
    // Distance to the largest finite value; the infinite class itself is admitted by the flag.
    r.error = low == high ? 0 : kInfinity;
    return r;
  }
  r.error = std::max(abs(r.value - low).to_double(), abs(high - r.value).to_double());
  return r;
}

bool less(const Tracked& a, const Tracked& b, bool* open) {
  const double gap = abs(b.value - a.value).to_double();
  if (open != nullptr && !(gap > a.error + b.error)) *open = true;
  return a.value < b.value;
}

}  // namespace plumb
