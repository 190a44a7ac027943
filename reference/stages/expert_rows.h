// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/exact/operand.h"

namespace plumb::reference {

// The rows that one expert takes.
//   y[i,:] = rows[begin + i, :], i < M
// Shapes: rows[slots,H] -> y[M,H].
// NaN: copied.
// Budget: none, a copy.
template <class T>
void expert_rows(const Operand<T>& rows, Index begin, TensorView<T, 2> y);

}  // namespace plumb::reference
