// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/exact/operand.h"

namespace plumb::reference {

struct RouterShape {
  Index groups;      // G: groups of equally many experts
  Index top_groups;  // TG: groups kept
  Index top_k;       // K: experts chosen
  double scale;      // lambda
};

// Everything the router computes on the way; taps where a candidate or a trace may have them too.
template <class T>
struct RouterOutputs {
  TensorView<T, 2> logits, scores, biased, group_scores, masked, gathered, weights;
  TensorView<std::int64_t, 2> group_ids, ids;
};

// Choices that were made elsewhere and are followed here, so that the weights belong to them.
struct ForcedChoices {
  const AnyTensor* group_ids = nullptr;
  const AnyTensor* ids = nullptr;
};

// Chooses the experts of each token, first by group, then by expert, and weighs them.
//   z[n,e] = sum_j W[e,j] h[n,j]                                        [R1-039] [R1-102]
//   s[n,e] = 1 / (1 + exp(-z[n,e]))                                     [R1-065] [R1-103]
//   c[n,e] = s[n,e] + bias[e]                    ranking only           [R1-066] [R1-104]
//   G[n,g] = the two largest c of group g, added                        [R1-067] [R1-105]
//   kept   = the TG groups with largest G                               [R1-068] [R1-106]
//   t[n,e] = c[n,e] if e's group is kept, else 0 or -inf (R1-D06)       [R1-069]
//   ids    = the K experts with largest t                               [R1-070] [R1-107]
//   a[n,k] = s[n,ids[n,k]]                                              [R1-108]
//   w[n,k] = a[n,k] / (sum_j a[n,j] + 1e-20) * lambda  (R1-D16)         [R1-071] [R1-072] [R1-109]
//   [R1-040] [R1-110]
// Shapes: h[N,H], W[E,H], bias[E] -> ids[N,K], weights[N,K]; ids by descending t, ties to the lower
// index. Types:  f32 throughout in HF's code, bf16 in INF's (R1-D19); the bias as loaded (R1-D20).
// Needs:  G divides E, E/G >= 2, K <= E.    NaN: its token's outputs mean nothing.
// Budget: the logits' sum, exp, one division; selections by the score intervals.
template <class T>
void moe_router(const Arithmetic& arithmetic, const Operand<T>& h, const Operand<T>& weight,
                const Operand<T>& bias, const RouterShape& shape, const ForcedChoices& forced,
                const RouterOutputs<T>& out);

}  // namespace plumb::reference
