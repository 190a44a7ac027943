// SPDX-License-Identifier: Apache-2.0
#include "reference/scalar/real.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace plumb {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
class BigFloatTest : public testing::Test {};
using Types = testing::Types<Real, RealWide>;
TYPED_TEST_SUITE(BigFloatTest, Types);

TYPED_TEST(BigFloatTest, OperatorsAreExactWhereTheResultFits) {
  using T = TypeParam;
  const T a = 1 + 0x1p-52, b = 3;
  EXPECT_TRUE(a * a - T(1) - T(0x1p-51) == T(0x1p-104));
  EXPECT_TRUE((a + b) - b == a);
  EXPECT_TRUE(b / T(4) == T(0.75));
  EXPECT_TRUE(-b == T(-3));
  EXPECT_TRUE(abs(-b) == b);
  T c = 2;
  c += b;
  c -= T(1);
  c *= T(5);
  c /= T(8);
  EXPECT_EQ(c.to_double(), 2.5);
}

TYPED_TEST(BigFloatTest, OneOperationIsWithinTheStatedPrecision) {
  using T = TypeParam;
  const T third = T(1) / T(3);
  const T error = abs(third * T(3) - T(1));
  EXPECT_TRUE(error <= T(1).scaled_by_power_of_two(1 - T::kBits));
  EXPECT_TRUE(T(1) + T(1).scaled_by_power_of_two(1 - T::kBits) > T(1));
  EXPECT_TRUE(T(1) + T(1).scaled_by_power_of_two(-1 - T::kBits) == T(1));
}

TYPED_TEST(BigFloatTest, ComparisonsAndNan) {
  using T = TypeParam;
  const T nan = T::nan(), one = 1, two = 2;
  EXPECT_TRUE(one < two && two > one && one <= one && one >= one && one == one);
  EXPECT_FALSE(two < one || one > two || two <= one || one >= two || one == two);
  for (const T& v : {nan, one, T::infinity()}) {
    EXPECT_FALSE(nan < v || v < nan || nan > v || nan <= v || v >= nan || nan == v);
  }
  EXPECT_TRUE(T(-0.0) == T(0));
  EXPECT_TRUE(T::infinity() > T(std::numeric_limits<double>::max()));
}

TYPED_TEST(BigFloatTest, SpecialValuesFollowIeee) {
  using T = TypeParam;
  const T inf = T::infinity();
  EXPECT_TRUE((inf - inf).is_nan());
  EXPECT_TRUE((T(0) * inf).is_nan());
  EXPECT_TRUE((inf / inf).is_nan());
  EXPECT_TRUE((T(0) / T(0)).is_nan());
  EXPECT_TRUE((T(1) / inf).is_zero());
  EXPECT_TRUE((T(1) / T(0)).is_infinite());
  EXPECT_FALSE((T(1) / T(0)).is_negative());
  EXPECT_TRUE((T(-1) / T(0)).is_negative());
  EXPECT_TRUE((T(1) / T(-0.0)).is_negative());
  EXPECT_TRUE((T::nan() / T(0)).is_nan());
  EXPECT_TRUE((inf + T(1)).is_infinite());
  EXPECT_TRUE((-inf).is_negative());
  EXPECT_TRUE(T(kInfinity).is_infinite() && T(std::nan("")).is_nan());
  EXPECT_TRUE(T(-0.0).is_negative() && T(-0.0).is_zero());
}

TYPED_TEST(BigFloatTest, FunctionsAtTheirEdges) {
  using T = TypeParam;
  EXPECT_TRUE(sqrt(T(4)) == T(2));
  EXPECT_TRUE(sqrt(T(0)).is_zero());
  EXPECT_TRUE(sqrt(T(-1)).is_nan());
  EXPECT_TRUE(sqrt(T::infinity()).is_infinite());
  EXPECT_TRUE(sqrt(T::nan()).is_nan());
  EXPECT_TRUE(exp(T(0)) == T(1));
  EXPECT_TRUE(exp(-T::infinity()).is_zero());
  EXPECT_TRUE(exp(T::infinity()).is_infinite());
  EXPECT_TRUE(exp(T::nan()).is_nan());
  EXPECT_TRUE(log(T(1)).is_zero());
  EXPECT_TRUE(log(T(0)).is_infinite() && log(T(0)).is_negative());
  EXPECT_TRUE(log(T(-1)).is_nan());
  EXPECT_TRUE(log(T::infinity()).is_infinite());
  EXPECT_TRUE(sin(T(0)).is_zero());
  EXPECT_TRUE(cos(T(0)) == T(1));
  EXPECT_TRUE(sin(T::infinity()).is_nan() && cos(T::infinity()).is_nan());
  EXPECT_TRUE(sin(T::nan()).is_nan() && cos(T::nan()).is_nan());
  EXPECT_TRUE(pow(T(2), T(10)) == T(1024));
  EXPECT_TRUE(exp(T(-1e9)) >= T(0) && exp(T(-1e9)) < T(1e-300));
}

TYPED_TEST(BigFloatTest, FunctionsToFortyDigits) {
  using T = TypeParam;
  EXPECT_EQ(exp(T(1)).to_string(40), "2.718281828459045235360287471352662497757");
  EXPECT_EQ(T::pi().to_string(40), "3.141592653589793238462643383279502884197");
  EXPECT_EQ(log(T(2)).to_string(40), "0.6931471805599453094172321214581765680755");
  EXPECT_EQ(sin(T(1)).to_string(40), "0.8414709848078965066525023216302989996226");
  EXPECT_EQ(cos(T(1)).to_string(40), "0.5403023058681397174009366074429766037323");
  EXPECT_EQ(sqrt(T(2)).to_string(40), "1.41421356237309504880168872420969807857");
  EXPECT_EQ(pow(T(10000), T(0.75)).to_double(), 1000);
  // Far from the first period.
  EXPECT_EQ(sin(T(163550)).to_string(20), "-0.96709318210628486365");
}

TYPED_TEST(BigFloatTest, DecimalsAreNearest) {
  using T = TypeParam;
  const T tenth = T::from_decimal("0.1");
  EXPECT_TRUE(abs(tenth * T(10) - T(1)) <= T(1).scaled_by_power_of_two(2 - T::kBits));
  EXPECT_FALSE(tenth == T(0.1));
  EXPECT_EQ(T::from_decimal("-3").to_double(), -3);
  EXPECT_TRUE(T::from_decimal("1e-20") * T::from_decimal("1e20") - T(1) <= T(1e-45));
  EXPECT_EQ(T::from_decimal("2.5e3").to_double(), 2500);
  EXPECT_DEATH(T::from_decimal("1,5"), "1,5");
  EXPECT_DEATH(T::from_decimal(""), "");
}

TYPED_TEST(BigFloatTest, LimbsRoundToOdd) {
  using T = TypeParam;
  const std::array<unsigned long long, 7> limbs{1, 0, 0, 0, 0, 0, 1};
  const T whole = T::from_limbs(false, limbs.data(), 7, -384, false);
  // Cut off, but not to 1: the last bit stands for the rest.
  EXPECT_TRUE(whole == T(1) + T(1).scaled_by_power_of_two(1 - T::kBits));
  EXPECT_TRUE(T::from_limbs(true, limbs.data(), 7, -384, false) == -whole);
  EXPECT_TRUE(T::from_limbs(false, limbs.data(), 1, 0, true) == whole);
  EXPECT_TRUE(T::from_limbs(false, limbs.data(), 1, 0, false) == T(1));
  EXPECT_TRUE(T::from_limbs(false, limbs.data(), 2, -64, false) == T(1));
  EXPECT_TRUE(T::from_limbs(false, nullptr, 0, 0, false).is_zero());
  const std::array<unsigned long long, 2> ones{~0ull, ~0ull};
  EXPECT_TRUE(T::from_limbs(false, ones.data(), 2, -128, false) ==
              T(1) - T(1).scaled_by_power_of_two(-128));
}

TYPED_TEST(BigFloatTest, ToDoubleIsNearestEven) {
  using T = TypeParam;
  const T ulp = 0x1p-52, tiny = T(1).scaled_by_power_of_two(-150);
  const T half = T(0x1p-53);
  EXPECT_EQ((T(1) + half).to_double(), 1);
  EXPECT_EQ((T(1) + half + tiny).to_double(), 1 + 0x1p-52);
  EXPECT_EQ((T(1) + half - tiny).to_double(), 1);
  EXPECT_EQ((T(1) + ulp + half).to_double(), 1 + 0x1p-51);
  EXPECT_EQ((T(1) + ulp + half - tiny).to_double(), 1 + 0x1p-52);
  EXPECT_EQ((-(T(1) + ulp + half)).to_double(), -1 - 0x1p-51);
  // Subnormal doubles round at 2^-1074, not at 53 bits.
  const T unit = 0x1p-1074;
  EXPECT_EQ((unit * T(1.5)).to_double(), 0x1p-1073);
  EXPECT_EQ((unit * T(2.5)).to_double(), 0x1p-1073);
  EXPECT_EQ((unit * (T(2.5) + tiny)).to_double(), 0x1.8p-1073);
  EXPECT_EQ((unit * T(0.5)).to_double(), 0);
  EXPECT_EQ((unit * (T(0.5) + tiny)).to_double(), 0x1p-1074);
  // 53 bits above the subnormal border, rounded in one step.
  const T below_normal = T(0x1p-1022) - unit * (T(0.25));
  EXPECT_EQ(below_normal.to_double(), 0x1p-1022);
  EXPECT_EQ((T(0x1.8p-1040) + unit * (T(0.5) - tiny)).to_double(), 0x1.8p-1040);
  const T max = std::numeric_limits<double>::max();
  EXPECT_EQ((max + T(0x1p969)).to_double(), std::numeric_limits<double>::max());
  EXPECT_EQ((max + T(0x1p970)).to_double(), kInfinity);
  EXPECT_EQ((-max - T(0x1p970)).to_double(), -kInfinity);
  EXPECT_EQ(T(1).scaled_by_power_of_two(5000).to_double(), kInfinity);
  EXPECT_EQ(T(1).scaled_by_power_of_two(-5000).to_double(), 0);
}

TYPED_TEST(BigFloatTest, ExponentAndScaling) {
  using T = TypeParam;
  EXPECT_EQ(T(1).exponent(), 0);
  EXPECT_EQ(T(-255).exponent(), 7);
  EXPECT_EQ(T(256).exponent(), 8);
  EXPECT_EQ(T(0x1p-1074).exponent(), -1074);
  EXPECT_EQ((T(1) - T(1).scaled_by_power_of_two(-T::kBits)).exponent(), -1);
  EXPECT_TRUE(T(3).scaled_by_power_of_two(-3000).scaled_by_power_of_two(3001) == T(6));
  EXPECT_DEATH((void)T(0).exponent(), "");
}

TYPED_TEST(BigFloatTest, IntegersHalfEvenFloorCeil) {
  using T = TypeParam;
  const T tiny = T(1).scaled_by_power_of_two(-150);
  struct Row {
    double v, nearest, above;
  };
  for (const Row& row : {Row{0.5, 0, 1}, Row{1.5, 2, 2}, Row{2.5, 2, 3}, Row{-0.5, 0, 0},
                         Row{-1.5, -2, -1}, Row{-2.5, -2, -2}, Row{-3.5, -4, -3}}) {
    EXPECT_EQ(T(row.v).rounded_half_even().to_double(), row.nearest) << row.v;
    EXPECT_EQ((T(row.v) + tiny).rounded_half_even().to_double(), row.above) << row.v;
    EXPECT_EQ((T(row.v) - tiny).rounded_half_even().to_double(), row.above - 1) << row.v;
  }
  EXPECT_TRUE(T(-0.25).rounded_half_even().is_negative());
  EXPECT_EQ(T(-1.5).floor().to_double(), -2);
  EXPECT_EQ(T(-1.5).ceil().to_double(), -1);
  EXPECT_EQ((T(3) - tiny).floor().to_double(), 2);
  const T large = T(1).scaled_by_power_of_two(T::kBits + 20);
  EXPECT_TRUE(large.rounded_half_even() == large);
}

TEST(BigFloat, WidthsConvertExactlyOrNearest) {
  const Real third = Real(1) / Real(3);
  EXPECT_TRUE(Real(RealWide(third)) == third);
  const RealWide wide = RealWide(1) / RealWide(3);
  EXPECT_TRUE(Real(wide) == third);
  EXPECT_TRUE(RealWide(Real::nan()).is_nan());
  EXPECT_TRUE(Real(-RealWide::infinity()).is_infinite());
}

}  // namespace
}  // namespace plumb
