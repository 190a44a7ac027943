// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/fp8_quant.h"

#include <gtest/gtest.h>

#include <cmath>

#include "reference/stages/stage_test.h"

namespace plumb {
namespace {

using Doubles = std::vector<double>;

StageCall quantised(const std::vector<float>& x, std::int64_t block = 128) {
  return stage_call("fp8_quant", {{"x", f32(x, {1, static_cast<Index>(x.size())})}},
                    {{"block", block}});
}

TEST(Fp8Quant, TheLargestOfARunBecomes448AndTiesGoToEven) {
  const StageCall call = computed(quantised({448, 15, 17, -19}), "inf_fp8");
  EXPECT_EQ(numbers(call, "scale"), Doubles{1});
  EXPECT_EQ(numbers(call, "codes"), (Doubles{448, 15, 16, -20}));
}

TEST(Fp8Quant, EachRunHasItsScaleAndTheLastMayBeShorter) {
  const StageCall call = computed(quantised({448, 1, -896, 2, 224}, 2), "inf_fp8");
  EXPECT_EQ(numbers(call, "scale"), (Doubles{1, 2, 0.5}));
  EXPECT_EQ(numbers(call, "codes"), (Doubles{448, 1, -448, 1, 448}));
}

TEST(Fp8Quant, ScaleAndQuotientAreRoundedToF32) {
  const StageCall call = computed(quantised({3, 1}), "inf_fp8");
  EXPECT_EQ(numbers(call, "scale"), Doubles{static_cast<double>(3.0f / 448.0f)});
  // 1 / f32(3/448) is 149.33..., between 144 and 160 of E4M3.
  EXPECT_EQ(numbers(call, "codes"), (Doubles{448, 144}));
  EXPECT_EQ(computed(quantised({3, 1}), "real").tensor("codes").data<Real>()[1].to_string(20),
            "149.33333333333333333");
}

TEST(Fp8Quant, TheQuotientIsRoundedToF32BeforeItIsRoundedToE4m3) {
  // 21.09375 / f32(450/448) lies 3.6e-7 above 21, the tie of 20 and 22; in f32 it is 21.
  EXPECT_EQ(numbers(computed(quantised({450, 21.09375f}), "inf_fp8"), "codes"), (Doubles{448, 20}));
}

TEST(Fp8Quant, WhatOverflowsSaturatesOrIsNan) {
  // The scale of a run so small is the least subnormal number, the quotient 512.
  Reading unclamped = on_side("inf_fp8", "R1-D37", Side::kA);
  const StageCall call = quantised({0x1p-140f});
  EXPECT_EQ(numbers(computed(call, unclamped), "codes"), Doubles{448});
  for (auto& [id, side] : unclamped.sides) {
    if (id == "R1-D38") side = Side::kA;
  }
  EXPECT_TRUE(std::isnan(numbers(computed(call, unclamped), "codes")[0]));
}

TEST(Fp8Quant, ARunOfZerosKeepsASmallScaleOrHasNoneAtAll) {
  const StageCall clamped = computed(quantised({0, 0}), "inf_fp8");
  EXPECT_EQ(numbers(clamped, "codes"), (Doubles{0, 0}));
  EXPECT_EQ(numbers(clamped, "scale"), Doubles{static_cast<double>(1e-4f / 448.0f)});
  EXPECT_EQ(computed(quantised({0}), "real").tensor("scale").data<Real>()[0].to_string(20),
            "2.2321428571428571429e-07");
  const StageCall bare = computed(quantised({0, 0}), on_side("inf_fp8", "R1-D37", Side::kA));
  EXPECT_EQ(numbers(bare, "scale"), Doubles{0});
  EXPECT_TRUE(std::isnan(numbers(bare, "codes")[0]));
}

TEST(Fp8Quant, NanStaysWhereItIs) {
  const StageCall call = computed(quantised({NAN, 448, 2}), "inf_fp8");
  EXPECT_EQ(numbers(call, "scale"), Doubles{1});
  EXPECT_TRUE(std::isnan(numbers(call, "codes")[0]));
  EXPECT_EQ(numbers(call, "codes")[2], 2);
}

TEST(Fp8Quant, AQuotientNearATieAdmitsBothCodesAndOthersNone) {
  const StageCall call = computed<Tracked>(quantised({448, 17, 18}), "inf_fp8");
  const Tracked* codes = call.tensor("codes").data<Tracked>();
  EXPECT_EQ(codes[0].error, 0);
  EXPECT_EQ(codes[1].value.to_double(), 16);
  EXPECT_EQ(codes[1].error, 2);  // 17 lies midway between 16 and 18
  EXPECT_EQ(codes[2].error, 0);
}

}  // namespace
}  // namespace plumb
