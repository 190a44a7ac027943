// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema embedding_schema() {
  return {
      .name = "embedding",
      .sentence = "Looks up the row of each token.",
      .formula = "y[n,:] = table[ids[n],:]",
      .tensors =
          {
              {.name = "table",
               .role = Role::kIn,
               .axes = {"V", "H"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .domain = Domain::kWeight,
               .trace_suffix = ".weight"},
              {.name = "ids",
               .role = Role::kIn,
               .axes = {"N"},
               .dtypes = {Dtype::kI64},
               .domain = Domain::kIndex,
               .index_of = "V"},
              {.name = "y",
               .role = Role::kOut,
               .axes = {"N", "H"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation,
               .trace_suffix = ".out"},
          },
      .records = {},
  };
}

}  // namespace plumb
