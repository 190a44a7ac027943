// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {
namespace {

TensorSchema activation(std::string_view name, Role role, std::vector<std::string_view> axes,
                        Slot slot = Slot::kActivation) {
  TensorSchema t{};
  t.name = name;
  t.role = role;
  t.axes = std::move(axes);
  t.dtypes = {Dtype::kBf16, Dtype::kF32};
  t.slot = slot;
  return t;
}

TensorSchema mostly_zero(TensorSchema t) {
  t.domain = Domain::kMostlyZero;
  return t;
}

}  // namespace

StageSchema attention_absorbed_schema() {
  return {
      .name = "attention_absorbed",
      .sentence =
          "Attention on the cached latent: W_kvb is absorbed into the query and applied to the "
          "mean.",
      .formula =
          "qa = q_nope UK; s = sigma (qa c + q_rope k_rope); a = softmax(s + M); o = UV (a c)",
      .tensors =
          {
              activation("q_nope", Role::kIn, {"B", "heads", "S", "nope_dim"}),
              activation("q_rope", Role::kIn, {"B", "heads", "S", "rope_dim"}),
              activation("latent", Role::kIn, {"B", "T", "rank"}),
              activation("k_rope", Role::kIn, {"B", "T", "rope_dim"}),
              {.name = "kv_b",
               .role = Role::kIn,
               .axes = {"rows", "rank"},
               .dtypes = {Dtype::kBf16, Dtype::kF32, Dtype::kFp8E4m3fn},
               .domain = Domain::kWeight},
              {.name = "kv_b_scale",
               .role = Role::kIn,
               .axes = {"rows/block", "rank/block"},
               .dtypes = {Dtype::kF32},
               .domain = Domain::kScale,
               .optional = true},
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
              activation("absorbed_query", Role::kTap, {"B", "heads", "S", "rank"}),
              mostly_zero(
                  activation("scores", Role::kTap, {"B", "heads", "S", "T"}, Slot::kScores)),
              mostly_zero(
                  activation("weights", Role::kTap, {"B", "heads", "S", "T"}, Slot::kProbability)),
              activation("latent_context", Role::kTap, {"B", "heads", "S", "rank"}),
              activation("context", Role::kOut, {"B", "heads", "S", "value_dim"}),
          },
      .params = {{"value_dim", std::int64_t{128}, "VD; kv_b has heads * (NO + VD) rows"},
                 {"block", std::int64_t{128},
                  "rows and columns that share a scale; edge blocks are partial"},
                 {"single", std::int64_t{1}, "extent of the mask's head axis"},
                 {"one", std::int64_t{1}, "extent of a scalar"}},
  };
}

}  // namespace plumb
