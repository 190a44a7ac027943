// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema softmax_scale_schema() {
  return {
      .name = "softmax_scale",
      .sentence = "The factor on attention scores, with YaRN's magnitude squared.",
      .formula = "sigma = width^(-1/2) * m(factor, mscale_all_dim)^2",
      .tensors =
          {
              {.name = "sigma",
               .role = Role::kOut,
               .axes = {"one"},
               .dtypes = {Dtype::kF64},
               .domain = Domain::kMostlyZero,
               .slot = Slot::kScalar},
          },
      .params =
          {
              {"one", std::int64_t{1}, "extent of a scalar"},
              {"nope_dim", std::int64_t{128}, "width without position"},
              {"rope_dim", std::int64_t{64}, "width with position"},
              {"yarn", std::int64_t{1}, "whether the rotary embedding is YaRN"},
              {"factor", 40.0, "stretch s"},
              {"mscale_all_dim", 1.0, "strength mu"},
              {"max_length", std::int64_t{163840}, "positions that the engine serves"},
              {"original_length", std::int64_t{4096}, "context the model was trained on"},
          },
      .sides = {"R1-D24"},
      .records = {"R1-045", "R1-049", "R1-097", "R1-124"},
      .standard_contract = {.accumulator = kF64},
  };
}

}  // namespace plumb
