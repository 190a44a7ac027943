// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema layer_kind_schema() {
  return {
      .name = "layer_kind",
      .sentence = "Which feed-forward a layer has.",
      .formula =
          "kind(l) = 1 (experts) if l >= first_dense and l mod frequency = 0, else 0 (dense)",
      .tensors =
          {
              {.name = "kind",
               .role = Role::kOut,
               .axes = {"layers"},
               .dtypes = {Dtype::kI64},
               .judge = Judge::kExact},
          },
      .params =
          {
              {"layers", std::int64_t{61}, "L"},
              {"first_dense", std::int64_t{3}, "layers that are dense at the bottom"},
              {"frequency", std::int64_t{1}, "every how many layers experts stand"},
              {"experts", std::int64_t{256}, "E; 0: no experts at all"},
          },
      .records = {"R1-059"},
  };
}

}  // namespace plumb
