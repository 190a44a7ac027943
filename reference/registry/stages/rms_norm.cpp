// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema rms_norm_schema() {
  return {
      .name = "rms_norm",
      .sentence = "Scales each token to unit root mean square, then applies a gain per channel.",
      .formula = "y[t,d] = x[t,d] / sqrt(mean_d x[t,d]^2 + eps) * g[d]",
      .tensors =
          {
              {.name = "x",
               .role = Role::kIn,
               .axes = {"T", "D"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation,
               .trace_suffix = ".in"},
              {.name = "gain",
               .role = Role::kIn,
               .axes = {"D"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .domain = Domain::kGain,
               .trace_suffix = ".weight"},
              {.name = "y",
               .role = Role::kOut,
               .axes = {"T", "D"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation,
               .trace_suffix = ".out"},
          },
      .params = {{"eps", 1e-6, "added to the mean square"}},
      .sides = {"R1-D18"},
      .records = {"R1-021", "R1-022", "R1-023", "R1-061"},
  };
}

}  // namespace plumb
