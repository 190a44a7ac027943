// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/embedding.h"

#include <gtest/gtest.h>

#include "reference/stages/stage_test.h"

namespace plumb {
namespace {

using Doubles = std::vector<double>;

TEST(Embedding, TakesTheRowOfEachTokenAsOftenAsItOccurs) {
  const StageCall call = stage_call(
      "embedding", {{"table", f32({1, 2, 3, 4, 5, 6}, {3, 2})}, {"ids", i64({2, 0, 2}, {3})}});
  EXPECT_EQ(numbers(computed(call, "real"), "y"), (Doubles{5, 6, 1, 2, 5, 6}));
}

TEST(Embedding, AWiderTableIsRoundedToTheActivationFormat) {
  const StageCall call = stage_call(
      "embedding", {{"table", f32({1 + 0x1p-8f, 1 + 0x3p-8f}, {1, 2})}, {"ids", i64({0}, {1})}});
  EXPECT_EQ(numbers(computed(call, "hf_bf16"), "y"), (Doubles{1, 1 + 0x1p-6}));  // ties to even
  EXPECT_EQ(numbers(computed(call, "hf_f32"), "y"), (Doubles{1 + 0x1p-8, 1 + 0x3p-8}));
}

TEST(Embedding, ACopyHasNoBudget) {
  const StageCall call =
      stage_call("embedding", {{"table", f32({0.1f}, {1, 1})}, {"ids", i64({0}, {1})}});
  EXPECT_EQ(computed<Tracked>(call, "hf_f32").tensor("y").data<Tracked>()[0].error, 0);
}

}  // namespace
}  // namespace plumb
