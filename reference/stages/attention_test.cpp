// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/attention.h"

#include <gtest/gtest.h>

#include "reference/stages/stage_testing.h"

namespace plumb {
namespace {

using namespace testing_stages;

constexpr double kSigma = 0.1352337788608801;

StageCall attended(Index s, Index t, const AnyTensor& mask = {}) {
  StageCall call{"attention", {}, {}, {}};
  call.set("query", noise_f32(1, {2, 3, s, 24}));
  call.set("key", noise_f32(2, {2, 3, t, 24}));
  call.set("value", noise_f32(3, {2, 3, t, 8}));
  call.set("sigma", AnyTensor::of(std::vector<double>{kSigma}));
  call.set("mask", mask);
  return call;
}

AnyTensor causal(std::string_view reading, Index s, Index t) {
  StageCall call{"attention_mask", {}, {{"B", Index{2}}, {"S", s}, {"T", t}, {"past", t - s}}, {}};
  // Sequence 0 has one padding token on the left.
  std::vector<std::int64_t> keep(static_cast<std::size_t>(2 * t), 1);
  keep[0] = 0;
  call.set("keep", i64(keep, {2, t}));
  run(reading, call);
  return call.tensor("mask");
}

AnyTensor part(std::string_view reading, const char* stage, const std::vector<NamedTensor>& tensors,
               const char* out) {
  StageCall call{stage, tensors, {}, {}};
  run(reading, call);
  return call.tensor(out);
}

TEST(Attention, IsItsPartsOneAfterAnother) {
  for (std::string_view reading : {"real", "hf_bf16", "hf_f32", "inf_bf16"}) {
    StageCall call = attended(3, 5, causal(reading, 3, 5));
    run(reading, call);
    const AnyTensor scores = part(reading, "attention_scores",
                                  {{"query", call.tensor("query")},
                                   {"key", call.tensor("key")},
                                   {"sigma", call.tensor("sigma")}},
                                  "scores");
    const AnyTensor masked = part(reading, "attention_mask_add",
                                  {{"scores", scores}, {"mask", call.tensor("mask")}}, "masked");
    const AnyTensor weights = part(reading, "softmax", {{"scores", masked}}, "weights");
    const AnyTensor context =
        part(reading, "attention_context", {{"weights", weights}, {"value", call.tensor("value")}},
             "context");
    for (Index i = 0; i < context.size(); ++i) {
      EXPECT_TRUE(call.tensor("context").data<Real>()[i] == context.data<Real>()[i]) << i;
    }
    for (Index i = 0; i < weights.size(); ++i) {
      EXPECT_TRUE(call.tensor("weights").data<Real>()[i] == weights.data<Real>()[i]) << i;
      EXPECT_TRUE(call.tensor("scores").data<Real>()[i] == masked.data<Real>()[i]) << i;
    }
  }
}

TEST(Attention, ARowWithoutKeysIsTheMeanOfAllValuesOrNan) {
  StageCall hf = attended(3, 3, causal("hf_f32", 3, 3));
  const Real* o = run("hf_f32", hf, "context");
  const float* v = hf.tensor("value").data<float>();
  EXPECT_NEAR(o[0].to_double(), (double{v[0]} + v[8] + v[16]) / 3, 1e-7);
  StageCall inf = attended(3, 3, causal("inf_bf16", 3, 3));
  o = run("inf_bf16", inf, "context");
  EXPECT_TRUE(o[0].is_nan());
  EXPECT_FALSE(o[8].is_nan());
}

TEST(Attention, TheBudgetHoldsF32ArithmeticAndIsNotLoose) {
  StageCall call = attended(4, 16);
  const float* q = call.tensor("query").data<float>();
  const float* k = call.tensor("key").data<float>();
  const float* v = call.tensor("value").data<float>();
  std::vector<float> got;
  for (std::size_t bh = 0; bh < 6; ++bh) {
    for (std::size_t i = 0; i < 4; ++i) {
      std::vector<float> a(16, 0.0f);
      float most = -INFINITY, total = 0;
      for (std::size_t t = 0; t < 16; ++t) {
        for (std::size_t d = 0; d < 24; ++d)
          a[t] += q[(bh * 4 + i) * 24 + d] * k[(bh * 16 + t) * 24 + d];
        a[t] *= static_cast<float>(kSigma);
        most = std::fmax(most, a[t]);
      }
      for (float& w : a) total += w = std::exp(w - most);
      for (std::size_t d = 0; d < 8; ++d) {
        float sum = 0;
        for (std::size_t t = 0; t < 16; ++t) sum += a[t] / total * v[(bh * 16 + t) * 8 + d];
        got.push_back(sum);
      }
    }
  }
  for (std::string_view reading : {"real", "hf_f32"}) {
    StageCall tracked = call;
    run<Tracked>(reading, tracked);
    const BudgetUse use = budget_use(tracked, "context", got);
    EXPECT_LE(use.beyond, 0) << reading;
    EXPECT_LT(use.budgets, 300 * use.distances) << reading;
  }
}

}  // namespace
}  // namespace plumb
