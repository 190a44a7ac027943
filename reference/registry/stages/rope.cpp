// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema rope_schema() {
  return {
      .name = "rope",
      .sentence = "Rotates the rotary part of queries or keys by its position.",
      .formula =
          "pairs (x[2i], x[2i+1]) times (cos + i sin) of row positions[b,t]; halves or interleaved "
          "by R1-D17",
      .tensors =
          {
              {.name = "x",
               .role = Role::kIn,
               .axes = {"B", "heads", "S", "dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation,
               .trace_suffix = ".pre_rope"},
              {.name = "cos",
               .role = Role::kIn,
               .axes = {"P", "dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kRopeTable},
              {.name = "sin",
               .role = Role::kIn,
               .axes = {"P", "dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kRopeTable},
              {.name = "positions",
               .role = Role::kIn,
               .axes = {"B", "S"},
               .dtypes = {Dtype::kI64},
               .domain = Domain::kIndex,
               .index_of = "P"},
              {.name = "y",
               .role = Role::kOut,
               .axes = {"B", "heads", "S", "dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation,
               .trace_suffix = ".post_rope"},
          },
      .sides = {"R1-D17", "R1-D23"},
      .records = {"R1-014", "R1-015", "R1-016", "R1-017", "R1-018", "R1-019", "R1-125"},
  };
}

}  // namespace plumb
