// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/exact/operand.h"

namespace plumb::reference {

// Counts the tokens of each expert and sorts the routed rows by expert.
//   counts[e] = number of ids equal e                                    [R1-041]
//   order     = argsort(vec(ids)); rows[p,:] = x[order[p] / K, :]         [R1-042]
// Shapes: x[N,H], ids[N,K] -> counts[E], order[N*K], rows[N*K,H].
// Types:  rows are copies. Equal ids keep token order here; any order among them is right.
// Needs:  0 <= ids < E.
// Budget: none.
template <class T>
void moe_dispatch(const Operand<T>& x, TensorView<const std::int64_t, 2> ids,
                  const AnyTensor* forced_order, TensorView<std::int64_t, 1> counts,
                  TensorView<std::int64_t, 1> order, TensorView<T, 2> rows);

}  // namespace plumb::reference
