// SPDX-License-Identifier: Apache-2.0
// What a stage is told about numbers: the reading, the contract, and the calls with which a stage's
// text says "here a value is rounded".
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

// A rounding point: `v` as the reading stores it in `slot`. `record` names the equation that it
// ends.
template <class T>
T stored(const Arithmetic& arithmetic, Slot slot, [[maybe_unused]] std::string_view record,
         const T& v) {
  const auto& format = arithmetic.reading.format(slot);
  return format ? round_to(*format, v) : v;
}

// A scalar of the configuration. Written in decimal there, so its exact value is the shortest
// decimal that reads back as `v`; a reading of released code holds it in that code's format (twice
// rounded: decimal to f64, f64 to the format). `slot` says which format that is.
template <class T>
T constant(const Arithmetic& arithmetic, double v, Slot slot = Slot::kConstant);

// A value on which the code operates step by step, each result being rounded in `slot`: the reading
// alone says what an operation gives, so the contract adds nothing to it. Where the reading does
// not round there, the contract's operations act on it as on any other value.
template <class T>
T stepwise([[maybe_unused]] const Arithmetic& arithmetic, [[maybe_unused]] Slot slot, T v) {
  if constexpr (std::is_same_v<T, Tracked>) {
    v.contract = arithmetic.reading.format(slot) ? nullptr : &arithmetic.contract;
  }
  return v;
}

// function(v) in such code: elementary functions, unlike operations, are off by the contract's
// ulps, here of the format of `slot`. Where the reading does not round there, of the accumulator.
template <class T, class Function>
T evaluated(const Arithmetic& arithmetic, [[maybe_unused]] Slot slot, Function function,
            const T& v) {
  if constexpr (std::is_same_v<T, Tracked>) {
    Contract own = arithmetic.contract;
    own.accumulator = arithmetic.reading.format(slot).value_or(own.accumulator);
    Tracked argument = v;
    argument.contract = &own;
    return stepwise(arithmetic, slot, function(argument));
  } else {
    return function(v);
  }
}

// A scalar that takes part in the contract's operations: a kernel holds it as it is or in its
// accumulator's format.
template <class T>
T held(const Arithmetic& arithmetic, const T& v) {
  if constexpr (std::is_same_v<T, Tracked>) {
    Tracked r = v;
    r.contract = &arithmetic.contract;
    r.inherited = -1;
    r.error += abs(v.value - round_to(arithmetic.contract.accumulator, v.value)).to_double();
    return r;
  } else {
    return v;
  }
}

// A product in front of an addition: a fused operation leaves its rounding out, so storing it in
// the accumulator's format is one admissible way among two.
template <class T>
T fusable(const T& v) {
  if constexpr (std::is_same_v<T, Tracked>) {
    Tracked r = v;
    r.inherited = -1;
    return r;
  } else {
    return v;
  }
}

// 1/sqrt(v), for the types that do not have it as one operation.
inline double rsqrt(double v) { return 1 / std::sqrt(v); }
template <int Digits>
BigFloat<Digits> rsqrt(const BigFloat<Digits>& v) {
  return BigFloat<Digits>(1) / sqrt(v);
}

// a < b where a stage branches on data. For Tracked, `open` is set when a candidate may branch
// otherwise.
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
