// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema logits_schema() {
  return {
      .name = "logits",
      .sentence = "The head's output as it is returned: rounded first, then widened.",
      .formula = "logits = f32(y)",
      .tensors =
          {
              {.name = "x",
               .role = Role::kIn,
               .axes = {"N", "V"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
              {.name = "logits",
               .role = Role::kOut,
               .axes = {"N", "V"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kLogits,
               .trace_suffix = "logits"},
          },
      .records = {},
  };
}

}  // namespace plumb
