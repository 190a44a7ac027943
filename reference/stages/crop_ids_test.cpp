// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/crop_ids.h"

#include <gtest/gtest.h>

#include "reference/stages/stage_test.h"

namespace plumb {
namespace {

using Integers = std::vector<std::int64_t>;

// Ids 10 to 13 with a mask of 5 columns.
Integers cropped(std::int64_t past, Side side = Side::kB) {
  const StageCall call = stage_call("crop_ids", {{"ids", i64({10, 11, 12, 13}, {1, 4})}},
                                    {{"mask_columns", std::int64_t{5}}, {"past", past}});
  return integers(computed(call, on_side("real", "R1-D41", side)), "y");
}

TEST(CropIds, KeepsTheTail) {
  EXPECT_EQ(cropped(3), (Integers{12, 13}));
  EXPECT_EQ(cropped(4), (Integers{13}));
  EXPECT_EQ(cropped(0), (Integers{10, 11, 12, 13}));
}

TEST(CropIds, ASliceFromMinusZeroKeepsAllAndFromAPositiveNumberDropsTheFirst) {
  EXPECT_EQ(cropped(5), (Integers{10, 11, 12, 13}));
  EXPECT_EQ(cropped(7), (Integers{12, 13}));
  EXPECT_EQ(cropped(20), Integers{});
}

TEST(CropIds, TakenAtItsWordTheCropLeavesNothingThere) {
  EXPECT_EQ(cropped(4, Side::kA), (Integers{13}));
  EXPECT_EQ(cropped(5, Side::kA), Integers{});
  EXPECT_EQ(cropped(7, Side::kA), Integers{});
}

TEST(CropIds, EveryRowIsCroppedAlike) {
  const StageCall call = stage_call("crop_ids", {{"ids", i64({1, 2, 3, 4, 5, 6}, {2, 3})}},
                                    {{"mask_columns", std::int64_t{4}}, {"past", std::int64_t{2}}});
  EXPECT_EQ(integers(computed(call, "real"), "y"), (Integers{2, 3, 5, 6}));
}

}  // namespace
}  // namespace plumb
