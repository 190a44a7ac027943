// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/exact/operand.h"

namespace plumb::reference {

// The expansion of the latent, taken apart: UK[h] and UV[h] are the first NO and the last VD rows
// of each head of W_kvb.
template <class T>
struct LatentExpansion {
  Operand<T> weight;  // [H*(NO+VD), KR], as the reading loads it
  Index nope;         // NO
  Index value;        // VD
};

// Attention on the cached latent: the key half of W_kvb is absorbed into the query, the value half
// is applied to the weighted mean of latents. Equal to expanding every latent first, for both are
// the same finite sums in another order; between a latent and its score nothing else than W_kvb may
// stand.
//   qa[b,h,i,l] = sum_d q_nope[b,h,i,d] UK[h,d,l]
//   s[b,h,i,t]  = sigma (sum_l qa[b,h,i,l] c[b,t,l] + sum_r q_rope[b,h,i,r] k_rope[b,t,r])
//   a = softmax(s + M)
//   x[b,h,i,l]  = sum_t a[b,h,i,t] c[b,t,l],   o[b,h,i,d] = sum_l UV[h,d,l] x[b,h,i,l]
// Shapes: q_nope[B,H,S,NO], q_rope[B,H,S,RO], c[B,T,KR] (normalised), k_rope[B,T,RO] (rotated),
//         W_kvb[H*(NO+VD),KR] (its own numbers, or FP8 with one scale a block),
//         M[B,1,S,T] or absent -> o[B,H,S,VD].
// Types:  qa, x and o are rounded to the activation format; each of the two sums, their sum, its
//         product with sigma and the masked score to the scores' format.
// NaN: in a latent poisons every head's row, in W_kvb its head.
// Budget: the sums of NO, KR and RO, T and KR products, one addition, one product, the softmax.
template <class T>
AnyTensor absorbed_query(const Arithmetic& arithmetic, const Operand<T>& q_nope,
                         const LatentExpansion<T>& expansion);
template <class T>
AnyTensor absorbed_scores(const Arithmetic& arithmetic, const Operand<T>& absorbed,
                          const Operand<T>& latent, const Operand<T>& q_rope,
                          const Operand<T>& k_rope, const T& sigma);
template <class T>
AnyTensor latent_context(const Arithmetic& arithmetic, const Operand<T>& weights,
                         const Operand<T>& latent);
template <class T>
void expanded_context(const Arithmetic& arithmetic, const Operand<T>& mean,
                      const LatentExpansion<T>& expansion, TensorView<T, 4> context);

}  // namespace plumb::reference
