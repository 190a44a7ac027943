// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/join_heads.h"

#include <gtest/gtest.h>

#include "reference/stages/stage_testing.h"

namespace plumb {
namespace {

using namespace testing_stages;

std::vector<double> joined(const AnyTensor& nope, const AnyTensor& rope) {
  StageCall call{"join_heads", {}, {}, {}};
  call.set("nope", nope);
  call.set("rope", rope);
  run("hf_f32", call);
  EXPECT_EQ(call.tensor("y").shape(), (Shape{1, 2, 2, 3}));
  return doubles(call, "y");
}

TEST(JoinHeads, EveryHeadGetsItsOwnRotaryPart) {
  EXPECT_EQ(
      joined(f32({1, 2, 3, 4}, {1, 2, 2, 1}), f32({11, 12, 13, 14, 15, 16, 17, 18}, {1, 2, 2, 2})),
      (std::vector<double>{1, 11, 12, 2, 13, 14, 3, 15, 16, 4, 17, 18}));
}

TEST(JoinHeads, OrTheOneThatAllShare) {
  EXPECT_EQ(joined(f32({1, 2, 3, 4}, {1, 2, 2, 1}), f32({11, 12, 13, 14}, {1, 1, 2, 2})),
            (std::vector<double>{1, 11, 12, 2, 13, 14, 3, 11, 12, 4, 13, 14}));
}

}  // namespace
}  // namespace plumb
