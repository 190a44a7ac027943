// SPDX-License-Identifier: Apache-2.0
// Tracked: a reference value that carries how far a candidate may lie from it.
//   value   what the reference computes (50 digits)
//   error   bound on |candidate - value| under the contract: running error analysis, operation by
//   operation slack   bound on |value - exact|: the reference's own error; a unit in the last place
//   where it
//           leaves a rounding open
// At a rounding point the whole interval is rounded, so an error that cannot change the rounded
// value becomes zero. Bounds are doubles, inflated a little at each step so that their own rounding
// is covered.
#pragma once

#include <cstdint>

#include "reference/scalar/contract.h"
#include "reference/scalar/real.h"

namespace plumb {

struct Tracked {
  // A data-dependent branch was left open by the error; both outcomes are admissible.
  static constexpr std::uint8_t kLoose = 1;
  // The interval reaches the overflow threshold: infinity is admissible too.
  static constexpr std::uint8_t kMayOverflow = 4;

  Real value;
  double error = 0;
  double slack = 0;
  // The error without the last operation's own rounding, where that is one rounding of an exact
  // result in the contract's format: storing in that format is then the same rounding. Negative:
  // not so.
  double inherited = -1;
  const Contract* contract = nullptr;  // null: a constant, operated on exactly
  std::uint8_t flags = 0;

  Tracked() = default;
  Tracked(double v) : value(v) {}  // exact  NOLINT(google-explicit-constructor)
  Tracked(int v) : value(v) {}     // exact  NOLINT(google-explicit-constructor)
  Tracked(const Real& v, const Contract* c) : value(v), contract(c) {}

  Tracked& operator+=(const Tracked& b) { return *this = *this + b; }
  friend Tracked operator+(const Tracked& a, const Tracked& b);
  friend Tracked operator-(const Tracked& a, const Tracked& b);
  friend Tracked operator*(const Tracked& a, const Tracked& b);
  friend Tracked operator/(const Tracked& a, const Tracked& b);
  Tracked operator-() const;

  bool loose() const { return (flags & kLoose) != 0; }
};

// sqrt, exp, sin, cos and 1/sqrt with the contract's error in ulps.
Tracked sqrt(const Tracked& v);
Tracked rsqrt(const Tracked& v);
Tracked exp(const Tracked& v);
Tracked log(const Tracked& v);
Tracked sin(const Tracked& v);
Tracked cos(const Tracked& v);
Tracked pow(const Tracked& base, const Tracked& exponent);

// Rounds value and interval to the format. See the head of this file.
Tracked round_to(const Format& format, const Tracked& v);

// a < b for a branch. `open` is set when the intervals overlap so that a candidate may decide
// otherwise.
bool less(const Tracked& a, const Tracked& b, bool* open);

// Adds the error of one operation of the contract whose exact result is v.value.
void add_operation_error(Tracked& v, double roundings);

template <>
struct DtypeOf<Tracked> {
  static constexpr Dtype value = Dtype::kTracked;
};
static_assert(sizeof(Tracked) <= kTrackedBytes);

}  // namespace plumb
