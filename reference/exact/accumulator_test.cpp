// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/accumulator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace plumb::exact {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double sum_of(std::initializer_list<double> values) {
  Accumulator a;
  for (double v : values) a.add(v);
  return a.to_double();
}

TEST(Accumulator, RoundsOnceToTheNearestEvenDouble) {
  EXPECT_EQ(sum_of({}), 0);
  EXPECT_EQ(sum_of({1, 0x1p-53}), 1);
  EXPECT_EQ(sum_of({1, 0x1p-53, 0x1p-1074}), 1 + 0x1p-52);
  EXPECT_EQ(sum_of({1, 0x1p-52, 0x1p-53}), 1 + 0x1p-51);
  EXPECT_EQ(sum_of({1, 0x1p-52, 0x1p-53, -0x1p-1074}), 1 + 0x1p-52);
  EXPECT_EQ(sum_of({-1, -0x1p-53, -0x1p-1074}), -1 - 0x1p-52);
  EXPECT_EQ(sum_of({2, -0x1p-53}), 2);
  EXPECT_EQ(sum_of({2, -0x1p-52}), 2 - 0x1p-52);
  EXPECT_EQ(sum_of({1e300, 1, -1e300}), 1);
}

TEST(Accumulator, KeepsTheEndsOfTheRange) {
  constexpr double kMax = std::numeric_limits<double>::max();
  EXPECT_EQ(sum_of({kMax, kMax, -kMax}), kMax);
  EXPECT_EQ(sum_of({kMax, kMax}), kInfinity);
  EXPECT_EQ(sum_of({-kMax, -kMax}), -kInfinity);
  // Half of the last place more is the tie that overflows; anything less does not.
  EXPECT_EQ(sum_of({kMax, 0x1p970}), kInfinity);
  EXPECT_EQ(sum_of({kMax, 0x1p970, -0x1p-1074}), kMax);
  EXPECT_EQ(sum_of({0x1p-1074, 0x1p-1074}), 0x1p-1073);
  EXPECT_EQ(sum_of({0x1p-1022, -0x1p-1074}), 0x1p-1022 - 0x1p-1074);
}

TEST(Accumulator, ProductsBelowTheSmallestDoubleAreKept) {
  Accumulator a;
  a.add_product(0x1p-1074, 0x1p-1074);
  EXPECT_EQ(a.to_double(), 0);
  EXPECT_TRUE(a.to_wide<Real>() == Real(1).scaled_by_power_of_two(-2148));
  a.add_product(0x1.8p-537, 0x1p-537);  // 1.5 units of the smallest double
  EXPECT_EQ(a.to_double(), 0x1p-1073);
  a.add_product(-0x1p-538, 0x1p-537);  // half a unit, and 2^-2148
  EXPECT_EQ(a.to_double(), 0x1p-1074);
}

TEST(Accumulator, ProductsOfAllWidths) {
  Accumulator a;
  const double wide = 1 + 0x1p-52;
  a.add_product(wide, wide);
  a.add(-1);
  a.add(-0x1p-51);
  EXPECT_EQ(a.to_double(), 0x1p-104);
  a.add_product(1e300, 1e300);
  a.add_product(-1e300, 1e300);
  EXPECT_EQ(a.to_double(), 0x1p-104);
}

TEST(Accumulator, AnswersTwiceAndGoesOn) {
  Accumulator a;
  a.add(-3);
  EXPECT_EQ(a.to_wide<Real>().to_double(), -3);
  EXPECT_EQ(a.to_wide<RealWide>().to_double(), -3);
  a.add(5);
  EXPECT_EQ(a.to_double(), 2);
  EXPECT_EQ(a.to_double(), 2);
}

TEST(Accumulator, SpecialsFollowIeee) {
  const double nan = std::nan("");
  EXPECT_EQ(sum_of({1, kInfinity, 2}), kInfinity);
  EXPECT_EQ(sum_of({-kInfinity, 1e308}), -kInfinity);
  EXPECT_TRUE(std::isnan(sum_of({kInfinity, -kInfinity})));
  EXPECT_TRUE(std::isnan(sum_of({nan, 1})));
  Accumulator a;
  a.add_product(kInfinity, 0);
  EXPECT_TRUE(std::isnan(a.to_double()));
  EXPECT_TRUE(a.to_wide<Real>().is_nan());
}

// Three additions of all ones fill what a digit may hold; the fourth must carry first.
TEST(FixedPoint, CarriesBeforeADigitOverflows) {
  FixedPoint<0, 8, 3> few;
  FixedPoint<0, 8> many;
  const std::int64_t ones = 0x7FFFFFFFFFFFFFFFll;
  for (int i = 0; i < 1000; ++i) {
    few.add(i % 7 == 0 ? -ones : ones, i % 32);
    many.add(i % 7 == 0 ? -ones : ones, i % 32);
  }
  EXPECT_TRUE(few.to_wide<RealWide>() == many.to_wide<RealWide>());
  EXPECT_GT(few.to_double(), 0);
}

TEST(FixedPoint, LimbBordersAndRounding) {
  for (int exponent = 0; exponent < 130; ++exponent) {
    FixedPoint<-64, 12> sum;
    sum.add((1ll << 53) + 1, exponent);  // 54 bits: a tie
    EXPECT_EQ(sum.to_double(), std::ldexp(1.0, 53 + exponent)) << exponent;
    sum.add(1, -64);
    EXPECT_EQ(sum.to_double(), std::ldexp(1.0, 53 + exponent) + std::ldexp(2.0, exponent))
        << exponent;
    sum.add(-1, -64);
    sum.add(-1, -64);
    EXPECT_EQ(sum.to_double(), std::ldexp(1.0, 53 + exponent)) << exponent;
  }
}

TEST(FixedPoint, WideAdditionsEqualTheirParts) {
  FixedPoint<-64, 12> whole;
  FixedPoint<-64, 12> parts;
  const __int128 v = (static_cast<__int128>(0x7123456789ABCDEFll) << 60) + 12345;
  for (int sign : {1, -1, -1}) {
    whole.add_wide(sign * v, 7);
    parts.add(sign * 0x7123456789ABCDEFll, 67);
    parts.add(sign * 12345, 7);
    EXPECT_TRUE(whole.to_wide<RealWide>() == parts.to_wide<RealWide>());
  }
  EXPECT_LT(whole.to_double(), 0);
}

}  // namespace
}  // namespace plumb::exact
