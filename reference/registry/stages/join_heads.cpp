// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema join_heads_schema() {
  return {
      .name = "join_heads",
      .sentence =
          "Joins the plain and the rotary part of each head; a shared rotary part goes to every "
          "head.",
      .formula = "y[b,h,t,:] = [nope[b,h,t,:]; rope[b, h or 0, t, :]]",
      .tensors =
          {
              {.name = "nope",
               .role = Role::kIn,
               .axes = {"B", "heads", "S", "nope_dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
              {.name = "rope",
               .role = Role::kIn,
               .axes = {"B", "rope_heads", "S", "rope_dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
              {.name = "y",
               .role = Role::kOut,
               .axes = {"B", "heads", "S", "dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation,
               .trace_suffix = "_states"},
          },
      .params =
          {
              {"dim", std::int64_t{192}, "NO + RO"},
          },
      .records = {},
  };
}

}  // namespace plumb
