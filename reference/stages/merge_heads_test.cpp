// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/merge_heads.h"

#include <gtest/gtest.h>

#include "reference/stages/stage_testing.h"

namespace plumb {
namespace {

using namespace testing_stages;

StageCall merged(const AnyTensor& context, std::int64_t width) {
  StageCall call{"merge_heads", {}, {{"width", width}}, {}};
  call.set("context", context);
  return call;
}

TEST(MergeHeads, LaysTheHeadsOfATokenSideBySide) {
  // Element 100 b + 10 h + t for two heads of width 1, two sequences of two tokens.
  StageCall call = merged(f32({0, 1, 10, 11, 100, 101, 110, 111}, {2, 2, 2, 1}), 2);
  run("hf_f32", call);
  EXPECT_EQ(call.tensor("y").shape(), (Shape{4, 2}));
  EXPECT_EQ(doubles(call, "y"), (std::vector<double>{0, 10, 1, 11, 100, 110, 101, 111}));
}

TEST(MergeHeads, CutsAPaddedContext) {
  StageCall call = merged(f32({1, 2, -1, 3, 4, -1}, {1, 2, 1, 3}), 4);
  run("hf_f32", call);
  EXPECT_EQ(doubles(call, "y"), (std::vector<double>{1, 2, 3, 4}));
}

TEST(MergeHeadsDeathTest, AWidthThatDoesNotFitIsABrokenPromise) {
  StageCall uneven = merged(f32({1, 2, 3, 4}, {1, 2, 1, 2}), 3);
  EXPECT_DEATH(run("hf_f32", uneven), "width");
  StageCall wide = merged(f32({1, 2, 3, 4}, {1, 2, 1, 2}), 6);
  EXPECT_DEATH(run("hf_f32", wide), "width");
}

}  // namespace
}  // namespace plumb
