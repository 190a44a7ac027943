// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/exact/operand.h"

namespace plumb::reference {

// Attention weights: exponentials of the scores, normalised over the keys.
//   a[b,h,i,t] = exp(s[b,h,i,t] - M) / sum_u exp(s[b,h,i,u] - M),  M = max_u s[b,h,i,u]   [R1-052]
//   [R1-114]
// Shapes: s[B,H,S,T] -> a[B,H,S,T].
// Types:  f32 inside, one rounding to the activation format.
// Needs:  T > 0.    NaN: poisons its row; a row of -inf alone is NaN (R1-D28).
// Budget: one subtraction, exp, the sum of T terms, one division. The maximum cancels from the
// quotient, so
//         it carries no error.
template <class T>
void softmax(const Arithmetic& arithmetic, const Operand<T>& scores, TensorView<T, 4> weights);

}  // namespace plumb::reference
