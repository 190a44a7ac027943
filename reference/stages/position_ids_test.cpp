// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/position_ids.h"

#include <gtest/gtest.h>

#include "reference/stages/stage_test.h"

namespace plumb {
namespace {

using Integers = std::vector<std::int64_t>;

// Two rows: one padded at the left, one with a gap and padded at the right.
const AnyTensor kKeep = i64({0, 0, 1, 1, 1, 1, 1, 0, 1, 0}, {2, 5});

StageCall positions(std::int64_t rows, std::int64_t tokens, std::int64_t past = 0) {
  return stage_call("position_ids", {}, {{"B", rows}, {"S", tokens}, {"past", past}});
}
StageCall masked(std::int64_t tokens) {
  StageCall call = positions(2, tokens);
  call.set("keep", kKeep);
  return call;
}

TEST(PositionIds, CountKeptTokensAndFillMaskedOnesWithOne) {
  EXPECT_EQ(integers(computed(masked(5), "real"), "positions"),
            (Integers{1, 1, 0, 1, 2, 0, 1, 1, 2, 1}));
}

TEST(PositionIds, WithoutTheFillPaddingAtTheLeftIsMinusOne) {
  EXPECT_EQ(integers(computed(masked(5), on_side("real", "R1-D13", Side::kA)), "positions"),
            (Integers{-1, -1, 0, 1, 2, 0, 1, 1, 2, 2}));
}

TEST(PositionIds, NewTokensTakeTheLastColumnsOfTheWholeCount) {
  EXPECT_EQ(integers(computed(masked(2), "real"), "positions"), (Integers{1, 2, 2, 1}));
}

TEST(PositionIds, WithoutAMaskTheyGoOnFromTheCache) {
  EXPECT_EQ(integers(computed(positions(2, 3, 5), "real"), "positions"),
            (Integers{5, 6, 7, 5, 6, 7}));
}

}  // namespace
}  // namespace plumb
