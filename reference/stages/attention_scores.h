// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/exact/operand.h"

namespace plumb::reference {

// Scaled products of queries and keys.
//   s[b,h,i,t] = sigma * sum_d Q[b,h,i,d] K[b,h,t,d]      [R1-051] [R1-113]
// Shapes: Q[B,H,S,D], K[B,H,T,D], sigma[1] -> s[B,H,S,T].
// Types:  the product is rounded to the scores' format, scaled by sigma held in f32, and rounded
// again. NaN: poisons the scores that its row or column meets. Budget: the sum of D products, one
// product.
template <class T>
void attention_scores(const Arithmetic& arithmetic, const Operand<T>& query, const Operand<T>& key,
                      const T& sigma, TensorView<T, 4> scores);

}  // namespace plumb::reference
