// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/residual.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/stages/stage_test.h"

namespace plumb {
namespace {

using Doubles = std::vector<double>;

double added(float r, float u, std::string_view reading = "hf_bf16") {
  const StageCall call = stage_call("residual", {{"r", f32({r}, {1, 1})}, {"u", f32({u}, {1, 1})}});
  return numbers(computed(call, reading), "y")[0];
}

TEST(Residual, TiesGoToTheEvenSignificand) {
  EXPECT_EQ(added(1, 0x1p-8f), 1);
  EXPECT_EQ(added(1, 0x3p-8f), 1 + 0x1p-6);
  // What lies beyond a tie decides it, however far away: the sum is rounded once.
  EXPECT_EQ(added(1 + 0x1p-8f, 0x1p-60f), 1 + 0x1p-7);
  EXPECT_EQ(added(1 + 0x1p-8f, -0x1p-60f), 1);
  EXPECT_EQ(added(1, 0x1p-8f, "hf_f32"), 1 + 0x1p-8);
  EXPECT_EQ(added(-2, 2), 0);
}

TEST(Residual, OverflowsFromHalfAUnitAboveTheLargestNumber) {
  // The largest bf16 is (2 - 2^-7) 2^127; from (2 - 2^-8) 2^127 on a sum is infinite.
  EXPECT_EQ(added(0x1.fep127f, 0x1p119f), std::numeric_limits<double>::infinity());
  EXPECT_EQ(added(-0x1.fep127f, -0x1p119f), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(added(0x1.fep127f, 0x1.fffffep118f), 0x1.fep127);
}

TEST(Residual, InfinitiesCancelToNan) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(std::isnan(added(infinity, -infinity)));
  EXPECT_EQ(added(infinity, 1), std::numeric_limits<double>::infinity());
}

TEST(Residual, OneAdditionIsWithinItsOneRounding) {
  const StageCall call =
      stage_call("residual", {{"r", f32({1}, {1, 1})}, {"u", f32({0x1p-30f}, {1, 1})}});
  const StageCall real = computed<Tracked>(call, "real");
  EXPECT_GE(real.tensor("y").data<Tracked>()[0].error, 0x1p-30);
  EXPECT_LE(real.tensor("y").data<Tracked>()[0].error, 0x1.01p-24);
}

}  // namespace
}  // namespace plumb
