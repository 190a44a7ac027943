// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema fp8_dequant_schema() {
  return {
      .name = "fp8_dequant",
      .sentence = "Weights from FP8 codes and their block scales.",
      .formula = "W[r,c] = val(codes[r,c]) * scale[r/block, c/block]",
      .tensors =
          {
              {.name = "codes",
               .role = Role::kIn,
               .axes = {"R", "C"},
               .dtypes = {Dtype::kFp8E4m3fn},
               .domain = Domain::kWeight},
              {.name = "scale",
               .role = Role::kIn,
               .axes = {"R/block", "C/block"},
               .dtypes = {Dtype::kF32},
               .domain = Domain::kScale},
              {.name = "y",
               .role = Role::kOut,
               .axes = {"R", "C"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kWeight},
          },
      .params =
          {
              {"block", std::int64_t{128}, "rows and columns that share a scale"},
          },
      .records = {"R1-101"},
  };
}

}  // namespace plumb
