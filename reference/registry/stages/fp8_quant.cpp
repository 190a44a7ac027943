// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema fp8_quant_schema() {
  return {
      .name = "fp8_quant",
      .sentence = "Quantises activations to FP8, one scale to each run of channels.",
      .formula =
          "scale = f32(max(amax, 1e-4) / 448) (R1-D37); codes = e4m3(f32(x / scale)) (R1-D38)",
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
               .domain = Domain::kMostlyZero,  // runs of equal magnitude share one value
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
