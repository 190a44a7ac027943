// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema split_query_schema() {
  return {
      .name = "split_query",
      .sentence =
          "Views a projected query as heads and splits each into its plain and its rotary part.",
      .formula = "q_nope[b,h,t,:] = q[b*S+t, h*(NO+RO) + 0..NO-1], q_rope the rest",
      .tensors =
          {
              {.name = "q",
               .role = Role::kIn,
               .axes = {"N", "width"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
              {.name = "q_nope",
               .role = Role::kOut,
               .axes = {"B", "heads", "S", "nope_dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation,
               .trace_suffix = ".q_nope"},
              {.name = "q_rope",
               .role = Role::kOut,
               .axes = {"B", "heads", "S", "rope_dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation,
               .trace_suffix = ".q_pe.pre_rope"},
          },
      .params =
          {
              {"B", std::int64_t{1}, "sequences"},
              {"S", std::int64_t{1}, "tokens a sequence"},
              {"heads", std::int64_t{128}, "NH"},
              {"nope_dim", std::int64_t{128}, "NO"},
              {"rope_dim", std::int64_t{64}, "RO"},
          },
      .records = {},
  };
}

}  // namespace plumb
