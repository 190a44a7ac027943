// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema attention_schema() {
  return {
      .name = "attention",
      .sentence = "Eager attention as one stage: scores, mask, softmax and context.",
      .formula = "o = softmax(sigma Q K^T + M) V",
      .tensors =
          {
              {.name = "query",
               .role = Role::kIn,
               .axes = {"B", "heads", "S", "dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
              {.name = "key",
               .role = Role::kIn,
               .axes = {"B", "heads", "T", "dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
              {.name = "value",
               .role = Role::kIn,
               .axes = {"B", "heads", "T", "value_dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
              {.name = "mask",
               .role = Role::kIn,
               .axes = {"B", "single", "S", "T"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .domain = Domain::kMask,
               .slot = Slot::kScores,
               .optional = true},
              {.name = "sigma",
               .role = Role::kIn,
               .axes = {"one"},
               .dtypes = {Dtype::kF64},
               .slot = Slot::kScalar},
              {.name = "scores",
               .role = Role::kTap,
               .axes = {"B", "heads", "S", "T"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .domain = Domain::kMostlyZero,
               .slot = Slot::kScores},
              {.name = "weights",
               .role = Role::kTap,
               .axes = {"B", "heads", "S", "T"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .domain = Domain::kMostlyZero,
               .slot = Slot::kProbability},
              {.name = "context",
               .role = Role::kOut,
               .axes = {"B", "heads", "S", "value_dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
          },
      .params = {{"single", std::int64_t{1}, "extent of the mask's head axis"},
                 {"one", std::int64_t{1}, "extent of a scalar"}},
  };
}

}  // namespace plumb
