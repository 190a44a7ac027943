// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/expert_rows.h"

#include <gtest/gtest.h>

#include "reference/stages/stage_test.h"

namespace plumb {
namespace {

using Doubles = std::vector<double>;

TEST(ExpertRows, AreTheRowsFromTheFirstOn) {
  const StageCall call =
      stage_call("expert_rows", {{"rows", f32({1, 2, 3, 4, 5, 6, 7, 8}, {4, 2})}},
                 {{"begin", std::int64_t{1}}, {"M", std::int64_t{2}}});
  const StageCall done = computed(call, "real");
  EXPECT_EQ(done.tensor("y").shape(), (Shape{2, 2}));
  EXPECT_EQ(numbers(done, "y"), (Doubles{3, 4, 5, 6}));
}

}  // namespace
}  // namespace plumb
