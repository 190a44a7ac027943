// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/exact/operand.h"

namespace plumb::reference {

// Repeats each key-value head for the query heads that share it.
//   y[b, h*n + r, t, d] = x[b,h,t,d], r = 0..n-1      [R1-020]
// Shapes: x[B,kv_heads,T,D] -> y[B,kv_heads*n,T,D].
// NaN: copied.
// Budget: none, a copy.
template <class T>
void repeat_kv(const Operand<T>& x, TensorView<T, 4> y);

}  // namespace plumb::reference
