// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/softmax.h"

#include <gtest/gtest.h>

#include "reference/stages/stage_testing.h"

namespace plumb {
namespace {

using namespace testing_stages;

constexpr float kLowestF32 = -0x1.fffffep127f;
constexpr float kLowestBf16 = -0x1.fep127f;

StageCall weighed(const AnyTensor& scores) {
  StageCall call{"softmax", {}, {}, {}};
  call.set("scores", scores);
  return call;
}
StageCall row(const std::vector<float>& scores) {
  return weighed(f32(scores, {1, 1, 1, static_cast<Index>(scores.size())}));
}

TEST(Softmax, NormalisesEachRowByItself) {
  StageCall call = weighed(f32({0, 0, 7, 7, -3, -3}, {1, 1, 3, 2}));
  const Real* a = run("real", call, "weights");
  for (int i = 0; i < 6; ++i) EXPECT_EQ(a[i].to_double(), 0.5) << i;
  StageCall other = row({0, 1});
  a = run("real", other, "weights");
  const Real e = exp(Real(1));
  EXPECT_LT(abs(a[1] - e / (Real(1) + e)).to_double(), 1e-48);
}

TEST(Softmax, OneKeyGetsAllTheWeight) {
  for (float s : {0.0f, -50.0f, 3e38f, kLowestF32}) {
    StageCall call = row({s});
    EXPECT_EQ(run("hf_f32", call, "weights")->to_double(), 1) << s;
  }
}

TEST(Softmax, TheLowestScoreGetsNothingAndRowsOfItAreUniform) {
  StageCall call =
      weighed(f32({kLowestF32, 2, kLowestF32, kLowestF32, kLowestF32, kLowestF32}, {1, 1, 2, 3}));
  const Tracked* a = run<Tracked>("hf_f32", call, "weights");
  for (int t = 0; t < 3; ++t) {
    EXPECT_EQ(a[t].value.to_double(), t == 1 ? 1 : 0) << t;
    EXPECT_LT(a[t].error, 0x1p-20) << t;
    EXPECT_EQ(a[3 + t].value.to_double(), double{1.0f / 3}) << t;
    EXPECT_LT(a[3 + t].error, 0x1p-20) << t;
    EXPECT_FALSE(a[t].loose() || a[3 + t].loose()) << t;
  }
  StageCall rounded = weighed(bf16({kLowestBf16, kLowestBf16, kLowestBf16}, {1, 1, 1, 3}));
  EXPECT_EQ(run("hf_bf16", rounded, "weights")->to_double(), 171.0 / 512);
}

TEST(Softmax, RowsOfMinusInfinityAloneAreNan) {
  StageCall call = weighed(f32({-INFINITY, -INFINITY, -INFINITY, 1}, {1, 1, 2, 2}));
  const Real* a = run("inf_bf16", call, "weights");
  EXPECT_TRUE(a[0].is_nan() && a[1].is_nan());
  EXPECT_EQ(a[2].to_double(), 0);
  EXPECT_EQ(a[3].to_double(), 1);
}

TEST(Softmax, NanAndPlusInfinityPoisonTheirRow) {
  StageCall call = weighed(f32({1, NAN, 2, NAN, 1, 2, 1, INFINITY, 2, 1, 2, 3}, {1, 1, 4, 3}));
  const Tracked* a = run<Tracked>("hf_bf16", call, "weights");
  for (int i = 0; i < 9; ++i) EXPECT_TRUE(a[i].value.is_nan()) << i;
  for (int i = 9; i < 12; ++i) EXPECT_FALSE(a[i].value.is_nan()) << i;
}

TEST(Softmax, TheBudgetHoldsF32ArithmeticAndIsNotLoose) {
  std::vector<float> s = noise(3, 8 * 32), got;
  for (float& v : s) v *= 12;
  for (std::size_t i = 0; i < 8; ++i) {
    float most = s[i * 32], sum = 0;
    for (std::size_t t = 0; t < 32; ++t) most = std::fmax(most, s[i * 32 + t]);
    for (std::size_t t = 0; t < 32; ++t) sum += std::exp(s[i * 32 + t] - most);
    for (std::size_t t = 0; t < 32; ++t) got.push_back(std::exp(s[i * 32 + t] - most) / sum);
  }
  for (std::string_view reading : {"real", "hf_f32"}) {
    StageCall call = weighed(f32(s, {1, 1, 8, 32}));
    run<Tracked>(reading, call);
    const BudgetUse use = budget_use(call, "weights", got);
    EXPECT_LE(use.beyond, 0) << reading;
    EXPECT_LT(use.budgets, 100 * use.distances) << reading;
  }
}

// A score that the call before left uncertain: an error of all scores alike cancels, one of a
// single score reaches the weights once, not twice through the maximum.
TEST(Softmax, TheMaximumCarriesNoError) {
  StageCall call{"softmax", {}, {}, {}};
  AnyTensor scores = new_tensor<Tracked>({1, 1, 1, 2});
  scores.data<Tracked>()[0] = Tracked(1.0);
  scores.data<Tracked>()[1] = Tracked(-30.0);
  scores.data<Tracked>()[0].error = 0x1p-10;
  call.set("scores", scores);
  const Tracked* a = run<Tracked>("real", call, "weights");
  // The large weight's relative error comes from exp(s - M) above and below the line.
  EXPECT_GE(a[1].error, a[1].value.to_double() * 0x1p-10);
  EXPECT_LT(a[1].error, a[1].value.to_double() * 0x1.1p-10);
}

}  // namespace
}  // namespace plumb
