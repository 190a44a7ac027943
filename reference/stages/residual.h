// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/exact/operand.h"

namespace plumb::reference {

// Adds a block's output to the stream, or the shared expert's output to the routed ones.
//   y[n,j] = r[n,j] + u[n,j]      [R1-001] [R1-078] [R1-112]
// Shapes: r[N,H], u[N,H] -> y[N,H].
// Types:  one rounding of the exact sum to the activation format.
// NaN: its own element only; inf - inf is NaN.
// Budget: one addition.
template <class T>
void residual(const Arithmetic& arithmetic, const Operand<T>& r, const Operand<T>& u,
              TensorView<T, 2> y);

}  // namespace plumb::reference
