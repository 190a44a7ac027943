// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema append_tokens_schema() {
  return {
      .name = "append_tokens",
      .sentence = "Appends new tokens to those held: a cache, or the rows of the experts before.",
      .formula = "y = [past; next] along the token axis",
      .tensors =
          {
              {.name = "past",
               .role = Role::kIn,
               .axes = {"B", "heads", "past", "dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation,
               .optional = true},
              {.name = "next",
               .role = Role::kIn,
               .axes = {"B", "heads", "S", "dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
              {.name = "y",
               .role = Role::kOut,
               .axes = {"B", "heads", "T", "dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation,
               .trace_suffix = ".cached"},
          },
      .params = {{"T", std::int64_t{1}, "tokens after the call"}},
  };
}

}  // namespace plumb
