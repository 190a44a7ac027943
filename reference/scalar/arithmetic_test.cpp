// SPDX-License-Identifier: Apache-2.0
#include "reference/scalar/arithmetic.h"

#include <gtest/gtest.h>

namespace plumb {
namespace {

Reading with(Slot slot, const Format& format) {
  Reading r{"test", "", {}, {}};
  r.formats[static_cast<std::size_t>(slot)] = format;
  return r;
}

TEST(Tracked, ATieThatIsKnownToBeOneIsNotOpen) {
  const Contract contract;
  const Tracked a(Real(257.0 / 256), &contract), b(Real(1.5), &contract);
  EXPECT_EQ(round_to(kBf16, a * Tracked(1)).slack, 0);
  EXPECT_EQ(round_to(kBf16, Tracked(1) + Tracked(1.0 / 256)).slack, 0);
  EXPECT_EQ(round_to(kBf16, Tracked(257.0 / 256 * 3) / Tracked(3)).slack, 0);
  // 1 + 2^-8 as a sum that 50 digits cannot hold: the cut-off rest could lie on either side.
  const Tracked rest = Tracked(Real(0x1p-180), nullptr);
  EXPECT_EQ(round_to(kBf16, a + rest).slack, 0x1p-7);
  // A third of 257/256 times 3 is that only within the last bits of 50 digits.
  EXPECT_EQ(round_to(kBf16, Tracked(257.0 / 256) / Tracked(3) * Tracked(3)).slack, 0x1p-7);
  EXPECT_EQ(round_to(kF32, a * b).slack, 0);
  EXPECT_EQ((Tracked(3) / Tracked(4)).slack, 0);
  EXPECT_GT((Tracked(1) / Tracked(3)).slack, 0);
}

TEST(Arithmetic, StepwiseOperationsAreTheReadings) {
  const Contract contract;
  const Reading rounds = with(Slot::kFrequency, kF32);
  const Arithmetic arithmetic{rounds, contract};
  const Tracked x = stepwise(arithmetic, Slot::kFrequency, lifted<Tracked>(arithmetic, 3));
  EXPECT_EQ(stored(arithmetic, Slot::kFrequency, "", Tracked(1) / x).error, 0);
  const Tracked y = stepwise(arithmetic, Slot::kAngle, lifted<Tracked>(arithmetic, 3));
  EXPECT_GT((Tracked(1) / y).error, 0x1p-26);
}

TEST(Arithmetic, EvaluatedFunctionsAreOffByUlpsOfTheSlot) {
  const Contract contract;
  const Reading rounds = with(Slot::kScalar, kF64);
  const Arithmetic arithmetic{rounds, contract};
  const auto logarithm = [](const Tracked& v) { return log(v); };
  const Tracked in_double = evaluated(arithmetic, Slot::kScalar, logarithm, Tracked(40));
  EXPECT_GT(in_double.error, 0x1p-51 * 3.68);
  EXPECT_LT(in_double.error, 0x1p-51 * 3.70);
  EXPECT_EQ(in_double.contract, nullptr);
  const Tracked in_single = evaluated(arithmetic, Slot::kAngle, logarithm, Tracked(40));
  EXPECT_GT(in_single.error, 0x1p-22 * 3.68);
  EXPECT_EQ(in_single.contract, &contract);
}

TEST(Arithmetic, HeldScalarsMayBeRoundedOnce) {
  const Contract contract;
  const Reading rounds = with(Slot::kScalar, kF64);
  const Arithmetic arithmetic{rounds, contract};
  EXPECT_EQ(held(arithmetic, Tracked(1)).error, 0);
  EXPECT_EQ(held(arithmetic, Tracked(1 + 0x1p-24)).error, 0x1p-24);
}

TEST(Arithmetic, AConstantIsItsDecimalWhereNothingRounds) {
  const Contract contract;
  const Reading exact{"test", "", {}, {}};
  const Reading rounds = with(Slot::kScalar, kF64);
  EXPECT_TRUE(constant<Real>({exact, contract}, 0.1, Slot::kScalar) == Real::from_decimal("0.1"));
  EXPECT_TRUE(constant<Real>({rounds, contract}, 0.1, Slot::kScalar) == Real(0.1));
  EXPECT_TRUE(constant<Real>({rounds, contract}, 0.1) == Real::from_decimal("0.1"));
}

}  // namespace
}  // namespace plumb
