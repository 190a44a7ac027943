// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/append_tokens.h"

#include <gtest/gtest.h>

#include "reference/stages/stage_testing.h"

namespace plumb {
namespace {

using namespace testing_stages;

StageCall appended(const AnyTensor& past, const AnyTensor& next, std::int64_t length) {
  StageCall call{"append_tokens", {}, {{"T", length}}, {}};
  call.set("next", next);
  call.set("past", past);
  return call;
}

TEST(AppendTokens, NewTokensFollowTheHeldOnesOfTheirHead) {
  StageCall call = appended(f32({1, 2, 3, 4}, {1, 2, 2, 1}), f32({5, 6}, {1, 2, 1, 1}), 3);
  run("hf_f32", call);
  EXPECT_EQ(call.tensor("y").shape(), (Shape{1, 2, 3, 1}));
  EXPECT_EQ(doubles(call, "y"), (std::vector<double>{1, 2, 5, 3, 4, 6}));
}

TEST(AppendTokens, TheFirstCallHoldsNothingBefore) {
  StageCall call = appended(AnyTensor(), f32({5, 6, 7, 8}, {1, 2, 1, 2}), 1);
  run("hf_f32", call);
  EXPECT_EQ(doubles(call, "y"), (std::vector<double>{5, 6, 7, 8}));
}

TEST(AppendTokens, CopiesErrors) {
  AnyTensor past = new_tensor<Tracked>({1, 1, 1, 1});
  past.data<Tracked>()->error = 0.5;
  AnyTensor next = new_tensor<Tracked>({1, 1, 1, 1});
  next.data<Tracked>()->error = 0.25;
  StageCall call = appended(past, next, 2);
  const Tracked* y = run<Tracked>("hf_bf16", call, "y");
  EXPECT_EQ(y[0].error, 0.5);
  EXPECT_EQ(y[1].error, 0.25);
}

TEST(AppendTokensDeathTest, AnotherLengthIsABrokenPromise) {
  StageCall call = appended(AnyTensor(), f32({5}, {1, 1, 1, 1}), 2);
  EXPECT_DEATH(run("hf_f32", call), "length");
}

}  // namespace
}  // namespace plumb
