// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/exact/operand.h"

namespace plumb::reference {

// Tensors that pass between the parts of attention.
struct Attended {
  AnyTensor scores;   // [B,H,S,T], with the mask
  AnyTensor weights;  // [B,H,S,T]
  AnyTensor context;  // [B,H,S,VD]
};

// The whole of eager attention in one stage, with the rounding points of its parts.
//   context = attention_context(softmax(attention_scores(Q, K, sigma) + M), V)
// Shapes: Q[B,H,S,D], K[B,H,T,D], V[B,H,T,VD], sigma[1], M[B,1,S,T] or absent -> o[B,H,S,VD].
// NaN: as in the parts: a NaN query or score poisons its row, a NaN value its channel.
// Budget: that of the parts one after another.
template <class T>
Attended attention(const Arithmetic& arithmetic, const StageCall& call);

}  // namespace plumb::reference
