// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema expert_rows_schema() {
  return {
      .name = "expert_rows",
      .sentence = "The rows that one expert takes.",
      .formula = "y = rows[a..a+count-1, :], a = sum of the counts before it",
      .tensors =
          {
              {.name = "rows",
               .role = Role::kIn,
               .axes = {"slots", "H"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
              {.name = "y",
               .role = Role::kOut,
               .axes = {"M", "H"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation,
               .trace_suffix = ".in"},
          },
      .params =
          {
              {"begin", std::int64_t{0}, "first row"},
              {"M", std::int64_t{1}, "number of rows"},
          },
      .records = {},
  };
}

}  // namespace plumb
