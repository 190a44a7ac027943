// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema rope_table_schema() {
  return {
      .name = "rope_table",
      .sentence = "Cosines and sines of position times frequency.",
      .formula = "C[p,i] = C[p,i+half] = cos(p f[i]) * table_scale, Sn likewise",
      .tensors =
          {
              {.name = "positions",
               .role = Role::kIn,
               .axes = {"P"},
               .dtypes = {Dtype::kI64},
               .domain = Domain::kPosition},
              {.name = "inv_freq",
               .role = Role::kIn,
               .axes = {"half"},
               .dtypes = {Dtype::kF32},
               .slot = Slot::kFrequency,
               .trace_suffix = ".inv_freq"},
              {.name = "table_scale",
               .role = Role::kIn,
               .axes = {"one"},
               .dtypes = {Dtype::kF64},
               .slot = Slot::kScalar},
              {.name = "angles",
               .role = Role::kTap,
               .axes = {"P", "half"},
               .dtypes = {Dtype::kF32},
               .slot = Slot::kAngle,
               .trace_suffix = ".angles"},
              {.name = "cos",
               .role = Role::kOut,
               .axes = {"P", "dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kRopeTable,
               .trace_suffix = ".cos"},
              {.name = "sin",
               .role = Role::kOut,
               .axes = {"P", "dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kRopeTable,
               .trace_suffix = ".sin"},
          },
      .params =
          {
              {"dim", std::int64_t{64}, "twice the number of frequencies"},
              {"stretch", 1.0, "linear scaling: positions are divided by it"},
          },
      .records = {"R1-026", "R1-027", "R1-028", "R1-036"},
  };
}

}  // namespace plumb
