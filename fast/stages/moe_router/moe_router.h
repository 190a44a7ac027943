// SPDX-License-Identifier: Apache-2.0
// Chooses the experts of each token, first by group, then by expert, and weighs them.
//   s = sigmoid(W h); c = s + bias; keep the groups with the largest sum of two c; ids = the K
//   largest c among the kept; weights = s[ids] / (sum s[ids] + 1e-20) * scale
// Shapes: h[N,H], weight[E,H], bias[E] -> ids[N,K], weights[N,K]; taps as the schema says.
// Types:  h, weight bf16 or f32; bias and all computed values f32; ids i64.
// Sides:  R1-D06 a: experts of other groups count as 0, b: as minus infinity.
//         R1-D16 a: 1e-20 in the denominator, b: nothing.
// Needs:  rows contiguous; at least two experts a group.    Ties: the lowest index first.
// NaN:    ranks above every number; poisons its token's weights only.
#pragma once

#include <cstdint>

#include "fast/stages/call.h"
#include "fast/stages/linear/linear.h"

namespace plumb::fast {

struct MoeRouter {
  static constexpr const char* kStage = "moe_router";
  static MoeRouter read(CallReader& call);

  Matrix h, weight, bias, ids, weights;
  // Taps; left out where not present.
  Matrix logits, scores, biased, group_scores, group_ids, masked, gathered;
  Index experts = 0, groups = 1, top_groups = 1, top_k = 1;
  double scale = 1;
  Side fill = Side::kA, denominator = Side::kA;

  Index experts_of_group() const { return experts / groups; }
};

// The steps that instruction sets do differently. Arrays of floats may be read and written for
// kSlack elements beyond `count`, except bias.
inline constexpr Index kSlack = 64;
struct RouterSteps {
  // logits = W h
  void (*project)(const Linear&);
  // s = sigmoid(logits), c = s + bias
  void (*score)(const float* logits, const float* bias, Index count, float* scores, float* biased);
  // The sum of the two largest.
  float (*top_two)(const float* values, Index count);
  // Indices of the k largest, largest first, the lowest index first among equals. `keys`: as many
  // as values.
  void (*select)(const float* values, Index count, Index k, std::int32_t* keys, Index* chosen);
};
void route(const MoeRouter& problem, const RouterSteps& steps);

namespace scalar {
void moe_router(const MoeRouter& problem);
}

}  // namespace plumb::fast
