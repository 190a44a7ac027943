// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema position_ids_schema() {
  return {
      .name = "position_ids",
      .sentence = "Positions of the new tokens, from a mask or counted on from the cache.",
      .formula =
          "keep given: P = cumsum(keep) - 1, 1 where masked, last S columns; else P[t] = past + t",
      .tensors =
          {
              {.name = "keep",
               .role = Role::kIn,
               .axes = {"B", "T"},
               .dtypes = {Dtype::kI64},
               .domain = Domain::kMask,
               .optional = true},
              {.name = "positions",
               .role = Role::kOut,
               .axes = {"B", "S"},
               .dtypes = {Dtype::kI64},
               .judge = Judge::kExact,
               .trace_suffix = "position_ids"},
          },
      .params =
          {
              {"B", std::int64_t{1}, "sequences"},
              {"S", std::int64_t{1}, "new tokens"},
              {"past", std::int64_t{0}, "cached tokens"},
          },
      .sides = {"R1-D13"},
      .records = {"R1-002", "R1-025", "R1-035", "R1-060", "R1-093"},
  };
}

}  // namespace plumb
