// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/exact/operand.h"

namespace plumb::reference {

// Looks up the row of each token.
//   y[n,:] = table[ids[n],:]
// Shapes: table[V,H], ids[N] -> y[N,H].
// Types:  the row as stored, rounded to the activation format where that is narrower.
// Needs:  0 <= ids < V.    NaN: copied.
// Budget: none, a copy.
template <class T>
void embedding(const Arithmetic& arithmetic, const Operand<T>& table,
               TensorView<const std::int64_t, 1> ids, TensorView<T, 2> y);

}  // namespace plumb::reference
