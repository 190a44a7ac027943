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
//   z = W h; s = sigmoid(z); c = s + bias; keep the groups with the largest sum of two c;
//   ids = the K largest c among the kept, others count 0 or -inf (R1-D06);
//   w = s[ids] / (sum s[ids] + 1e-20) * lambda       routing.h has the records of each step.
// Shapes: h[N,H], W[E,H], bias[E] -> ids[N,K], weights[N,K]; ids by descending t, ties to the lower
// index. Types:  f32 throughout in HF's code, bf16 in INF's (R1-D19); the bias as loaded (R1-D20).
// Needs:  G divides E, E/G >= 2, K <= E.    NaN: its token's outputs mean nothing.
// Budget: the logits' sum, exp, one division; selections by the score intervals.
template <class T>
void moe_router(const Arithmetic& arithmetic, const Operand<T>& h, const Operand<T>& weight,
                const Operand<T>& bias, const RouterShape& shape, const ForcedChoices& forced,
                const RouterOutputs<T>& out);

}  // namespace plumb::reference
