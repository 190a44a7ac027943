// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema split_heads_schema() {
  return {
      .name = "split_heads",
      .sentence = "Views projected tokens as heads and splits each head in two.",
      .formula =
          "first[b,h,t,:] = x[b*S+t, h*(n+m) + 0..n-1], second[b,h,t,:] = x[b*S+t, h*(n+m) + "
          "n..n+m-1]",
      .tensors =
          {
              {.name = "x",
               .role = Role::kIn,
               .axes = {"N", "width"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
              {.name = "first",
               .role = Role::kOut,
               .axes = {"B", "heads", "S", "n"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
              {.name = "second",
               .role = Role::kOut,
               .axes = {"B", "heads", "S", "m"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
          },
      .params = {{"B", std::int64_t{1}, "sequences"},
                 {"S", std::int64_t{1}, "tokens of a sequence"},
                 {"heads", std::int64_t{128}, "NH, or 1 for the latent"},
                 {"n", std::int64_t{128}, "width of the first part"},
                 {"m", std::int64_t{64}, "width of the second part"}},
  };
}

}  // namespace plumb
