// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema rope_frequencies_schema() {
  return {
      .name = "rope_frequencies",
      .sentence = "Frequencies of the rotary embedding, plain or stretched for long contexts.",
      .formula =
          "f[i] = base^(-2i/dim); yarn: f[i] = fi[i]*(1 - mu[i]) + fe[i]*mu[i], fi = fe/factor, mu "
          "= 1 - ramp",
      .tensors =
          {
              {.name = "inv_freq",
               .role = Role::kOut,
               .axes = {"half"},
               .dtypes = {Dtype::kF32},
               .slot = Slot::kFrequency,
               .trace_suffix = ".inv_freq"},
              {.name = "freq_extra",
               .role = Role::kTap,
               .axes = {"half"},
               .dtypes = {Dtype::kF32},
               .slot = Slot::kFrequency},
              {.name = "freq_inter",
               .role = Role::kTap,
               .axes = {"half"},
               .dtypes = {Dtype::kF32},
               .slot = Slot::kFrequency},
              {.name = "ramp",
               .role = Role::kTap,
               .axes = {"half"},
               .dtypes = {Dtype::kF32},
               .domain = Domain::kMostlyZero,
               .slot = Slot::kFrequency},
              {.name = "table_scale",
               .role = Role::kOut,
               .axes = {"one"},
               .dtypes = {Dtype::kF64},
               .domain = Domain::kMostlyZero,
               .slot = Slot::kScalar},
              {.name = "bounds",
               .role = Role::kTap,
               .axes = {"two"},
               .dtypes = {Dtype::kI64},
               .judge = Judge::kExact},
          },
      .params =
          {
              {"half", std::int64_t{32}, "dim / 2: number of frequencies"},
              {"kind", std::string("yarn"), "plain, linear, dynamic or yarn"},
              {"base", 10000.0, "theta"},
              {"factor", 40.0, "stretch s"},
              {"original_length", std::int64_t{4096}, "context the model was trained on"},
              {"max_length", std::int64_t{163840}, "positions that the engine serves"},
              {"beta_fast", 32.0, "rotations at which the ramp begins"},
              {"beta_slow", 1.0, "rotations at which it ends"},
              {"mscale", 1.0, "strength of the magnitude correction"},
              {"mscale_all_dim", 1.0, "the same for the scores"},
              {"length", std::int64_t{0}, "dynamic: tokens seen"},
              {"one", std::int64_t{1}, "extent of a scalar"},
              {"two", std::int64_t{2}, "low and high"},
          },
      .sides = {"R1-D02", "R1-D09", "R1-D24", "R1-D25"},
      .records = {"R1-007", "R1-008", "R1-009", "R1-010", "R1-011", "R1-012", "R1-013", "R1-024",
                  "R1-029", "R1-030", "R1-031", "R1-032", "R1-033", "R1-034", "R1-037", "R1-063",
                  "R1-064", "R1-118", "R1-119", "R1-120", "R1-121", "R1-122", "R1-123"},
  };
}

}  // namespace plumb
