// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema fp8_quant_schema() {
  return {
      .name = "fp8_quant",
      .sentence = "Quantises activations to FP8, one scale to each run of channels.",
      .formula = "s = max(amax, 1e-4)/448 (R1-D37); q = e4m3(x/s)",
      .tensors =
          {
              {.name = "x",
               .role = Role::kIn,
               .axes = {"N", "C"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
              {.name = "codes",
               .role = Role::kOut,
               .axes = {"N", "C"},
               .dtypes = {Dtype::kFp8E4m3fn},
               .slot = Slot::kQuantised},
              {.name = "scale",
               .role = Role::kOut,
               .axes = {"N", "C/block"},
               .dtypes = {Dtype::kF32},
               .slot = Slot::kConstant},
          },
      .params =
          {
              {"block", std::int64_t{128}, "channels that share a scale"},
          },
      .sides = {"R1-D37", "R1-D38"},
      .records = {},
  };
}

}  // namespace plumb
