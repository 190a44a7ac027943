// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/exact/operand.h"

namespace plumb::reference {

// Sums the expert outputs of each token by their weights.
//   y[n,j] = sum_k o[n,k,j] w[n,k],  o[n,k,:] = outputs[p,:] with order[p] = n*K + k      [R1-044]
//   [R1-111]
// Shapes: outputs[N*K,H] sorted by expert, order[N*K], weights[N,K], ids[N,K] -> y[N,H].
// Types:  HF: products and sum in f32, one rounding (R1-D21 a). INF: in ascending expert order
//         y := bf(y + bf(o * bf(w))) (R1-D21 b).
// NaN: poisons its token's channel.
// Budget: the sum of K products, or K roundings.
template <class T>
void moe_combine(const Arithmetic& arithmetic, const Operand<T>& outputs,
                 TensorView<const std::int64_t, 1> order, TensorView<const std::int64_t, 2> ids,
                 const Operand<T>& weights, TensorView<T, 2> y);

}  // namespace plumb::reference
