// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/exact/operand.h"

namespace plumb::reference {

// Joins the part without and the part with position of each head; a shared rotary part goes to
// every head.
//   y[b,h,t,:] = [nope[b,h,t,:]; rope[b, h or 0, t, :]]
// Shapes: nope[B,heads,S,NO], rope[B,heads or 1,S,RO] -> y[B,heads,S,NO+RO].
// NaN: copied.
// Budget: none, a copy.
template <class T>
void join_heads(const Operand<T>& nope, const Operand<T>& rope, TensorView<T, 4> y);

}  // namespace plumb::reference
