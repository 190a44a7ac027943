// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema softmax_schema() {
  return {
      .name = "softmax",
      .sentence = "Attention weights: exponentials of the scores, normalised over the keys.",
      .formula = "a[b,h,i,t] = exp(s - max_u s) / sum_u exp(s - max_u s)",
      .tensors =
          {
              {.name = "scores",
               .role = Role::kIn,
               .axes = {"B", "heads", "S", "T"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kScores},
              {.name = "weights",
               .role = Role::kOut,
               .axes = {"B", "heads", "S", "T"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .domain = Domain::kMostlyZero,
               .slot = Slot::kProbability,
               .trace_suffix = ".attn_weights.probs"},
          },
      .records = {"R1-052", "R1-114"},
  };
}

}  // namespace plumb
