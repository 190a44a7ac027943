// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/exact/operand.h"

namespace plumb::reference {

// Lays the heads of each token side by side; a context padded to a wider head is cut to VD first.
//   y[b*S+t, h*VD + d] = context[b,h,t,d], d < VD      [R1-054] [R1-056]
// Shapes: context[B,heads,S,>=VD] -> y[B*S, heads*VD].
// NaN: copied.
// Budget: none, a copy.
template <class T>
void merge_heads(const Operand<T>& context, TensorView<T, 2> y);

}  // namespace plumb::reference
