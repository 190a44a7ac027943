// SPDX-License-Identifier: Apache-2.0
// Sums that are exact. Where both operands are stored numbers, every product is added without rounding and
// the sum is converted once: to double by nearest-even, to a wide type by rounding to odd, so that a single
// later rounding to any narrower format is right. With a wide operand the sum runs at 100 digits.
// A Tracked sum carries, besides its operands' errors, the contract's bound on the whole sum,
//   gamma_depth * sum |a_i b_i|,  gamma_k = k u / (1 - k u).
// NaN and infinities propagate as in IEEE arithmetic (inf - inf and 0 * inf are NaN).
#pragma once

#include <span>

#include "reference/exact/operand.h"

namespace plumb::exact {

// sum_i a[i] * b[i]
template <class T>
T dot(const Arithmetic& arithmetic, const Line& a, const Line& b);

// sum_i a[i]
template <class T>
T sum(const Arithmetic& arithmetic, const Line& a);

// sum_i terms[i] of values already in T (at 100 digits when wide).
template <class T>
T sum(const Arithmetic& arithmetic, std::span<const T> terms);

}  // namespace plumb::exact
