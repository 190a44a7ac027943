// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/logits.h"

#include <gtest/gtest.h>

#include "reference/stages/stage_test.h"

namespace plumb {
namespace {

using Doubles = std::vector<double>;

TEST(Logits, AreRoundedBeforeTheyAreWidened) {
  const StageCall call = stage_call("logits", {{"x", f32({1 + 0x1p-8f, -3, 0.1f}, {1, 3})}});
  EXPECT_EQ(numbers(computed(call, "hf_bf16"), "logits"), (Doubles{1, -3, 0.10009765625}));
  EXPECT_EQ(numbers(computed(call, "hf_f32"), "logits"),
            (Doubles{1 + 0x1p-8, -3, static_cast<double>(0.1f)}));
}

}  // namespace
}  // namespace plumb
