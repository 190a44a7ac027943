// SPDX-License-Identifier: Apache-2.0
// The formulas behind rotary frequencies and YaRN, one function each; rope_frequencies and
// softmax_scale put them together. Scalars are what the code computes in Python, rounded at each
// operation (Slot::kScalar); vectors over the pairs are f32 tensors, likewise (Slot::kFrequency).
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "reference/scalar/arithmetic.h"

namespace plumb::reference {

// A scalar of the configuration, as Python holds it.
template <class T>
T scalar(const Arithmetic& arithmetic, double v) {
  return stepwise(arithmetic, Slot::kScalar, constant<T>(arithmetic, v, Slot::kScalar));
}

// ln(v) in Python's arithmetic.
template <class T>
T scalar_log(const Arithmetic& arithmetic, std::string_view record, const T& v) {
  const auto logarithm = [](const T& x) {
    using std::log;
    return T(log(x));
  };
  return stored(arithmetic, Slot::kScalar, record,
                evaluated(arithmetic, Slot::kScalar, logarithm, v));
}

// base^exponent with one rounding to `slot`.
template <class T>
T power(const Arithmetic& arithmetic, Slot slot, std::string_view record, const T& base,
        const T& exponent) {
  const auto raise = [&](const T& b) {
    using std::pow;
    return T(pow(b, exponent));
  };
  return stored(arithmetic, slot, record, evaluated(arithmetic, slot, raise, base));
}

template <class T>
T pi(const Arithmetic& arithmetic) {
  if constexpr (std::is_same_v<T, double>) {
    return std::numbers::pi;
  } else if constexpr (std::is_same_v<T, Tracked>) {
    Tracked r = stepwise(arithmetic, Slot::kScalar, Tracked(Real::pi(), nullptr));
    r.slack = std::ldexp(4.0, -Real::kBits);
    add_operation_error(r, 1);
    return stored(arithmetic, Slot::kScalar, "R1-007", r);
  } else {
    return stored(arithmetic, Slot::kScalar, "R1-007", T::pi());
  }
}

// The pair whose wave turns `rotations` times within `length` positions, not yet an integer.
//   i(rho) = dim ln(L0 / (2 pi rho)) / (2 ln base)                               [R1-007] [R1-118]
// Needs: base > 1, rotations > 0.
template <class T>
T correction_index(const Arithmetic& arithmetic, Index dim, const T& base, Index length,
                   const T& rotations) {
  const auto step = [&](const T& v) { return stored(arithmetic, Slot::kScalar, "R1-007", v); };
  const T circle = step(step(rotations * T(2)) * pi<T>(arithmetic));
  const T turns = step(T(static_cast<double>(length)) / circle);
  const T above = step(T(static_cast<double>(dim)) * scalar_log(arithmetic, "R1-007", turns));
  return step(above / step(T(2) * scalar_log(arithmetic, "R1-007", base)));
}

// The pairs between which YaRN's ramp rises.
struct RampBounds {
  Index low;
  Index high;
  bool open = false;  // rounding errors could have led to another integer
};

inline Index floor_of(double v) { return static_cast<Index>(std::floor(v)); }
template <int Digits>
Index floor_of(const BigFloat<Digits>& v) {
  return static_cast<Index>(v.floor().to_double());
}
inline Index floor_of(const Tracked& v) { return floor_of(v.value); }

template <class T>
bool leaves_open([[maybe_unused]] const T& v) {
  if constexpr (std::is_same_v<T, Tracked>) {
    const Real reach(v.error + v.slack);
    return floor_of(v.value - reach) != floor_of(v.value + reach);
  }
  return false;
}

//   low = floor(i(beta_fast))                                                              [R1-008]
template <class T>
Index ramp_low(const T& index) {
  return floor_of(index);
}

//   high = ceil(i(beta_slow))                                                              [R1-009]
template <class T>
Index ramp_high(const T& index) {
  return -floor_of(-index);
}

//   low' = max(low, 0), high' = min(high, dim - 1); R1-D09 b: min(high, dim/2 - 1)         [R1-010]
inline RampBounds clamped(const Arithmetic& arithmetic, Index dim, RampBounds b) {
  const Index last = arithmetic.takes("R1-D09", Side::kA) ? dim - 1 : dim / 2 - 1;
  return {std::max<Index>(b.low, 0), std::min(b.high, last), b.open};
}

// The ramp's end, never its beginning: a range without extent becomes a step.
//   hi := hi + 0.001 if hi = lo                                                            [R1-030]
template <class T>
T ramp_end(const Arithmetic& arithmetic, const RampBounds& b) {
  const T high(static_cast<double>(b.high));
  if (b.high != b.low) return high;
  return stored(arithmetic, Slot::kScalar, "R1-030", high + scalar<T>(arithmetic, 0.001));
}

//   l[i] = (i - lo) / (hi - lo)                                                            [R1-012]
template <class T>
T ramp_line(const Arithmetic& arithmetic, const RampBounds& b, Index i) {
  const auto step = [&](const T& v) { return stored(arithmetic, Slot::kFrequency, "R1-012", v); };
  const T low(static_cast<double>(b.low));
  const T extent = stored(arithmetic, Slot::kScalar, "R1-012", ramp_end<T>(arithmetic, b) - low);
  const T above = stepwise(arithmetic, Slot::kFrequency, T(static_cast<double>(i)) - low);
  return step(step(above) / step(extent));
}

//   rho[i] = min(max(l[i], 0), 1)                                                          [R1-013]
// An error survives unless the line lies beyond an end with all of it.
template <class T>
T ramp(const T& line) {
  if constexpr (std::is_same_v<T, Tracked>) {
    Tracked r = line;
    r.value = ramp(line.value);
    const bool beyond =
        (line.value + Real(line.error) <= Real(0)) || (line.value - Real(line.error) >= Real(1));
    if (beyond) r.error = r.slack = 0;
    return r;
  } else {
    return line < T(0) ? T(0) : line > T(1) ? T(1) : line;
  }
}

// YaRN's logarithmic magnitude.
//   m(s, mu) = 1 + 0.1 mu ln s for s > 1, else 1               [R1-011] [R1-029] [R1-122] [R1-123]
template <class T>
T magnitude(const Arithmetic& arithmetic, double factor, double strength) {
  if (!(factor > 1)) return T(1);
  const auto step = [&](const T& v) { return stored(arithmetic, Slot::kScalar, "R1-011", v); };
  const T share = step(scalar<T>(arithmetic, 0.1) * scalar<T>(arithmetic, strength));
  const T logarithm = scalar_log(arithmetic, "R1-011", scalar<T>(arithmetic, factor));
  return step(step(share * logarithm) + T(1));
}

// The factor on cosines and sines. INF's code (R1-D24 b) has none.
//   a = m(s, mscale) / m(s, mscale_all_dim)                                                [R1-037]
template <class T>
T magnitude_ratio(const Arithmetic& arithmetic, double factor, double mscale,
                  double mscale_all_dim) {
  if (arithmetic.takes("R1-D24", Side::kB)) return T(1);
  if (mscale == mscale_all_dim) return T(1);
  return stored(
      arithmetic, Slot::kScalar, "R1-037",
      magnitude<T>(arithmetic, factor, mscale) / magnitude<T>(arithmetic, factor, mscale_all_dim));
}

// How much longer `length` tokens are than the trained context, to dynamic scaling.
//   s L / Lmax - (s - 1)
template <class T>
T context_stretch(const Arithmetic& arithmetic, double factor, Index length, Index trained) {
  const auto step = [&](const T& v) { return stored(arithmetic, Slot::kScalar, "R1-063", v); };
  const T s = scalar<T>(arithmetic, factor);
  const T grown = step(step(s * T(static_cast<double>(length))) / T(static_cast<double>(trained)));
  return step(grown - step(s - T(1)));
}

// The base that dynamic scaling takes.
//   base' = base (s L / Lmax - (s - 1))^(dim / (dim - 2)) for L > Lmax                     [R1-063]
// Needs: dim > 2.
template <class T>
T stretched_base(const Arithmetic& arithmetic, Index dim, const T& base, double factor,
                 Index length, Index trained) {
  if (length <= trained) return base;
  const auto step = [&](const T& v) { return stored(arithmetic, Slot::kScalar, "R1-063", v); };
  const T stretch = context_stretch<T>(arithmetic, factor, length, trained);
  const T exponent = step(T(static_cast<double>(dim)) / T(static_cast<double>(dim - 2)));
  return step(base * power(arithmetic, Slot::kScalar, "R1-063", stretch, exponent));
}

// What the frequencies are the reciprocals of: base^(2i/dim).
template <class T>
T wavelength(const Arithmetic& arithmetic, Index dim, const T& base, Index i) {
  const T exponent = stored(arithmetic, Slot::kFrequency, "R1-024",
                            T(static_cast<double>(2 * i)) / T(static_cast<double>(dim)));
  return power(arithmetic, Slot::kFrequency, "R1-024", base, held(arithmetic, exponent));
}

//   fe[i] = 1 / base^(2i/dim)                                [R1-024] [R1-031] [R1-064] [R1-120]
template <class T>
T original_frequency(const Arithmetic& arithmetic, const T& wavelength) {
  return stored(arithmetic, Slot::kFrequency, "R1-031", T(1) / wavelength);
}

//   fi[i] = 1 / (s base^(2i/dim)); R1-D25 b: fe[i] / s                          [R1-032] [R1-119]
template <class T>
T reduced_frequency(const Arithmetic& arithmetic, double factor, const T& wavelength) {
  const auto step = [&](const T& v) { return stored(arithmetic, Slot::kFrequency, "R1-032", v); };
  const T s = scalar<T>(arithmetic, factor);
  if (arithmetic.takes("R1-D25", Side::kA)) return step(T(1) / step(s * wavelength));
  return step(original_frequency(arithmetic, wavelength) / s);
}

//   mu[i] = 1 - rho[i]                                                                     [R1-033]
template <class T>
T share_of_original(const Arithmetic& arithmetic, const T& rho) {
  return stored(arithmetic, Slot::kFrequency, "R1-033", T(1) - rho);
}

//   f[i] = fi[i] (1 - mu[i]) + fe[i] mu[i]                                                 [R1-034]
//   as the prose has it (R1-D02 a): fi[i] (1 - rho[i]) + fe[i] rho[i]                      [R1-121]
template <class T>
T blended_frequency(const Arithmetic& arithmetic, const T& reduced, const T& original,
                    const T& rho) {
  const auto step = [&](const T& v) { return stored(arithmetic, Slot::kFrequency, "R1-034", v); };
  const T share = arithmetic.takes("R1-D02", Side::kB) ? share_of_original(arithmetic, rho) : rho;
  return step(step(reduced * step(T(1) - share)) + step(original * share));
}

}  // namespace plumb::reference
