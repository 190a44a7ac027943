// SPDX-License-Identifier: Apache-2.0
// Attacks on the comparator: each is a way in which a wrong tensor has passed somebody's
// comparison.
#include "conformance/compare/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace plumb::conformance {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Comparison one(double got, Wanted want, bool signed_zero = false) {
  return compare_numbers(std::vector{got}, std::vector{want}, signed_zero);
}

bool passes(double got, Wanted want, bool signed_zero = false) {
  const Comparison c = one(got, want, signed_zero);
  EXPECT_EQ(c.judged, 1);
  EXPECT_EQ(c.failed > 0, c.worst_ratio > 1);
  EXPECT_EQ(c.failed > 0, !c.reason.empty());
  EXPECT_EQ(c.failed > 0, c.first_failed == 0);
  return c.failed == 0;
}

// want[i] = i + 1, budget 1/8 each.
std::vector<Wanted> ramp(std::size_t n) {
  std::vector<Wanted> wanted(n);
  for (std::size_t i = 0; i < n; ++i) wanted[i] = {static_cast<double>(i + 1), 0.125};
  return wanted;
}

std::vector<double> values_of(const std::vector<Wanted>& wanted) {
  std::vector<double> values;
  for (const Wanted& w : wanted) values.push_back(w.value);
  return values;
}

TEST(Compare, NanIsNoWildcard) {
  EXPECT_TRUE(passes(kNan, {kNan, 0}));
  EXPECT_TRUE(passes(-kNan, {kNan, kInf}));
  EXPECT_FALSE(passes(kNan, {1, 1e300}));
  EXPECT_FALSE(passes(kNan, {0, 0}));
  EXPECT_FALSE(passes(1, {kNan, 1e300}));
  EXPECT_FALSE(passes(1, {kNan, kInf}));
  EXPECT_FALSE(passes(kInf, {kNan, kInf}));
  EXPECT_FALSE(passes(kNan, {kInf, 0}));
  EXPECT_FALSE(passes(kNan, {kInf, 0, true}));
  EXPECT_FALSE(passes(kNan, {1, 1, true}));
}

TEST(Compare, InfinitiesMatchBySign) {
  EXPECT_TRUE(passes(kInf, {kInf, 0}));
  EXPECT_TRUE(passes(-kInf, {-kInf, kInf}));
  EXPECT_FALSE(passes(kInf, {-kInf, kInf}));
  EXPECT_FALSE(passes(-kInf, {kInf, 1}));
  EXPECT_FALSE(passes(1e308, {kInf, kInf}));
  EXPECT_FALSE(passes(kInf, {1e308, 1e308}));
  EXPECT_FALSE(passes(-1e308, {1e308, 1.7e308})) << "the difference overflows";
}

TEST(Compare, OverflowIsAdmittedOnlyWhereSaidAndOnlyOfTheRightSign) {
  EXPECT_TRUE(passes(kInf, {3e38, 1e30, true}));
  EXPECT_TRUE(passes(3e38, {3e38, 1e30, true}));
  EXPECT_FALSE(passes(-kInf, {3e38, 1e30, true}));
  EXPECT_FALSE(passes(2e38, {3e38, 1e30, true}));
  EXPECT_TRUE(passes(kInf, {kInf, 0, true}));
  EXPECT_FALSE(passes(3e38, {kInf, 0, true}));
}

TEST(Compare, SignsOfZeroCountOnlyIfDeclaredAndOnlyWithoutABudget) {
  EXPECT_TRUE(passes(-0.0, {0.0, 0}));
  EXPECT_TRUE(passes(0.0, {-0.0, 0}));
  EXPECT_FALSE(passes(-0.0, {0.0, 0}, true));
  EXPECT_FALSE(passes(0.0, {-0.0, 0}, true));
  EXPECT_TRUE(passes(-0.0, {-0.0, 0}, true));
  EXPECT_TRUE(passes(0.0, {0.0, 0}, true));
  EXPECT_TRUE(passes(-0.0, {0.0, 1e-9}, true)) << "a candidate may come from below";
}

TEST(Compare, BudgetZeroAdmitsTheSameBitsOnly) {
  EXPECT_TRUE(passes(1, {1, 0}));
  EXPECT_FALSE(passes(std::nextafter(1, 2), {1, 0}));
  EXPECT_FALSE(passes(std::nextafter(1, 0), {1, 0}));
  EXPECT_FALSE(passes(5e-324, {0, 0}));
}

TEST(Compare, TheEdgeOfTheBudgetIsInsideAndExact) {
  EXPECT_TRUE(passes(1.25, {1, 0.25}));
  EXPECT_TRUE(passes(0.75, {1, 0.25}));
  EXPECT_FALSE(passes(std::nextafter(1.25, 2), {1, 0.25}));
  EXPECT_FALSE(passes(std::nextafter(0.75, 0), {1, 0.25}));
  // 1 + 2^-60 - 0 is not a double; the rounded difference would be 1 and pass.
  EXPECT_FALSE(passes(1, {-0x1p-60, 1}));
  EXPECT_FALSE(passes(-1, {0x1p-60, 1}));
  EXPECT_TRUE(passes(1, {0x1p-60, 1}));
  EXPECT_TRUE(passes(-1, {-0x1p-60, 1}));
}

TEST(Compare, InfiniteBudgetIsNeverASilentPass) {
  for (double got : {1.0, kNan, kInf}) {
    const Comparison c = one(got, {1, kInf});
    EXPECT_EQ(c.judged, 0);
    EXPECT_EQ(c.unbounded, 1);
    EXPECT_EQ(c.failed, 0);
    EXPECT_EQ(decide(c, true).ruling, Ruling::kVacuous);
  }
  EXPECT_EQ(one(7, {kInf, kInf, true}).unbounded, 1) << "the interval holds finite values too";
}

TEST(Compare, UnusableElementsAreNotJudged) {
  const Wanted unusable{1, kNan, false, false, false};
  const Comparison c =
      compare_numbers(std::vector{99.0, 2.0}, std::vector{unusable, Wanted{2, 0}}, false);
  EXPECT_EQ(c.unusable, 1);
  EXPECT_EQ(c.judged, 1);
  EXPECT_EQ(c.failed, 0);
  EXPECT_EQ(decide(one(1, unusable), false).ruling, Ruling::kUntested);
}

TEST(Compare, LooseElementsAreJudgedAndCounted) {
  const Comparison good = one(1, {1, 0.5, false, true});
  EXPECT_EQ(good.loose, 1);
  EXPECT_EQ(good.judged, 1);
  EXPECT_EQ(good.failed, 0);
  EXPECT_EQ(one(2, {1, 0.5, false, true}).failed, 1);
}

TEST(CompareDeathTest, BudgetThatIsNoBudgetIsABrokenPromise) {
  EXPECT_DEATH((void)one(1, {1, kNan}), "budget");
  EXPECT_DEATH((void)one(kNan, {kNan, kNan}), "budget");
  EXPECT_DEATH((void)one(1, {1, -1}), "budget");
}

TEST(Compare, ZeroedRowAmongThousands) {
  const std::size_t width = 64;
  const auto wanted = ramp(4096 * width);
  auto got = values_of(wanted);
  for (std::size_t d = 0; d < width; ++d) got[4000 * width + d] = 0;
  const Comparison c = compare_numbers(got, wanted, false);
  EXPECT_EQ(c.failed, 64);
  EXPECT_EQ(c.first_failed, 4000 * 64);
  EXPECT_EQ(decide(c, false).ruling, Ruling::kFail);
}

TEST(Compare, OneElementAmongMillions) {
  const auto wanted = ramp(3'000'000);
  auto got = values_of(wanted);
  EXPECT_EQ(decide(compare_numbers(got, wanted, false), false).ruling, Ruling::kPass);
  for (std::size_t at : {std::size_t{0}, std::size_t{1'234'567}, wanted.size() - 1}) {
    auto wrong = got;
    wrong[at] += 0.126;
    const Comparison c = compare_numbers(wrong, wanted, false);
    EXPECT_EQ(c.failed, 1);
    EXPECT_EQ(c.first_failed, static_cast<Index>(at));
    EXPECT_EQ(c.worst, static_cast<Index>(at));
    EXPECT_EQ(c.got, wrong[at]);
    EXPECT_EQ(c.want, wanted[at].value);
    EXPECT_EQ(c.budget, 0.125);
    EXPECT_EQ(decide(c, false).ruling, Ruling::kFail);
  }
}

TEST(Compare, SwappedElements) {
  const auto wanted = ramp(100);
  auto got = values_of(wanted);
  std::swap(got[3], got[90]);
  const Comparison c = compare_numbers(got, wanted, false);
  EXPECT_EQ(c.failed, 2);
  EXPECT_EQ(c.first_failed, 3);
}

TEST(Compare, EachElementHasItsOwnBudget) {
  // A tolerance that is a mean or a maximum over the tensor would pass the second element.
  const std::vector<Wanted> wanted{{1, 100}, {2, 0.001}, {3, 100}};
  const Comparison c = compare_numbers(std::vector{50.0, 2.01, 3.0}, wanted, false);
  EXPECT_EQ(c.failed, 1);
  EXPECT_EQ(c.first_failed, 1);
  EXPECT_NEAR(c.worst_ratio, 10, 1e-9);
  EXPECT_EQ(c.worst, 1);
}

TEST(Compare, WrongLengthFails) {
  const auto wanted = ramp(4);
  auto got = values_of(wanted);
  got.pop_back();
  const Comparison shorter = compare_numbers(got, wanted, false);
  EXPECT_EQ(decide(shorter, false).ruling, Ruling::kFail);
  EXPECT_EQ(shorter.reason, "3 elements where 4 are wanted");
  got = {1, 2, 3, 4, 5};
  EXPECT_EQ(decide(compare_numbers(got, wanted, false), false).ruling, Ruling::kFail);
  EXPECT_EQ(decide(compare_numbers({}, wanted, false), false).ruling, Ruling::kFail);
  EXPECT_EQ(decide(compare_numbers(got, {}, false), false).ruling, Ruling::kFail);
}

TEST(Compare, EmptyOutputIsVacuous) {
  const Comparison c = compare_numbers({}, {}, false);
  EXPECT_EQ(decide(c, false).ruling, Ruling::kVacuous);
  EXPECT_EQ(decide(c, true).ruling, Ruling::kVacuous);
  EXPECT_EQ(decide(Comparison{}, false).ruling, Ruling::kVacuous);
}

TEST(Compare, Statistics) {
  const std::vector<Wanted> wanted{{1, 0.5}, {-8, 2}, {2, 1}, {-kInf, 0}, {4, 4}};
  const Comparison c = compare_numbers(std::vector{1.25, -7.0, 2.75, -kInf, 4.0}, wanted, false);
  EXPECT_EQ(c.judged, 5);
  EXPECT_EQ(c.worst_ratio, 0.75);
  EXPECT_EQ(c.worst, 2);
  EXPECT_EQ(c.worst_error, 0.75);
  EXPECT_EQ(c.worst_budget, 1);
  EXPECT_EQ(c.largest_want, 8);
  EXPECT_EQ(c.median_budget, 1);
}

TEST(Compare, FailureBeyondRoundingOfTheRatioStillShowsInIt) {
  const Comparison c = one(1, {-0x1p-60, 1});
  EXPECT_EQ(c.failed, 1);
  EXPECT_GT(c.worst_ratio, 1);
}

TEST(CompareIntegers, EqualOrNot) {
  const std::int64_t big = (std::int64_t{1} << 53) + 1;
  EXPECT_EQ(compare_integers(std::vector{big}, std::vector{big}).failed, 0);
  const Comparison c = compare_integers(std::vector{big - 1, big}, std::vector{big, big});
  EXPECT_EQ(c.failed, 1) << "the two are one double";
  EXPECT_EQ(c.first_failed, 0);
  EXPECT_EQ(c.reason, "9007199254740992 where 9007199254740993 is wanted");
  EXPECT_GT(c.worst_ratio, 1);
  EXPECT_EQ(compare_integers({}, std::vector{big}).failed, 1);
}

TEST(Decide, OneValueInNineTenthsIsVacuous) {
  std::vector<Wanted> wanted = ramp(100);
  for (std::size_t i = 0; i < 90; ++i) wanted[i].value = i % 2 == 0 ? 0.0 : -0.0;
  Comparison c = compare_numbers(values_of(wanted), wanted, false);
  EXPECT_EQ(c.majority_share, 0.9);
  EXPECT_EQ(decide(c, false).ruling, Ruling::kVacuous);
  EXPECT_EQ(decide(c, true).ruling, Ruling::kPass);
  wanted[0].value = 5;
  c = compare_numbers(values_of(wanted), wanted, false);
  EXPECT_EQ(decide(c, false).ruling, Ruling::kPass);
  const std::vector<Wanted> nans(20, {kNan, 0});
  EXPECT_EQ(decide(compare_numbers(values_of(nans), nans, false), false).ruling, Ruling::kVacuous);
  const std::vector<std::int64_t> same(20, 3);
  EXPECT_EQ(decide(compare_integers(same, same), false).ruling, Ruling::kVacuous);
}

TEST(Decide, WrongIsWrongEvenWhereARightOneWouldBeVacuous) {
  std::vector<Wanted> wanted(100, {0, 0});
  auto got = values_of(wanted);
  got[99] = 1;
  EXPECT_EQ(decide(compare_numbers(got, wanted, false), false).ruling, Ruling::kFail);
}

TEST(Decide, ALoneElementIsNoRepetitionUnlessItIsZero) {
  EXPECT_EQ(decide(one(3, {3, 0}), false).ruling, Ruling::kPass);
  EXPECT_EQ(decide(one(0, {0, 0}), false).ruling, Ruling::kVacuous);
}

TEST(Decide, FewJudgedAreVacuous) {
  std::vector<Wanted> wanted = ramp(100);
  const auto got = values_of(wanted);
  for (std::size_t i = 0; i < 90; ++i) wanted[i].budget = kInf;
  EXPECT_EQ(decide(compare_numbers(got, wanted, false), false).ruling, Ruling::kPass);
  wanted[90].budget = kInf;
  EXPECT_EQ(decide(compare_numbers(got, wanted, false), false).ruling, Ruling::kVacuous);
  for (Wanted& w : wanted) w.usable = false;
  EXPECT_EQ(decide(compare_numbers(got, wanted, false), false).ruling, Ruling::kUntested);
}

TEST(CompareOrders, EqualKeysMayStandInAnyOrderAndNothingElse) {
  const std::vector<std::int64_t> keys{2, 0, 2, 1};
  const auto failed = [&](std::vector<std::int64_t> got) {
    return compare_orders(got, keys).failed;
  };
  EXPECT_EQ(failed({1, 3, 0, 2}), 0);
  EXPECT_EQ(failed({1, 3, 2, 0}), 0);
  EXPECT_GT(failed({3, 1, 0, 2}), 0);  // not sorted
  EXPECT_GT(failed({1, 3, 0, 0}), 0);  // a position twice
  EXPECT_GT(failed({1, 3, 0, 4}), 0);  // out of range
  EXPECT_GT(failed({1, 3, 0, -1}), 0);
  EXPECT_GT(failed({1, 3, 0}), 0);
}

}  // namespace
}  // namespace plumb::conformance
