// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/repeat_kv.h"

#include <gtest/gtest.h>

#include "reference/stages/stage_testing.h"

namespace plumb {
namespace {

using namespace testing_stages;

StageCall repeated(const AnyTensor& x, std::int64_t heads) {
  StageCall call{"repeat_kv", {}, {{"heads", heads}}, {}};
  call.set("x", x);
  return call;
}

TEST(RepeatKv, CopiesOfAHeadStandTogether) {
  StageCall call = repeated(f32({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2, 1}), 4);
  run("hf_f32", call);
  EXPECT_EQ(call.tensor("y").shape(), (Shape{2, 4, 2, 1}));
  EXPECT_EQ(doubles(call, "y"),
            (std::vector<double>{1, 2, 1, 2, 3, 4, 3, 4, 5, 6, 5, 6, 7, 8, 7, 8}));
}

TEST(RepeatKv, OneCopyIsTheIdentityWithItsErrors) {
  AnyTensor x = new_tensor<Tracked>({1, 2, 1, 1});
  x.data<Tracked>()[1].error = 0.5;
  StageCall call = repeated(x, 2);
  const Tracked* y = run<Tracked>("hf_bf16", call, "y");
  EXPECT_EQ(y[0].error, 0);
  EXPECT_EQ(y[1].error, 0.5);
}

TEST(RepeatKvDeathTest, HeadsThatDoNotDivideAreABrokenPromise) {
  StageCall call = repeated(f32({1, 2}, {1, 2, 1, 1}), 3);
  EXPECT_DEATH(run("hf_f32", call), "heads");
}

}  // namespace
}  // namespace plumb
