// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/swiglu.h"

#include <gtest/gtest.h>

#include <cmath>

#include "reference/stages/stage_test.h"

namespace plumb {
namespace {

using Doubles = std::vector<double>;

StageCall gated(float gate, float up) {
  return stage_call("swiglu", {{"gate", f32({gate}, {1, 1})}, {"up", f32({up}, {1, 1})}});
}

TEST(Swiglu, GatesTheOtherHalf) {
  const StageCall call = computed(gated(1.5f, 4), "real");
  // 6 / (1 + e^-1.5)
  EXPECT_EQ(call.tensor("y").data<Real>()[0].to_string(25), "4.905446857161861957643303");
}

TEST(Swiglu, SiluAndProductAreRoundedOneAfterTheOther) {
  // silu(1.375) = 1.09750..., in bf16 1.09375. 1.09375 * 1.5625 = 1.70898..., in bf16 1.7109375;
  // the unrounded 1.09750... * 1.5625 = 1.71485... would be 1.71875.
  EXPECT_EQ(numbers(computed(gated(1.375f, 1.5625f), "hf_bf16"), "y"), Doubles{1.7109375});
}

TEST(Swiglu, FarOutItIsZeroOrTheProduct) {
  EXPECT_EQ(numbers(computed(gated(-200, 3), "hf_f32"), "y"), Doubles{-0.0});
  EXPECT_EQ(numbers(computed(gated(200, 3), "hf_f32"), "y"), Doubles{600});
}

TEST(Swiglu, TheBudgetHoldsAKernelInFloat) {
  for (float gate : {-20.0f, -1.2784645f, -0.5f, 0.3f, 7.0f}) {
    const StageCall call = computed<Tracked>(gated(gate, 1.7f), "real");
    const Tracked& y = call.tensor("y").data<Tracked>()[0];
    const float got = gate / (1.0f + std::exp(-gate)) * 1.7f;
    EXPECT_LE(std::fabs(static_cast<double>(got) - y.value.to_double()), y.error) << gate;
    EXPECT_LE(y.error, 0x1p-20 * std::fabs(y.value.to_double())) << gate;  // not loose either
  }
}

}  // namespace
}  // namespace plumb
