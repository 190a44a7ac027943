// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema split_latent_schema() {
  return {
      .name = "split_latent",
      .sentence = "Splits the key-value projection into the latent and the shared rotary key.",
      .formula = "latent = ckv[:, 0..KR-1]; k_rope[b,0,t,:] = ckv[b*S+t, KR..KR+RO-1]",
      .tensors =
          {
              {.name = "ckv",
               .role = Role::kIn,
               .axes = {"N", "width"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
              {.name = "latent",
               .role = Role::kOut,
               .axes = {"N", "latent_dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation,
               .trace_suffix = ".compressed_kv"},
              {.name = "k_rope",
               .role = Role::kOut,
               .axes = {"B", "single", "S", "rope_dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation,
               .trace_suffix = ".k_pe.pre_rope"},
          },
      .params =
          {
              {"B", std::int64_t{1}, "sequences"},
              {"S", std::int64_t{1}, "tokens a sequence"},
              {"single", std::int64_t{1}, "heads of the shared key"},
              {"latent_dim", std::int64_t{512}, "KR"},
              {"rope_dim", std::int64_t{64}, "RO"},
          },
      .records = {},
  };
}

}  // namespace plumb
