// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema attention_context_schema() {
  return {
      .name = "attention_context",
      .sentence = "Averages the values by the attention weights.",
      .formula = "o[b,h,i,d] = sum_t a[b,h,i,t] V[b,h,t,d]",
      .tensors =
          {
              {.name = "weights",
               .role = Role::kIn,
               .axes = {"B", "heads", "S", "T"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .domain = Domain::kProbability,
               .slot = Slot::kProbability},
              {.name = "value",
               .role = Role::kIn,
               .axes = {"B", "heads", "T", "dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
              {.name = "context",
               .role = Role::kOut,
               .axes = {"B", "heads", "S", "dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation,
               .trace_suffix = ".attn_output.context"},
          },
      .records = {"R1-053", "R1-115"},
  };
}

}  // namespace plumb
