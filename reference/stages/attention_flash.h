// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reference/exact/operand.h"

namespace plumb::reference {

// Appends zeros to each value vector until it is as wide as a query head.
//   V'[b,h,t,d] = V[b,h,t,d], d < VD;  0, VD <= d < QH      [R1-091]
// Shapes: V[B,H,T,VD] -> V'[B,H,T,QH], QH >= VD.
// NaN: copied.    Budget: none, a copy.
template <class T>
void padded_value(const Operand<T>& value, TensorView<T, 4> padded);

// The keys that query i of the last S of T tokens meets: real ones up to its own (R1-D28: masked
// keys are absent). None for a query that is padding itself, but where S = 1: there the one
// query of each row is taken as it is.
std::vector<Index> keys_of(const AnyTensor* keep, Index b, Index i, Index queries, Index tokens);

// Attention as FlashAttention defines it: no additive mask, values padded, the output cut to VD.
//   o[b,h,i,d] = sum_t a[t] V'[b,h,t,d],  a = softmax of sigma Q[b,h,i,:] K[b,h,t,:] over i's keys
//   o[b,h,i,:] = 0 where query i has no key
// Shapes: Q[B,H,S,QH], K[B,H,T,QH], V[B,H,T,VD], keep[B,T] or absent -> o[B,H,S,VD].
// Types:  scores and weights stay inside the kernel and are not stored; one rounding of the output.
// NaN: of a masked key or value reaches nothing.
// Budget: the sum of QH products, one product, the softmax, the sum of T products.
template <class T>
void attention_flash(const Arithmetic& arithmetic, const Operand<T>& query, const Operand<T>& key,
                     const Operand<T>& padded, const AnyTensor* keep, const T& sigma,
                     TensorView<T, 4> context);

}  // namespace plumb::reference
