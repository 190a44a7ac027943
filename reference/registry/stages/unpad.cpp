// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema unpad_schema() {
  return {
      .name = "unpad",
      .sentence = "Lengths and row indices of the real tokens of a padded batch.",
      .formula =
          "s[b] = sum_t keep; cu = (0, cumsum s); idx = positions of the nonzeros of vec(keep)",
      .tensors =
          {
              {.name = "keep",
               .role = Role::kIn,
               .axes = {"B", "T"},
               .dtypes = {Dtype::kI64},
               .domain = Domain::kMask},
              {.name = "lengths",
               .role = Role::kOut,
               .axes = {"B"},
               .dtypes = {Dtype::kI64},
               .judge = Judge::kExact},
              {.name = "cumulative",
               .role = Role::kOut,
               .axes = {"bounds"},
               .dtypes = {Dtype::kI64},
               .judge = Judge::kExact},
              {.name = "indices",
               .role = Role::kOut,
               .axes = {"kept"},
               .dtypes = {Dtype::kI64},
               .judge = Judge::kExact},
              {.name = "longest",
               .role = Role::kOut,
               .axes = {"one"},
               .dtypes = {Dtype::kI64},
               .judge = Judge::kExact},
          },
      .params =
          {
              {"bounds", std::int64_t{2}, "B + 1"},
              {"kept", std::int64_t{1}, "number of real tokens"},
              {"one", std::int64_t{1}, "extent of a scalar"},
          },
      .sides = {"R1-D42"},
      .records = {"R1-004", "R1-005", "R1-006", "R1-057", "R1-058", "R1-092", "R1-098", "R1-099"},
  };
}

}  // namespace plumb
