// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema attention_mask_add_schema() {
  return {
      .name = "attention_mask_add",
      .sentence = "Adds the mask to the scores.",
      .formula = "s'[b,h,i,t] = s[b,h,i,t] + M[b,0,i,t]",
      .tensors =
          {
              {.name = "scores",
               .role = Role::kIn,
               .axes = {"B", "heads", "S", "T"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kScores},
              {.name = "mask",
               .role = Role::kIn,
               .axes = {"B", "single", "S", "T"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .domain = Domain::kMask,
               .slot = Slot::kScores},
              {.name = "masked",
               .role = Role::kOut,
               .axes = {"B", "heads", "S", "T"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .domain = Domain::kMostlyZero,
               .slot = Slot::kScores,
               .trace_suffix = ".attn_weights.masked"},
          },
      .records = {},
  };
}

}  // namespace plumb
