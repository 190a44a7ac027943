// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema merge_heads_schema() {
  return {
      .name = "merge_heads",
      .sentence = "Lays the heads of each token side by side.",
      .formula = "y[b*S+t, h*VD + d] = context[b,h,t,d], d < VD",
      .tensors =
          {
              {.name = "context",
               .role = Role::kIn,
               .axes = {"B", "heads", "S", "dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
              {.name = "y",
               .role = Role::kOut,
               .axes = {"N", "width"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation,
               .trace_suffix = ".o_proj.in"},
          },
      .params =
          {
              {"N", std::int64_t{1}, "B * S"},
              {"width", std::int64_t{16384}, "heads * VD"},
          },
      .records = {"R1-054", "R1-056"},
  };
}

}  // namespace plumb
