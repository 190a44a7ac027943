// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema footprint_schema() {
  return {
      .name = "footprint",
      .sentence = "Bytes, parameters and multiply-adds of a configuration, in exact integers.",
      .formula =
          "see the entries of the ledger: cache bytes, resident bytes, routed traffic, "
          "multiply-adds",
      .tensors =
          {
              {.name = "values",
               .role = Role::kOut,
               .axes = {"entries"},
               .dtypes = {Dtype::kI64},
               .judge = Judge::kExact},
          },
      .params =
          {
              {"entries", std::int64_t{1}, "number of figures"},
          },
      .records = {"R1-117", "R1-126", "R1-127", "R1-128"},
  };
}

}  // namespace plumb
