// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema attention_mask_schema() {
  return {
      .name = "attention_mask",
      .sentence = "The additive mask: causal, and without masked tokens.",
      .formula =
          "M[b,0,i,t] = 0 if t <= past + i and keep[b,t], else the lowest finite value (R1-D28)",
      .tensors =
          {
              {.name = "keep",
               .role = Role::kIn,
               .axes = {"B", "T"},
               .dtypes = {Dtype::kI64},
               .domain = Domain::kMask,
               .optional = true},
              {.name = "mask",
               .role = Role::kOut,
               .axes = {"B", "single", "S", "T"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .domain = Domain::kMostlyZero,
               .slot = Slot::kScores,
               .trace_suffix = "attention_mask"},
          },
      .params =
          {
              {"B", std::int64_t{1}, "sequences"},
              {"S", std::int64_t{1}, "query tokens"},
              {"T", std::int64_t{1}, "key tokens"},
              {"past", std::int64_t{0}, "cached tokens"},
              {"single", std::int64_t{1}, "extent of the head axis"},
          },
      .sides = {"R1-D28"},
      .records = {"R1-090"},
  };
}

}  // namespace plumb
