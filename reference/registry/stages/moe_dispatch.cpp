// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema moe_dispatch_schema() {
  return {
      .name = "moe_dispatch",
      .sentence = "Counts the tokens of each expert and sorts the routed rows by expert.",
      .formula =
          "counts[e] = number of ids equal e; order = argsort(vec(ids)); rows[p,:] = x[order[p] / "
          "K, :]",
      .tensors =
          {
              {.name = "x",
               .role = Role::kIn,
               .axes = {"N", "H"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
              {.name = "ids",
               .role = Role::kIn,
               .axes = {"N", "K"},
               .dtypes = {Dtype::kI64},
               .domain = Domain::kIndex,
               .index_of = "experts"},
              {.name = "counts",
               .role = Role::kOut,
               .axes = {"experts"},
               .dtypes = {Dtype::kI64},
               .domain = Domain::kMostlyZero,
               .judge = Judge::kExact,
               .trace_suffix = ".tokens_per_expert"},
              {.name = "order",
               .role = Role::kOut,
               .axes = {"slots"},
               .dtypes = {Dtype::kI64},
               .judge = Judge::kPermutation,
               .trace_suffix = ".idxs",
               .scores = "ids"},
              {.name = "rows",
               .role = Role::kOut,
               .axes = {"slots", "H"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
          },
      .params =
          {
              {"experts", std::int64_t{256}, "E"},
              {"slots", std::int64_t{8}, "N * K"},
          },
      .records = {"R1-041", "R1-042", "R1-043", "R1-073", "R1-074", "R1-075", "R1-076", "R1-079",
                  "R1-080", "R1-081", "R1-082", "R1-083", "R1-084", "R1-085", "R1-096"},
  };
}

}  // namespace plumb
