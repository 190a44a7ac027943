// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema moe_combine_schema() {
  return {
      .name = "moe_combine",
      .sentence = "Sums the expert outputs of each token by their weights.",
      .formula = "y[n,:] = sum_k outputs[inverse order of (n,k), :] * weights[n,k]",
      .tensors =
          {
              {.name = "outputs",
               .role = Role::kIn,
               .axes = {"slots", "H"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
              {.name = "order",
               .role = Role::kIn,
               .axes = {"slots"},
               .dtypes = {Dtype::kI64},
               .domain = Domain::kPermutation},
              {.name = "ids",
               .role = Role::kIn,
               .axes = {"N", "K"},
               .dtypes = {Dtype::kI64},
               .domain = Domain::kIndex,
               .index_of = "experts"},
              {.name = "weights",
               .role = Role::kIn,
               .axes = {"N", "K"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .domain = Domain::kProbability,
               .slot = Slot::kRouterWeight},
              {.name = "y",
               .role = Role::kOut,
               .axes = {"N", "H"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation,
               .trace_suffix = ".final_out"},
          },
      .params =
          {
              {"experts", std::int64_t{256}, "E"},
          },
      .sides = {"R1-D21"},
      .records = {"R1-044", "R1-111"},
  };
}

}  // namespace plumb
