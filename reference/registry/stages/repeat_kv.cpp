// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema repeat_kv_schema() {
  return {
      .name = "repeat_kv",
      .sentence = "Repeats each key-value head for the query heads that share it.",
      .formula = "y[b, h*n + r, t, d] = x[b,h,t,d]",
      .tensors =
          {
              {.name = "x",
               .role = Role::kIn,
               .axes = {"B", "kv_heads", "T", "dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
              {.name = "y",
               .role = Role::kOut,
               .axes = {"B", "heads", "T", "dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
          },
      .params =
          {
              {"heads", std::int64_t{128}, "query heads, a multiple of the key-value heads"},
          },
      .records = {"R1-020"},
  };
}

}  // namespace plumb
