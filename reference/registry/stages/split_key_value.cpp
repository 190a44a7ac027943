// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema split_key_value_schema() {
  return {
      .name = "split_key_value",
      .sentence = "Views the expanded latent as heads and splits each into key and value.",
      .formula = "k_nope[b,h,t,:] = kv[b*S+t, h*(NO+VD) + 0..NO-1], value the rest",
      .tensors =
          {
              {.name = "kv",
               .role = Role::kIn,
               .axes = {"N", "width"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
              {.name = "k_nope",
               .role = Role::kOut,
               .axes = {"B", "heads", "S", "nope_dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation,
               .trace_suffix = ".k_nope"},
              {.name = "value",
               .role = Role::kOut,
               .axes = {"B", "heads", "S", "value_dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation,
               .trace_suffix = ".value_states"},
          },
      .params =
          {
              {"B", std::int64_t{1}, "sequences"},
              {"S", std::int64_t{1}, "tokens a sequence"},
              {"heads", std::int64_t{128}, "NH"},
              {"nope_dim", std::int64_t{128}, "NO"},
              {"value_dim", std::int64_t{128}, "VD"},
          },
      .records = {},
  };
}

}  // namespace plumb
