// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema attention_flash_schema() {
  return {
      .name = "attention_flash",
      .sentence =
          "Attention as FlashAttention defines it: masked keys are absent, rows without keys zero.",
      .formula =
          "o[i] = sum_t a[t] V'[t], a = softmax of sigma Q[i] K[t] over kept t <= T - S + i; V' = "
          "[V, 0]; o cut to VD",
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
              {.name = "value",
               .role = Role::kIn,
               .axes = {"B", "heads", "T", "value_dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
              {.name = "keep",
               .role = Role::kIn,
               .axes = {"B", "T"},
               .dtypes = {Dtype::kI64},
               .domain = Domain::kMask,
               .optional = true},
              {.name = "sigma",
               .role = Role::kIn,
               .axes = {"one"},
               .dtypes = {Dtype::kF64},
               .slot = Slot::kScalar},
              {.name = "padded_value",
               .role = Role::kTap,
               .axes = {"B", "heads", "T", "dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .domain = Domain::kMostlyZero,
               .slot = Slot::kActivation},
              {.name = "context",
               .role = Role::kOut,
               .axes = {"B", "heads", "S", "value_dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .domain = Domain::kMostlyZero,
               .slot = Slot::kActivation},
          },
      .params = {{"one", std::int64_t{1}, "extent of a scalar"}},
      .records = {"R1-091"},
  };
}

}  // namespace plumb
