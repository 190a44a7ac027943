// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/fp8_dequant.h"

#include <gtest/gtest.h>

#include <cmath>

#include "reference/stages/stage_test.h"

namespace plumb {
namespace {

using Doubles = std::vector<double>;

AnyTensor e4m3(const std::vector<int>& codes, const Shape& shape) {
  AnyTensor t = AnyTensor::zeros(Dtype::kFp8E4m3fn, shape);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    t.data<Fp8E4m3fn>()[i].bits = static_cast<std::uint8_t>(codes[i]);
  }
  return t;
}

TEST(Fp8Dequant, EachSquareHasItsScaleAndEdgesArePartial) {
  // 3 x 3 in squares of 2: rows 0 and 1 against row 2, columns likewise.
  const StageCall call = stage_call(
      "fp8_dequant",
      {{"codes", e4m3(std::vector<int>(9, 0x38), {3, 3})}, {"scale", f32({2, 3, 5, 7}, {2, 2})}},
      {{"block", std::int64_t{2}}});
  EXPECT_EQ(numbers(computed(call, "real"), "y"), (Doubles{2, 2, 3, 2, 2, 3, 5, 5, 7}));
}

TEST(Fp8Dequant, CodesAreE4m3WithoutInfinities) {
  const StageCall call = stage_call(
      "fp8_dequant",
      {{"codes", e4m3({0x01, 0x07, 0x08, 0x7E, 0xFE, 0x7F}, {1, 6})}, {"scale", f32({1}, {1, 1})}});
  const Doubles y = numbers(computed(call, "real"), "y");
  EXPECT_EQ(Doubles(y.begin(), y.begin() + 5), (Doubles{0x1p-9, 0x7p-9, 0x1p-6, 448, -448}));
  EXPECT_TRUE(std::isnan(y[5]));
}

TEST(Fp8Dequant, TheWeightIsRoundedOnceToWhatTheReadingLoads) {
  // 1.125 * (1 + 2^-7) is nearer to 1.1328125 than to 1.140625.
  const StageCall call = stage_call(
      "fp8_dequant", {{"codes", e4m3({0x39}, {1, 1})}, {"scale", f32({1 + 0x1p-7f}, {1, 1})}});
  EXPECT_EQ(numbers(computed(call, "real"), "y"), Doubles{1.1337890625});
  EXPECT_EQ(numbers(computed(call, "hf_bf16"), "y"), Doubles{1.1328125});
}

TEST(Fp8Dequant, OneProductIsItsBudget) {
  const StageCall call = computed<Tracked>(
      stage_call("fp8_dequant", {{"codes", e4m3({0x3F}, {1, 1})}, {"scale", f32({0.1f}, {1, 1})}}),
      "real");
  const Tracked& y = call.tensor("y").data<Tracked>()[0];
  EXPECT_LE(std::fabs(static_cast<double>(1.875f * 0.1f) - y.value.to_double()), y.error);
  EXPECT_LE(y.error, 0x1.01p-24 * y.value.to_double());
}

}  // namespace
}  // namespace plumb
