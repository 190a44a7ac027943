// SPDX-License-Identifier: Apache-2.0
// Accumulator: an exact sum of doubles, as a fixed-point number that spans the whole range of double.
#pragma once

#include <array>
#include <cstdint>

#include "reference/scalar/real.h"

namespace plumb::exact {

class Accumulator {
 public:
  // Adds v exactly. NaN and infinities are remembered aside.
  void add(double v);
  // Adds a * b exactly, whatever the width of the product.
  void add_product(double a, double b);

  // The sum, rounded once to the nearest double, ties to even.
  double to_double();
  // The sum to the type's width, rounded to odd when it does not fit.
  template <class T>
  T to_wide();

 private:
  // Digit i weighs 2^(32 i - 1126): below the smallest product residue of two doubles that are themselves
  // stored numbers (2^-1074), so that add_product loses nothing for |a b| >= 2^-1021.
  static constexpr int kDigits = 72;
  static constexpr int kLowest = -1126;

  void carry();

  std::array<std::int64_t, kDigits> digits_{};
  int additions_left_ = 1 << 10;
  double special_ = 0;  // sum of the infinities and NaNs met
};

}  // namespace plumb::exact
