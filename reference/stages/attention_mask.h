// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/exact/operand.h"

namespace plumb::reference {

// The additive mask: causal, and closed at tokens that are padding.
//   M[b,0,i,t] = 0 if t <= past + i and keep[b,t], else the lowest finite value of the scores'
//   format (HF), or -inf (INF: R1-D28)      [R1-090]
// Shapes: keep[B,T] or absent -> M[B,1,S,T].
// Budget: none, a choice of two values.
template <class T>
void attention_mask(const Arithmetic& arithmetic, const AnyTensor* keep, Index past,
                    TensorView<T, 4> mask);

}  // namespace plumb::reference
