// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema swiglu_schema() {
  return {
      .name = "swiglu",
      .sentence = "Gates one half of a feed-forward layer by the other.",
      .formula = "y = silu(gate) * up, silu(z) = z / (1 + exp(-z))",
      .tensors =
          {
              {.name = "gate",
               .role = Role::kIn,
               .axes = {"N", "F"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
              {.name = "up",
               .role = Role::kIn,
               .axes = {"N", "F"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
              {.name = "y",
               .role = Role::kOut,
               .axes = {"N", "F"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation,
               .trace_suffix = ".down_proj.in"},
          },
      .records = {"R1-038", "R1-077"},
  };
}

}  // namespace plumb
