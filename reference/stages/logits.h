// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/exact/operand.h"

namespace plumb::reference {

// The head's output as the model returns it: rounded first, then widened (R1-D46).
//   logits = f32(y)
// Shapes: x[N,V] -> logits[N,V].
// NaN: copied.
// Budget: none beyond the rounding that the linear before it made.
template <class T>
void logits(const Arithmetic& arithmetic, const Operand<T>& x, TensorView<T, 2> y);

}  // namespace plumb::reference
