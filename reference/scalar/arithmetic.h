// SPDX-License-Identifier: Apache-2.0
// What a stage is told about numbers: the reading, the contract, and the calls with which a stage's text
// says "here a value is rounded".
#pragma once

#include <string_view>
#include <type_traits>

#include "reference/scalar/contract.h"
#include "reference/scalar/reading.h"
#include "reference/scalar/real.h"
#include "reference/scalar/tracked.h"

namespace plumb {

struct Arithmetic {
  const Reading& reading;
  const Contract& contract;

  bool takes(std::string_view discrepancy, Side side) const {
    return reading.side(discrepancy) == side;
  }
};

// A value that came from storage, exact, on which the contract's operations then act.
template <class T>
T lifted(const Arithmetic& arithmetic, double v) {
  if constexpr (std::is_same_v<T, Tracked>) {
    return Tracked(Real(v), &arithmetic.contract);
  } else {
    return T(v);
  }
}

// A rounding point: `v` as the reading stores it in `slot`. `record` names the equation that it ends.
template <class T>
T stored(const Arithmetic& arithmetic, Slot slot, [[maybe_unused]] std::string_view record, const T& v) {
  const auto& format = arithmetic.reading.format(slot);
  return format ? round_to(*format, v) : v;
}

// A scalar of the configuration. Written in decimal there, so its exact value is the shortest decimal
// that reads back as `v`; a reading of released code holds it in that code's format (twice rounded:
// decimal to f64, f64 to the format).
template <class T>
T constant(const Arithmetic& arithmetic, double v);

// 1/sqrt(v), for the types that do not have it as one operation.
inline double rsqrt(double v) { return 1 / std::sqrt(v); }
template <int Digits>
BigFloat<Digits> rsqrt(const BigFloat<Digits>& v) {
  return BigFloat<Digits>(1) / sqrt(v);
}

// a < b where a stage branches on data. For Tracked, `open` is set when a candidate may branch otherwise.
template <class T>
bool less(const T& a, const T& b, bool*) {
  return a < b;
}

// The value without its error: for a quantity that cancels from the result (softmax's maximum).
template <class T>
T without_error(const T& v) {
  return v;
}
template <>
inline Tracked without_error(const Tracked& v) {
  Tracked r(v.value, v.contract);
  r.slack = 0;
  return r;
}

}  // namespace plumb
