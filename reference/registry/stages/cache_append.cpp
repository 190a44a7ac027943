// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema cache_append_schema() {
  return {
      .name = "cache_append",
      .sentence = "Appends new tokens to a cache.",
      .formula = "y = [past; new] along the token axis",
      .tensors =
          {
              {.name = "past",
               .role = Role::kIn,
               .axes = {"B", "heads", "past_length", "dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation,
               .optional = true},
              {.name = "new",
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
      .params =
          {
              {"T", std::int64_t{1}, "tokens after the call"},
          },
      .records = {},
  };
}

}  // namespace plumb
