// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/split_heads.h"

#include <gtest/gtest.h>

#include "reference/stages/stage_testing.h"

namespace plumb {
namespace {

using namespace testing_stages;

TEST(SplitHeads, PutsHeadsBeforeTokensAndCutsEachHeadInTwo) {
  // Element 1000 b + 100 t + 10 h + d: two sequences of two tokens, two heads of 2 + 1.
  std::vector<float> x;
  for (int b : {0, 1000}) {
    for (int t : {0, 100}) {
      for (int h : {0, 10}) {
        for (int d : {0, 1, 2}) x.push_back(static_cast<float>(b + t + h + d));
      }
    }
  }
  StageCall call{"split_heads",
                 {},
                 {{"B", std::int64_t{2}},
                  {"S", std::int64_t{2}},
                  {"heads", std::int64_t{2}},
                  {"n", std::int64_t{2}},
                  {"m", std::int64_t{1}}},
                 {}};
  call.set("x", f32(x, {4, 6}));
  run("hf_f32", call);
  EXPECT_EQ(call.tensor("first").shape(), (Shape{2, 2, 2, 2}));
  EXPECT_EQ(doubles(call, "first"),
            (std::vector<double>{0, 1, 100, 101, 10, 11, 110, 111, 1000, 1001, 1100, 1101, 1010,
                                 1011, 1110, 1111}));
  EXPECT_EQ(doubles(call, "second"),
            (std::vector<double>{2, 102, 12, 112, 1002, 1102, 1012, 1112}));
}

TEST(SplitHeads, CopiesErrorsAndNan) {
  AnyTensor x = new_tensor<Tracked>({1, 2});
  x.data<Tracked>()[0].error = 0.25;
  x.data<Tracked>()[1].value = Real::nan();
  StageCall call{"split_heads",
                 {},
                 {{"B", std::int64_t{1}},
                  {"S", std::int64_t{1}},
                  {"heads", std::int64_t{1}},
                  {"n", std::int64_t{1}},
                  {"m", std::int64_t{1}}},
                 {}};
  call.set("x", x);
  run<Tracked>("hf_f32", call);
  EXPECT_EQ(call.tensor("first").data<Tracked>()->error, 0.25);
  EXPECT_TRUE(call.tensor("second").data<Tracked>()->value.is_nan());
}

}  // namespace
}  // namespace plumb
