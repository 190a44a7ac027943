// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema sequence_pooling_schema() {
  return {
      .name = "sequence_pooling",
      .sentence = "The logits of each sequence's last token.",
      .formula = "l[b] = argmax_t [ids = pad] - 1, or -1; y[b,:] = z[b, l[b] mod S, :]",
      .tensors =
          {
              {.name = "z",
               .role = Role::kIn,
               .axes = {"B", "S", "C"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
              {.name = "ids",
               .role = Role::kIn,
               .axes = {"B", "S"},
               .dtypes = {Dtype::kI64},
               .optional = true},
              {.name = "last",
               .role = Role::kTap,
               .axes = {"B"},
               .dtypes = {Dtype::kI64},
               .judge = Judge::kExact},
              {.name = "y",
               .role = Role::kOut,
               .axes = {"B", "C"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
          },
      .params =
          {
              {"pad", std::int64_t{-1}, "pad id; -1: none configured"},
          },
      .sides = {"R1-D12"},
      .records = {"R1-062", "R1-094", "R1-095", "R1-100"},
  };
}

}  // namespace plumb
