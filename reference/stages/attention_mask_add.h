// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/exact/operand.h"

namespace plumb::reference {

// Adds the mask to the scores.
//   s'[b,h,i,t] = s[b,h,i,t] + M[b,0,i,t]
// Shapes: s[B,H,S,T], M[B,1,S,T] -> s'[B,H,S,T].
// Types:  one rounding to the scores' format: the lowest finite value absorbs every score near
// zero. NaN: its own element only. Budget: one addition.
template <class T>
void attention_mask_add(const Arithmetic& arithmetic, const Operand<T>& scores,
                        const Operand<T>& mask, TensorView<T, 4> masked);

}  // namespace plumb::reference
