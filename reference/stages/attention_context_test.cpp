// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/attention_context.h"

#include <gtest/gtest.h>

#include "reference/stages/stage_testing.h"

namespace plumb {
namespace {

using namespace testing_stages;

StageCall averaged(const AnyTensor& weights, const AnyTensor& value) {
  StageCall call{"attention_context", {}, {}, {}};
  call.set("weights", weights);
  call.set("value", value);
  return call;
}

TEST(AttentionContext, EachHeadAveragesItsOwnValues) {
  StageCall call = averaged(f32({0.5f, 0.5f, 1, 0, 0, 1, 0.25f, 0.75f}, {1, 2, 2, 2}),
                            f32({1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60}, {1, 2, 2, 3}));
  run("real", call);
  EXPECT_EQ(call.tensor("context").shape(), (Shape{1, 2, 2, 3}));
  EXPECT_EQ(doubles(call, "context"),
            (std::vector<double>{2.5, 3.5, 4.5, 1, 2, 3, 40, 50, 60, 32.5, 42.5, 52.5}));
}

TEST(AttentionContext, TheSumIsRoundedOnce) {
  // Rounded at each step 1 + 2^-8 would stay 1 both times.
  StageCall call = averaged(bf16({1, 0x1p-8f, 0x1p-8f, 0x1p-20f}, {1, 1, 1, 4}),
                            bf16({1, 1, 1, 1}, {1, 1, 4, 1}));
  EXPECT_EQ(run("hf_bf16", call, "context")->to_double(), 1 + 0x1p-7);
}

TEST(AttentionContext, NanPoisonsRowsOfWeightsAndChannelsOfValues) {
  StageCall row = averaged(f32({NAN, 0, 1, 0}, {1, 1, 2, 2}), f32({1, 2, 3, 4}, {1, 1, 2, 2}));
  const Real* o = run("hf_f32", row, "context");
  EXPECT_TRUE(o[0].is_nan() && o[1].is_nan());
  EXPECT_FALSE(o[2].is_nan() || o[3].is_nan());
  // A weight of zero does not save the channel.
  StageCall channel = averaged(f32({1, 0, 1, 0}, {1, 1, 2, 2}), f32({1, 2, 3, NAN}, {1, 1, 2, 2}));
  o = run("hf_f32", channel, "context");
  EXPECT_TRUE(o[1].is_nan() && o[3].is_nan());
  EXPECT_FALSE(o[0].is_nan() || o[2].is_nan());
}

TEST(AttentionContext, TheBudgetHoldsF32ArithmeticAndIsNotLoose) {
  const std::vector<float> a = noise(5, 4 * 40), v = noise(6, 40 * 4);
  std::vector<float> got;
  double magnitudes = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t d = 0; d < 4; ++d) {
      float sum = 0;
      for (std::size_t t = 0; t < 40; ++t) {
        const float product = a[i * 40 + t] * v[t * 4 + d];
        sum += product;
        magnitudes += std::fabs(double{product});
      }
      got.push_back(sum);
    }
  }
  for (std::string_view reading : {"real", "hf_f32"}) {
    StageCall call = averaged(f32(a, {1, 1, 4, 40}), f32(v, {1, 1, 40, 4}));
    run<Tracked>(reading, call);
    const BudgetUse use = budget_use(call, "context", got);
    EXPECT_LE(use.beyond, 0) << reading;
    // 40 roundings of the sum and that of the stored result.
    EXPECT_LT(use.budgets, 41 * 0x1p-24 * magnitudes) << reading;
  }
}

}  // namespace
}  // namespace plumb
