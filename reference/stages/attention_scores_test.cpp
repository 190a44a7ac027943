// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/attention_scores.h"

#include <gtest/gtest.h>

#include "reference/stages/stage_testing.h"

namespace plumb {
namespace {

using namespace testing_stages;

StageCall scored(const AnyTensor& query, const AnyTensor& key, double sigma) {
  StageCall call{"attention_scores", {}, {}, {}};
  call.set("query", query);
  call.set("key", key);
  call.set("sigma", AnyTensor::of(std::vector<double>{sigma}));
  return call;
}

TEST(AttentionScores, EachQueryMeetsTheKeysOfItsOwnHead) {
  // [B,H,S,D] = [1,2,1,2], T = 3.
  StageCall call = scored(f32({1, 2, 3, 4}, {1, 2, 1, 2}),
                          f32({1, 0, 0, 1, 1, 1, 2, 0, 0, 2, 2, 2}, {1, 2, 3, 2}), 0.5);
  run("real", call);
  EXPECT_EQ(call.tensor("scores").shape(), (Shape{1, 2, 1, 3}));
  EXPECT_EQ(doubles(call, "scores"), (std::vector<double>{0.5, 1, 1.5, 3, 4, 7}));
}

TEST(AttentionScores, TheProductIsRoundedBeforeAndAfterTheScale) {
  // The sum 1.005859375 is stored as 1.0078125 and its product with sigma, 1.00535..., again so.
  // The product of the sum itself, 1.00340..., would be stored as 1.
  const double sigma = 1 - 0x1p-9 - 0x1p-11;
  StageCall twice =
      scored(bf16({1, 0x1p-8f, 0x1p-9f}, {1, 1, 1, 3}), bf16({1, 1, 1}, {1, 1, 1, 3}), sigma);
  StageCall exact = twice;
  EXPECT_EQ(run("hf_bf16", twice, "scores")->to_double(), 1.0078125);
  EXPECT_EQ(run("real", exact, "scores")->to_double(), 1.005859375 * sigma);
}

TEST(AttentionScores, SigmaIsHeldInF32) {
  // 3 sigma itself would be stored as 3 + 2^-22.
  const double sigma = 1 + 0x1p-24 + 0x1p-30;
  StageCall call = scored(f32({3}, {1, 1, 1, 1}), f32({1}, {1, 1, 1, 1}), sigma);
  StageCall real = call;
  EXPECT_EQ(run("hf_f32", call, "scores")->to_double(), 3 + 0x1p-21);
  EXPECT_EQ(run("real", real, "scores")->to_double(), 3 * sigma);
}

TEST(AttentionScores, NanPoisonsItsRowOrColumn) {
  StageCall call = scored(f32({1, NAN, 3, 4}, {1, 1, 2, 2}), f32({1, 1, 1, 1}, {1, 1, 2, 2}), 1);
  const Real* s = run("hf_f32", call, "scores");
  EXPECT_TRUE(s[0].is_nan() && s[1].is_nan());
  EXPECT_FALSE(s[2].is_nan() || s[3].is_nan());
  StageCall column = scored(f32({1, 1, 1, 1}, {1, 1, 2, 2}), f32({1, 1, 1, NAN}, {1, 1, 2, 2}), 1);
  s = run("hf_f32", column, "scores");
  EXPECT_TRUE(s[1].is_nan() && s[3].is_nan());
  EXPECT_FALSE(s[0].is_nan() || s[2].is_nan());
}

TEST(AttentionScores, TheBudgetHoldsF32ArithmeticAndIsNotLoose) {
  const std::vector<float> q = noise(1, 8 * 48), k = noise(2, 8 * 48);
  const float sigma = 0.1352337788608801f;
  std::vector<float> got;
  double magnitudes = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t t = 0; t < 8; ++t) {
      float sum = 0;
      for (std::size_t d = 0; d < 48; ++d) {
        const float product = q[i * 48 + d] * k[t * 48 + d];
        sum += product;
        magnitudes += std::fabs(double{product}) * double{sigma};
      }
      got.push_back(sum * sigma);
    }
  }
  for (std::string_view reading : {"real", "hf_f32"}) {
    StageCall call = scored(f32(q, {1, 1, 8, 48}), f32(k, {1, 1, 8, 48}), 0.1352337788608801);
    run<Tracked>(reading, call);
    const BudgetUse use = budget_use(call, "scores", got);
    EXPECT_LE(use.beyond, 0) << reading;
    // 48 roundings of the sum, those of sigma and of its product, and of the stored result.
    EXPECT_LT(use.budgets, 51 * 0x1p-24 * magnitudes) << reading;
  }
}

TEST(AttentionScores, TheBudgetKnowsThatSigmaMayBeHeldInTheAccumulator) {
  // Roundings of the one fused product, of sigma and of their product.
  const double sigma = 1 + 0x1p-24 - 0x1p-40;
  StageCall call = scored(f32({1}, {1, 1, 1, 1}), f32({1}, {1, 1, 1, 1}), sigma);
  run<Tracked>("real", call, {.fused_products = true});
  EXPECT_GE(call.tensor("scores").data<Tracked>()->error, 2.9 * 0x1p-24);
  EXPECT_LT(call.tensor("scores").data<Tracked>()->error, 3.1 * 0x1p-24);
}

}  // namespace
}  // namespace plumb
