// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/exact/operand.h"

namespace plumb::reference {

// Views projected tokens as heads and splits each head in two.
//   first[b,h,t,:] = x[b*S+t, h*(n+m) + 0..n-1],  second[b,h,t,:] = x[b*S+t, h*(n+m) + n..n+m-1]
// Shapes: x[B*S, heads*(n+m)] -> first[B,heads,S,n], second[B,heads,S,m].
// NaN: copied.
// Budget: none, a copy.
template <class T>
void split_heads(const Operand<T>& x, TensorView<T, 4> first, TensorView<T, 4> second);

}  // namespace plumb::reference
