// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/exact/operand.h"

namespace plumb::reference {

// Averages the values by the attention weights.
//   o[b,h,i,d] = sum_t a[b,h,i,t] V[b,h,t,d]      [R1-053] [R1-115]
// Shapes: a[B,H,S,T], V[B,H,T,D] -> o[B,H,S,D].
// Types:  one rounding of the sum to the activation format.
// NaN: a NaN weight poisons its row, a NaN value its channel (0 * NaN is NaN).
// Budget: the sum of T products.
template <class T>
void attention_context(const Arithmetic& arithmetic, const Operand<T>& weights,
                       const Operand<T>& value, TensorView<T, 4> context);

}  // namespace plumb::reference
