// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema attention_scores_schema() {
  return {
      .name = "attention_scores",
      .sentence = "Scaled products of queries and keys.",
      .formula = "s[b,h,i,t] = sigma * sum_d Q[b,h,i,d] K[b,h,t,d]",
      .tensors =
          {
              {.name = "query",
               .role = Role::kIn,
               .axes = {"B", "heads", "S", "dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
              {.name = "key",
               .role = Role::kIn,
               .axes = {"B", "heads", "T", "dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
              {.name = "sigma",
               .role = Role::kIn,
               .axes = {"one"},
               .dtypes = {Dtype::kF64},
               .slot = Slot::kScalar},
              {.name = "scores",
               .role = Role::kOut,
               .axes = {"B", "heads", "S", "T"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kScores,
               .trace_suffix = ".attn_weights.scores"},
          },
      .records = {"R1-051", "R1-113"},
  };
}

}  // namespace plumb
