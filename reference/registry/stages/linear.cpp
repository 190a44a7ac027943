// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema linear_schema() {
  return {
      .name = "linear",
      .sentence =
          "Multiplies each token by a weight matrix, which may be FP8 with one scale a block.",
      .formula =
          "y[n,o] = sum_i W[o,i] x[n,i],  W[o,i] = val(weight[o,i]) * weight_scale[o/b, i/b]",
      .tensors =
          {
              {.name = "x",
               .role = Role::kIn,
               .axes = {"N", "I"},
               .dtypes = {Dtype::kBf16, Dtype::kF32, Dtype::kFp8E4m3fn},
               .slot = Slot::kActivation,
               .trace_suffix = ".in"},
              {.name = "x_scale",
               .role = Role::kIn,
               .axes = {"N", "I/block"},
               .dtypes = {Dtype::kF32},
               .domain = Domain::kScale,
               .optional = true},
              {.name = "weight",
               .role = Role::kIn,
               .axes = {"O", "I"},
               .dtypes = {Dtype::kBf16, Dtype::kF32, Dtype::kFp8E4m3fn},
               .domain = Domain::kWeight,
               .trace_suffix = ".weight"},
              {.name = "weight_scale",
               .role = Role::kIn,
               .axes = {"O/block", "I/block"},
               .dtypes = {Dtype::kF32},
               .domain = Domain::kScale,
               .optional = true,
               .trace_suffix = ".weight_scale_inv"},
              {.name = "y",
               .role = Role::kOut,
               .axes = {"N", "O"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation,
               .trace_suffix = ".out"},
          },
      .params = {{"block", std::int64_t{128},
                  "rows and columns that share a scale; edge blocks are partial"}},
      .records = {"R1-046", "R1-047", "R1-048", "R1-050", "R1-055", "R1-086", "R1-087", "R1-088",
                  "R1-089", "R1-116"},
  };
}

}  // namespace plumb
