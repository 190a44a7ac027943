// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/exact/operand.h"

namespace plumb::reference {

// Appends new tokens to those held: to a cache, or to the rows of the experts before.
//   y = [past; next] along the token axis
// Shapes: past[B,heads,P,D] (may be absent), next[B,heads,S,D] -> y[B,heads,P+S,D].
// NaN: copied.
// Budget: none, a copy.
template <class T>
void append_tokens(const Operand<T>* past, const Operand<T>& next, TensorView<T, 4> y);

}  // namespace plumb::reference
