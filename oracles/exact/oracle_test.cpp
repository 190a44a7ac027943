// SPDX-License-Identifier: Apache-2.0
// The oracle's own parts against values worked out by hand.
#include "oracles/exact/oracle.h"

#include <gtest/gtest.h>

#include <cmath>

#include "oracles/exact/element.h"
#include "oracles/exact/enclosure.h"
#include "oracles/exact/rounding.h"

namespace plumb::oracles {
namespace {

Rational q(const char* text) { return Rational::from_text(text); }

TEST(Rational, ReadsFractionsAndDecimals) {
  EXPECT_EQ(q("-1.5e-3").text(), "-3/2000");
  EXPECT_EQ(q("6/8").text(), "3/4");
  EXPECT_EQ(Rational::shortest_decimal(1e-6).text(), "1/1000000");
  EXPECT_EQ(Rational::shortest_decimal(2.5).text(), "5/2");
}

TEST(Rational, ExponentIsTheFloorOfTheLogarithm) {
  EXPECT_EQ(q("1").exponent(), 0);
  EXPECT_EQ(q("7/8").exponent(), -1);
  EXPECT_EQ(q("-255").exponent(), 7);
  EXPECT_EQ(q("256").exponent(), 8);
  EXPECT_EQ(q("1/3").exponent(), -2);
}

TEST(Rational, NearestIntegerTakesTheEvenOneOnTies) {
  EXPECT_EQ(q("5/2").nearest_integer().text(), "2");
  EXPECT_EQ(q("7/2").nearest_integer().text(), "4");
  EXPECT_EQ(q("-5/2").nearest_integer().text(), "-2");
  EXPECT_EQ(q("-7/2").nearest_integer().text(), "-4");
  EXPECT_EQ(q("-251/100").nearest_integer().text(), "-3");
}

TEST(Rounding, GoesToTheEvenNeighbourAndOverWhereTheFormatEnds) {
  EXPECT_EQ(rounded(q("257/256"), Target::kBf16).rational().text(), "1");
  EXPECT_EQ(rounded(q("259/256"), Target::kBf16).rational().text(), "65/64");
  EXPECT_EQ(rounded(q("464"), Target::kE4m3).rational().text(), "448");
  EXPECT_EQ(rounded(q("1e9"), Target::kE4m3).rational().text(), "448");
  EXPECT_EQ(rounded(q("1/1024"), Target::kE4m3).rational().text(), "0");
  EXPECT_EQ(rounded(q("3/1024"), Target::kE4m3).rational().text(), "1/256");
  EXPECT_EQ(rounded(q("-4e38"), Target::kF32).kind(), Number::Kind::kMinusInfinity);
  const Rational half_ulp_over = Rational::dyadic(0x1FFFFFF, 103);
  EXPECT_EQ(rounded(half_ulp_over, Target::kF32).kind(), Number::Kind::kPlusInfinity);
}

TEST(Rounding, OfABallOverATieIsUndecided) {
  // exp of something so small that the ball around 1 + 2^-8 + tiny reaches over the tie.
  const Number tiny = exp(Number(Rational::dyadic(-1, 30)));
  EXPECT_EQ(rounded(Number(q("257/256")) + tiny, Target::kBf16).kind(), Number::Kind::kUndecided);
  const Number small = exp(Number(-40));
  EXPECT_EQ(rounded(Number(q("257/256")) + small, Target::kBf16).rational().text(), "129/128");
  EXPECT_EQ(rounded(Number(q("257/256")) - small, Target::kBf16).rational().text(), "1");
}

TEST(Element, DecodesEveryE4m3CodeOfTheTable) {
  AnyTensor t = AnyTensor::zeros(Dtype::kFp8E4m3fn, {256});
  for (int i = 0; i < 256; ++i) t.bytes()[i] = static_cast<std::byte>(i);
  Rational sum, squares;
  for (Index i = 1; i < 0x7F; ++i) {
    const Rational v = element(t, i).rational();
    EXPECT_EQ(v, Rational(0) - element(t, i + 128).rational());
    sum = sum + v;
    squares = squares + v * v;
  }
  EXPECT_EQ(sum.text(), "43263/8");
  EXPECT_EQ(squares.text(), "41663419705/32768");
  EXPECT_EQ(element(t, 0x7F).kind(), Number::Kind::kNan);
  EXPECT_EQ(element(t, 0xFF).kind(), Number::Kind::kNan);
}

TEST(Element, DecodesBinary32AsTheMachineDoes) {
  std::vector<float> values{1.0f, -0.1f, 0x1p-149f, -0x1.fffffcp-127f, 3.4028235e38f, 0.0f};
  const AnyTensor t = AnyTensor::of(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Enclosure e = enclosure(element(t, static_cast<Index>(i)));
    EXPECT_TRUE(holds(e, std::vector<Dyadic>{{values[i], 0}})) << values[i];
    EXPECT_FALSE(holds(e, std::vector<Dyadic>{{values[i], 0}, {1, -200}})) << values[i];
  }
  const AnyTensor odd = AnyTensor::of(std::vector<float>{INFINITY, -INFINITY, NAN});
  EXPECT_EQ(element(odd, 0).kind(), Number::Kind::kPlusInfinity);
  EXPECT_EQ(element(odd, 1).kind(), Number::Kind::kMinusInfinity);
  EXPECT_EQ(element(odd, 2).kind(), Number::Kind::kNan);
}

TEST(Element, DecodesBinary64AsTheMachineDoes) {
  const std::vector<double> values{0.1, -1.0, 0x1p-1074, 0x1.fffffffffffffp1023, 0.0};
  const AnyTensor t = AnyTensor::of(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Number n = element(t, static_cast<Index>(i));
    EXPECT_TRUE(holds(enclosure(n), std::vector<Dyadic>{{values[i], 0}})) << values[i];
    EXPECT_EQ(rounded(n, Target::kF64).rational(), n.rational());
  }
  EXPECT_EQ(rounded(q("1/10"), Target::kF64).rational(), element(t, 0).rational());
}

TEST(Number, PowersAreRationalWhereTheExponentIsWhole) {
  EXPECT_EQ(pow(Number(q("3/2")), q("-2")).rational().text(), "4/9");
  const Number hundred = pow(Number(10000), q("1/2"));
  EXPECT_EQ(hundred.kind(), Number::Kind::kBall);
  EXPECT_EQ(rounded(hundred, Target::kF64).rational().text(), "100");
}

TEST(Selection, AdmitsAnyPartOfTheLastTieAndNothingElse) {
  const std::vector<Number> scores{q("1"), q("3"), q("1"), q("2"), q("1")};
  const ExactSelection s = ranked("ids", 0, 3, scores);
  EXPECT_TRUE(s.admits(std::vector<Index>{3, 1, 0}));
  EXPECT_TRUE(s.admits(std::vector<Index>{4, 3, 1}));
  EXPECT_FALSE(s.admits(std::vector<Index>{0, 2, 1}));
  EXPECT_FALSE(s.admits(std::vector<Index>{1, 1, 3}));
  EXPECT_FALSE(s.admits(std::vector<Index>{1, 3}));
}

TEST(RmsNormOracle, GivesRecord23ToSixtyDigits) {
  StageCall call{"rms_norm", {}, {{"eps", 1e-6}}, {}};
  call.set("x", AnyTensor::of(std::vector<float>{1, 2, 3, 4}).reshaped({1, 4}));
  call.set("gain", AnyTensor::of(std::vector<float>{0.5, 1, 2, -1}));
  const ExactOutput out = find_oracle("rms_norm")->compute(call, "real");
  const Enclosure& e = out.tensor("y").elements[1];
  const Rational low = q(e.low.c_str());
  const Rational high = q(e.high.c_str());
  EXPECT_TRUE(high - low < q("1e-60"));
  // The printed digits are cut off, so the value lies within one unit of the last.
  EXPECT_TRUE((low - q("0.730296694653776797238942")).magnitude() < q("1e-24"));
}

TEST(RmsNormOracle, IsExactWhereTheRootIsRational) {
  StageCall call{"rms_norm", {}, {{"eps", 0.0}}, {}};
  call.set("x", AnyTensor::of(std::vector<float>{1, 7}).reshaped({1, 2}));
  call.set("gain", AnyTensor::of(std::vector<float>{1, 1}));
  const ExactOutput out = find_oracle("rms_norm")->compute(call, "real");
  EXPECT_EQ(out.tensor("y").elements[0].low, "1/5");
  EXPECT_EQ(out.tensor("y").elements[1].high, "7/5");
}

}  // namespace
}  // namespace plumb::oracles
