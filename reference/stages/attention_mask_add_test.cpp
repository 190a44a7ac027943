// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/attention_mask_add.h"

#include <gtest/gtest.h>

#include "reference/stages/stage_testing.h"

namespace plumb {
namespace {

using namespace testing_stages;

constexpr float kLowestBf16 = -0x1.fep127f;

StageCall added(const AnyTensor& scores, const AnyTensor& mask) {
  StageCall call{"attention_mask_add", {}, {}, {}};
  call.set("scores", scores);
  call.set("mask", mask);
  return call;
}

TEST(AttentionMaskAdd, GivesEveryHeadTheMaskOfItsSequence) {
  StageCall call =
      added(f32({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 1, 2}), f32({10, 20, 30, 40}, {2, 1, 1, 2}));
  run("real", call);
  EXPECT_EQ(doubles(call, "masked"), (std::vector<double>{11, 22, 13, 24, 35, 46, 37, 48}));
}

TEST(AttentionMaskAdd, TheLowestValueAbsorbsScoresUntilTheSumOverflows) {
  const AnyTensor mask = bf16({kLowestBf16, kLowestBf16, kLowestBf16, 0}, {1, 1, 1, 4});
  StageCall call = added(bf16({100, -0x1.fep118f, -0x1p119f, 1.5f}, {1, 1, 1, 4}), mask);
  const Real* masked = run("hf_bf16", call, "masked");
  EXPECT_EQ(masked[0].to_double(), double{kLowestBf16});
  EXPECT_EQ(masked[1].to_double(), double{kLowestBf16});
  EXPECT_TRUE(masked[2].is_infinite() && masked[2].is_negative());
  EXPECT_EQ(masked[3].to_double(), 1.5);
}

TEST(AttentionMaskAdd, IsOneRoundingWithoutABudgetAndKeepsNanInItsPlace) {
  StageCall call =
      added(f32({1.1f, NAN, -3.3f}, {1, 1, 1, 3}), f32({0, 0, 0x1p-30f}, {1, 1, 1, 3}));
  const Tracked* masked = run<Tracked>("hf_f32", call, "masked");
  EXPECT_TRUE(masked[1].value.is_nan());
  for (int t : {0, 2}) {
    EXPECT_FALSE(masked[t].value.is_nan()) << t;
    EXPECT_EQ(masked[t].error, 0) << t;
    EXPECT_EQ(masked[t].flags, 0) << t;
  }
}

}  // namespace
}  // namespace plumb
