// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema moe_router_schema() {
  const std::vector<Dtype> f32{Dtype::kF32};
  const std::vector<Dtype> routed{Dtype::kF32, Dtype::kBf16};
  return {
      .name = "moe_router",
      .sentence = "Chooses the experts of each token, first by group, then by expert, and weighs them.",
      .formula = "s = sigmoid(W h); c = s + bias; keep the groups with the largest sum of two c; ids = the "
                 "K largest c among the kept; weights = s[ids] / (sum s[ids] + 1e-20) * scale",
      .tensors =
          {
              {.name = "h", .role = Role::kIn, .axes = {"N", "H"}, .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation, .trace_suffix = ".in"},
              {.name = "weight", .role = Role::kIn, .axes = {"E", "H"},
               .dtypes = {Dtype::kBf16, Dtype::kF32}, .domain = Domain::kWeight,
               .trace_suffix = ".weight"},
              {.name = "bias", .role = Role::kIn, .axes = {"E"}, .dtypes = f32,
               .trace_suffix = ".e_score_correction_bias"},
              {.name = "logits", .role = Role::kTap, .axes = {"N", "E"}, .dtypes = routed,
               .slot = Slot::kRouterInput, .trace_suffix = ".logits"},
              {.name = "scores", .role = Role::kTap, .axes = {"N", "E"}, .dtypes = routed,
               .slot = Slot::kRouter, .trace_suffix = ".scores"},
              {.name = "biased", .role = Role::kTap, .axes = {"N", "E"}, .dtypes = routed,
               .slot = Slot::kRouterBiased, .trace_suffix = ".scores_for_choice"},
              {.name = "group_scores", .role = Role::kTap, .axes = {"N", "groups"}, .dtypes = routed,
               .slot = Slot::kRouterBiased, .trace_suffix = ".group_scores"},
              {.name = "group_ids", .role = Role::kTap, .axes = {"N", "top_groups"},
               .dtypes = {Dtype::kI64}, .domain = Domain::kIndex, .judge = Judge::kSelection,
               .trace_suffix = ".group_idx", .index_of = "groups", .scores = "group_scores"},
              {.name = "masked", .role = Role::kTap, .axes = {"N", "E"}, .dtypes = routed,
               .domain = Domain::kMostlyZero, .slot = Slot::kRouterBiased, .trace_suffix = ".tmp_scores"},
              {.name = "ids", .role = Role::kOut, .axes = {"N", "top_k"}, .dtypes = {Dtype::kI64},
               .domain = Domain::kIndex, .judge = Judge::kSelection, .trace_suffix = ".topk_idx",
               .index_of = "E", .scores = "masked"},
              {.name = "gathered", .role = Role::kTap, .axes = {"N", "top_k"}, .dtypes = routed,
               .slot = Slot::kRouter, .trace_suffix = ".topk_weight.raw"},
              {.name = "weights", .role = Role::kOut, .axes = {"N", "top_k"}, .dtypes = routed,
               .slot = Slot::kRouterWeight, .trace_suffix = ".topk_weight"},
          },
      .params =
          {
              {"top_k", std::int64_t{8}, "experts of a token"},
              {"groups", std::int64_t{8}, "groups of equally many experts"},
              {"top_groups", std::int64_t{4}, "groups kept"},
              {"scale", 2.5, "factor on the normalised weights"},
          },
      .sides = {"R1-D06", "R1-D16"},
      .records = {"R1-039", "R1-040", "R1-065", "R1-066", "R1-067", "R1-068", "R1-069", "R1-070", "R1-071",
                  "R1-072", "R1-102", "R1-103", "R1-104", "R1-105", "R1-106", "R1-107", "R1-108", "R1-109",
                  "R1-110"},
  };
}

}  // namespace plumb
