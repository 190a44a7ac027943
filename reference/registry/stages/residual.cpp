// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema residual_schema() {
  return {
      .name = "residual",
      .sentence = "Adds a block's output to the stream, or the shared expert's to the routed ones.",
      .formula = "y = r + u",
      .tensors =
          {
              {.name = "r",
               .role = Role::kIn,
               .axes = {"N", "H"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
              {.name = "u",
               .role = Role::kIn,
               .axes = {"N", "H"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
              {.name = "y",
               .role = Role::kOut,
               .axes = {"N", "H"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
          },
      .records = {"R1-001", "R1-078", "R1-112"},
  };
}

}  // namespace plumb
