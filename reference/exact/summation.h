// SPDX-License-Identifier: Apache-2.0
// The contract's side of a sum: how far a kernel's may lie from the exact one.
#pragma once

#include "reference/scalar/arithmetic.h"
#include "reference/tensor/tensor_view.h"

namespace plumb::exact {

struct SumShape {
  Index terms;
  bool products;  // the terms are products, which the kernel rounds unless it fuses them
  int extra = 0;  // further roundings on each term's way: dequantisation
};

// Bound of |kernel - exact| when sum |terms| <= magnitudes.
double summation_error(const Contract& contract, const SumShape& shape, double magnitudes);

// A sum without operand errors.
Tracked tracked_sum(const Arithmetic& arithmetic, const Real& value, const SumShape& shape,
                    double magnitudes);

// Marks a sum whose partial sums may leave the accumulator's range.
void check_range(Tracked& r, double magnitudes);

}  // namespace plumb::exact
