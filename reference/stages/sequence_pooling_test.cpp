// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/sequence_pooling.h"

#include <gtest/gtest.h>

#include <string>

#include "reference/stages/stage_test.h"

namespace plumb {
namespace {

using Doubles = std::vector<double>;
using Integers = std::vector<std::int64_t>;
using Names = std::vector<std::string>;

const AnyTensor kIds = i64({3, 4, 9, 9, 3, 4, 5, 6, 9, 3, 4, 5, 3, 9, 4, 5, 9, 9, 9, 9}, {5, 4});

// Five rows of four tokens with one class; z[b,t] = 10 b + t.
StageCall pooled(std::int64_t pad) {
  std::vector<float> z;
  for (int b = 0; b < 5; ++b) {
    for (int t = 0; t < 4; ++t) z.push_back(static_cast<float>(10 * b + t));
  }
  return stage_call("sequence_pooling", {{"z", f32(z, {5, 4, 1})}, {"ids", kIds}}, {{"pad", pad}});
}

TEST(SequencePooling, TakesTheColumnBeforeTheFirstPadAndTheLastWithoutOne) {
  const StageCall call = computed(pooled(9), "real");
  EXPECT_EQ(integers(call, "last"), (Integers{1, -1, -1, 0, -1}));
  EXPECT_EQ(numbers(call, "y"), (Doubles{1, 13, 23, 30, 43}));
}

TEST(SequencePooling, OrTheLastTokenThatIsReal) {
  const StageCall call = computed(pooled(9), on_side("real", "R1-D12", Side::kA));
  EXPECT_EQ(integers(call, "last"), (Integers{1, 3, 3, 3, -1}));
}

TEST(SequencePooling, WithoutAPadTheLastColumnOfAll) {
  for (const Side side : {Side::kA, Side::kB}) {
    const StageCall call = computed(pooled(-1), on_side("real", "R1-D12", side));
    EXPECT_EQ(integers(call, "last"), Integers(5, -1));
  }
  StageCall bare = pooled(9);
  std::erase_if(bare.tensors, [](const NamedTensor& t) { return t.name == "ids"; });
  EXPECT_EQ(numbers(computed(bare, "real"), "y"), (Doubles{3, 13, 23, 33, 43}));
}

TEST(SequencePooling, TheResultHoldsTheLossThePooledLogitsAndTheRest) {
  const Names output = reference::classifier_output<std::string>("pooled", {"h", "cache"});
  EXPECT_EQ(output, (Names{"pooled", "cache"}));
  const std::string loss = "loss";
  EXPECT_EQ(reference::with_loss(&loss, output), (Names{"loss", "pooled", "cache"}));
  EXPECT_EQ(reference::with_loss<std::string>(nullptr, output), output);
}

}  // namespace
}  // namespace plumb
