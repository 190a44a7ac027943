// SPDX-License-Identifier: Apache-2.0
// Attacks on the judge of selections.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "conformance/compare/compare.h"

namespace plumb::conformance {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

using Ids = std::vector<std::int64_t>;
using Scores = std::vector<ScoreInterval>;

SelectionRow judge(const Ids& chosen, const Scores& scores, TieRule ties = TieRule::kAny) {
  const SelectionRow row = judge_selection(chosen, scores, ties);
  EXPECT_EQ(row.admissible, row.failed == 0 && !row.untested);
  EXPECT_EQ(row.failed > 0, row.first_failed >= 0);
  EXPECT_EQ(row.admissible, row.reason.empty()) << row.reason;
  return row;
}

Scores exactly(std::initializer_list<double> values) {
  Scores scores;
  for (double v : values) scores.push_back({v, 0});
  return scores;
}

TEST(Selection, TheOrderOfASetIsFree) {
  const Scores scores = exactly({0.1, 0.9, 0.5, 0.7});
  EXPECT_TRUE(judge({1, 3}, scores).admissible);
  EXPECT_TRUE(judge({3, 1}, scores).admissible);
  EXPECT_DOUBLE_EQ(judge({3, 1}, scores).margin, 0.7 - 0.5);
}

TEST(Selection, SwappedMemberIsFoundAndNamed) {
  const SelectionRow row = judge({1, 2}, exactly({0.1, 0.9, 0.5, 0.7}));
  EXPECT_FALSE(row.admissible);
  EXPECT_EQ(row.failed, 1);
  EXPECT_EQ(row.first_failed, 1);
  EXPECT_EQ(row.flips, 1);
  EXPECT_EQ(row.reason, "2 (0.5 +- 0) chosen and 3 (0.7 +- 0) left out");
  EXPECT_EQ(judge({0, 2}, exactly({0.1, 0.9, 0.5, 0.7})).failed, 2);
}

TEST(Selection, DuplicatesFail) {
  const SelectionRow row = judge({1, 1}, exactly({0.1, 0.9, 0.5}));
  EXPECT_FALSE(row.admissible);
  EXPECT_EQ(row.first_failed, 1);
  EXPECT_FALSE(judge({1, 1}, exactly({0.9, 0.9, 0.9})).admissible);
  EXPECT_FALSE(judge({0, 0}, {{1, kInf}, {2, kInf}}).admissible);
}

TEST(Selection, OutOfRangeFails) {
  const Scores scores = exactly({0.1, 0.9, 0.5});
  for (std::int64_t bad : {std::int64_t{3}, std::int64_t{-1}, INT64_MAX, INT64_MIN}) {
    const SelectionRow row = judge({1, bad}, scores);
    EXPECT_FALSE(row.admissible) << bad;
    EXPECT_EQ(row.first_failed, 1) << bad;
    EXPECT_EQ(row.reason, "index " + std::to_string(bad) + " is out of range 0..2");
  }
  EXPECT_FALSE(judge({0, 1, 2, 3}, scores).admissible) << "k > n";
}

TEST(Selection, ExactTieByRule) {
  const Scores scores = exactly({0.5, 0.9, 0.5, 0.5, 0.1});
  for (const Ids& chosen : {Ids{1, 0}, Ids{1, 2}, Ids{3, 1}}) {
    EXPECT_TRUE(judge(chosen, scores).admissible);
    EXPECT_TRUE(judge(chosen, scores).tie_met);
    EXPECT_FALSE(judge(chosen, scores).open);
    EXPECT_EQ(judge(chosen, scores).margin, 0);
  }
  EXPECT_TRUE(judge({1, 0}, scores, TieRule::kLowestIndex).admissible);
  EXPECT_FALSE(judge({1, 2}, scores, TieRule::kLowestIndex).admissible);
  EXPECT_FALSE(judge({1, 3}, scores, TieRule::kLowestIndex).admissible);
  EXPECT_TRUE(judge({2, 0, 1}, scores, TieRule::kLowestIndex).admissible);
  EXPECT_FALSE(judge({3, 0, 1}, scores, TieRule::kLowestIndex).admissible);
  EXPECT_FALSE(judge({2, 3}, scores).admissible) << "0.9 is left out";
  EXPECT_FALSE(judge({1, 4}, scores).admissible);
  EXPECT_EQ(judge({1, 3}, scores).flips, 1) << "the canonical set is {0, 1}";
}

TEST(Selection, ATieAwayFromTheCutIsNone) {
  EXPECT_FALSE(judge({0, 1}, exactly({0.5, 0.5, 0.1, 0.1})).tie_met);
  EXPECT_TRUE(judge({0, 1}, exactly({0.5, 0.5, 0.1, 0.1}), TieRule::kLowestIndex).admissible);
}

TEST(Selection, TiesOfSignedZerosAreTies) {
  EXPECT_TRUE(judge({1}, exactly({-0.0, 0.0})).tie_met);
  EXPECT_FALSE(judge({1}, exactly({-0.0, 0.0}), TieRule::kLowestIndex).admissible);
}

TEST(Selection, OverlappingIntervalsAreAdmissible) {
  const Scores scores{{0.5, 0.01}, {0.505, 0.01}, {0.1, 0}, {0.9, 0}};
  const SelectionRow other = judge({0, 3}, scores, TieRule::kLowestIndex);
  EXPECT_TRUE(other.admissible);
  EXPECT_TRUE(other.open);
  EXPECT_FALSE(other.tie_met);
  EXPECT_EQ(other.flips, 1);
  EXPECT_TRUE(judge({1, 3}, scores, TieRule::kLowestIndex).open);
  EXPECT_FALSE(judge({2, 3}, scores).admissible) << "an open choice admits only the overlapping";
  EXPECT_FALSE(judge({0, 1}, scores).admissible);
}

TEST(Selection, IntervalsThatTouchAreOpenAndThoseThatDoNotAreClosed) {
  EXPECT_TRUE(judge({0}, {{1, 0.5}, {2, 0.5}}).admissible);
  EXPECT_TRUE(judge({0}, {{1, 0.5}, {2, 0.5}}).open);
  // At the touching point both are 1.5, and the rule takes the lower index.
  EXPECT_TRUE(judge({0}, {{1, 0.5}, {2, 0.5}}, TieRule::kLowestIndex).admissible);
  EXPECT_FALSE(judge({1}, {{2, 0.5}, {1, 0.5}}, TieRule::kLowestIndex).admissible);
  const double less = std::nextafter(0.5, 0);
  EXPECT_FALSE(judge({0}, {{1, less}, {2, 0.5}}).admissible);
  EXPECT_FALSE(judge({1}, {{1, less}, {2, 0.5}}).open);
}

TEST(Selection, EqualScoresWithErrorsAreAdmissibleInAnyOrderUnderAnyRule) {
  EXPECT_TRUE(judge({1}, {{1, 1e-9}, {1, 1e-9}}, TieRule::kLowestIndex).admissible);
}

TEST(Selection, WidthOfOneMemberDoesNotExcuseAnother) {
  // 0 may lie anywhere and its swap is legal; 1 has no excuse.
  const Scores scores{{0.5, 10}, {0.1, 0}, {0.9, 0}, {0.8, 0}};
  EXPECT_TRUE(judge({0, 2}, scores).admissible);
  EXPECT_TRUE(judge({2, 3}, scores).admissible);
  EXPECT_FALSE(judge({0, 1}, scores).admissible);
  EXPECT_EQ(judge({0, 1}, scores).failed, 1);
}

TEST(Selection, ALargerScoreThatNobodyIsSureOfHidesNoSmallerOne) {
  const SelectionRow row = judge({0}, {{1, 0}, {3, 5}, {2, 0}});
  EXPECT_FALSE(row.admissible);
  EXPECT_EQ(row.reason, "0 (1 +- 0) chosen and 2 (2 +- 0) left out");
}

TEST(Selection, BlameFallsOnTheIntruderAndNotOnThoseItOutranks) {
  // 4 keeps out 0; 1, 2 and 3 score less than 0 and are right all the same.
  const SelectionRow row = judge({1, 2, 3, 4}, exactly({9, 8, 7, 6, 1}));
  EXPECT_EQ(row.failed, 1);
  EXPECT_EQ(row.first_failed, 3);
  // 2 may be anything, so its presence is legal; but 0 left out for 1 is not.
  const SelectionRow other = judge({1, 2}, {{9, 0}, {8, 0}, {1, 100}});
  EXPECT_FALSE(other.admissible);
  EXPECT_EQ(other.first_failed, 0);
}

TEST(Selection, NanScoreLeavesTheRowUntested) {
  const SelectionRow row = judge({0}, exactly({1, kNan, 0.5}));
  EXPECT_TRUE(row.untested);
  EXPECT_FALSE(judge({5}, exactly({1, kNan, 0.5})).untested) << "wrong under any scores";
  EXPECT_FALSE(judge({0, 0}, exactly({1, kNan, 0.5})).untested);
  const Scores scores = exactly({1, kNan, 0.5, 3, 2, 1});
  const Comparison c = compare_selections(Ids{0, 1}, 1, scores, 3, TieRule::kAny);
  EXPECT_EQ(c.unusable, 1);
  EXPECT_EQ(c.failed, 1) << "row 1 chose 1 instead of 0";
}

TEST(Selection, MaskedExpertsLoseAndTieAmongThemselves) {
  const Scores scores{{0.2, 0.01}, {-kInf, kInf}, {0.1, 0.01}, {-kInf, 0}, {-kInf, 0}};
  EXPECT_TRUE(judge({0, 2}, scores).admissible);
  EXPECT_FALSE(judge({0, 2}, scores).open);
  EXPECT_EQ(judge({0, 2}, scores).margin, kInf);
  EXPECT_FALSE(judge({0, 1}, scores).admissible) << "an infinite score is exact whatever its error";
  EXPECT_TRUE(judge({0, 2, 4}, scores).admissible);
  EXPECT_TRUE(judge({0, 2, 4}, scores).tie_met);
  EXPECT_EQ(judge({0, 2, 4}, scores).margin, 0);
  EXPECT_TRUE(judge({0, 2, 1}, scores, TieRule::kLowestIndex).admissible);
  EXPECT_FALSE(judge({0, 2, 4}, scores, TieRule::kLowestIndex).admissible);
}

TEST(Selection, InfiniteErrorLeavesAllOpen) {
  EXPECT_TRUE(judge({0}, {{1, kInf}, {2, 0}}).admissible);
  EXPECT_TRUE(judge({1}, {{1, kInf}, {2, 0}}).open);
}

TEST(SelectionDeathTest, ErrorThatIsNoErrorIsABrokenPromise) {
  EXPECT_DEATH((void)judge({0}, {{1, kNan}, {2, 0}}), "error");
  EXPECT_DEATH((void)judge({0}, {{1, -1}, {2, 0}}), "error");
}

TEST(Selection, EverythingChosenIsNoChoice) {
  const SelectionRow row = judge({2, 0, 1}, exactly({1, 2, 3}));
  EXPECT_TRUE(row.admissible);
  EXPECT_FALSE(row.open);
  EXPECT_EQ(row.margin, kInf);
  EXPECT_FALSE(judge({2, 0, 0}, exactly({1, 2, 3})).admissible);
  const Scores scores = exactly({1, 2, 3, 4});
  const Comparison c = compare_selections(Ids{0, 1, 1, 0}, 2, scores, 2, TieRule::kAny);
  EXPECT_EQ(c.failed, 0);
  EXPECT_EQ(decide(c, false).ruling, Ruling::kVacuous);
}

TEST(Selection, RowsAreJudgedOnTheirOwnScores) {
  // Each token's set is right for the other token: equal multisets of ids, both wrong.
  const Scores scores = exactly({9, 8, 1, 2, /**/ 1, 2, 9, 8});
  EXPECT_EQ(compare_selections(Ids{0, 1, 2, 3}, 2, scores, 4, TieRule::kAny).failed, 0);
  const Comparison c = compare_selections(Ids{2, 3, 0, 1}, 2, scores, 4, TieRule::kAny);
  EXPECT_EQ(c.failed, 4);
  EXPECT_EQ(c.first_failed, 0);
  EXPECT_EQ(decide(c, false).ruling, Ruling::kFail);
}

TEST(Selection, OneTokenAmongThousands) {
  const Index rows = 4000, n = 256, k = 8;
  Scores scores;
  Ids chosen;
  for (Index r = 0; r < rows; ++r) {
    for (Index e = 0; e < n; ++e) scores.push_back({static_cast<double>((e * 37 + r) % n), 0.25});
    for (Index e = 0; e < n; ++e) {
      if ((e * 37 + r) % n >= n - k) chosen.push_back(e);
    }
  }
  Comparison c = compare_selections(chosen, k, scores, n, TieRule::kLowestIndex);
  EXPECT_EQ(c.failed, 0);
  EXPECT_EQ(c.judged, rows * k);
  EXPECT_EQ(c.open_selections, 0);
  EXPECT_EQ(c.smallest_margin, 1);
  EXPECT_EQ(decide(c, false).ruling, Ruling::kPass);
  auto& moved = chosen[static_cast<std::size_t>(3000 * k + 5)];
  while ((moved * 37 + 3000) % n >= n - k) moved = (moved + 1) % n;
  c = compare_selections(chosen, k, scores, n, TieRule::kLowestIndex);
  EXPECT_EQ(c.failed, 1);
  EXPECT_EQ(c.first_failed, 3000 * k + 5);
  EXPECT_EQ(c.got, static_cast<double>(moved));
}

TEST(Selection, WrongLengthFails) {
  const Scores scores = exactly({1, 2, 3, 4});
  EXPECT_GT(compare_selections(Ids{1}, 1, scores, 2, TieRule::kAny).failed, 0);
  EXPECT_GT(compare_selections(Ids{1, 1, 1}, 1, scores, 2, TieRule::kAny).failed, 0);
  EXPECT_GT(compare_selections({}, 1, scores, 2, TieRule::kAny).failed, 0);
  EXPECT_EQ(decide(compare_selections({}, 1, {}, 2, TieRule::kAny), false).ruling,
            Ruling::kVacuous);
  EXPECT_EQ(decide(compare_selections({}, 0, scores, 2, TieRule::kAny), false).ruling,
            Ruling::kVacuous);
}

}  // namespace
}  // namespace plumb::conformance
