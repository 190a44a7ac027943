// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema crop_ids_schema() {
  return {
      .name = "crop_ids",
      .sentence = "Drops the tokens that the cache already holds.",
      .formula =
          "k = M - past; the last k columns for k >= 1, all for k = 0, from column -k for k < 0",
      .tensors =
          {
              {.name = "ids", .role = Role::kIn, .axes = {"B", "S"}, .dtypes = {Dtype::kI64}},
              {.name = "y",
               .role = Role::kOut,
               .axes = {"B", "kept"},
               .dtypes = {Dtype::kI64},
               .judge = Judge::kExact},
          },
      .params =
          {
              {"mask_columns", std::int64_t{1}, "M"},
              {"past", std::int64_t{0}, "cached tokens"},
              {"kept", std::int64_t{1}, "columns kept"},
          },
      .sides = {"R1-D41"},
      .records = {"R1-003"},
  };
}

}  // namespace plumb
