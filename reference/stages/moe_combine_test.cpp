// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/moe_combine.h"

#include <gtest/gtest.h>

#include "reference/stages/stage_test.h"

namespace plumb {
namespace {

using Doubles = std::vector<double>;
using Integers = std::vector<std::int64_t>;

// Outputs in the order of the slots, unless `order` says otherwise.
StageCall combined(const std::vector<float>& outputs, const Integers& ids,
                   const std::vector<float>& weights, Integers order = {}) {
  const auto slots = static_cast<Index>(ids.size());
  const auto width = static_cast<Index>(outputs.size()) / slots;
  if (order.empty()) {
    for (Index p = 0; p < slots; ++p) order.push_back(p);
  }
  return stage_call("moe_combine", {{"outputs", f32(outputs, {slots, width})},
                                    {"order", i64(order, {slots})},
                                    {"ids", i64(ids, {1, slots})},
                                    {"weights", f32(weights, {1, slots})}});
}

// One output of 1 and seven of 1/256, each a tie beside 1.
StageCall vanishing(const Integers& ids) {
  std::vector<float> outputs(8, 0x1p-8f);
  outputs[0] = 1;
  return combined(outputs, ids, std::vector<float>(8, 1.0f));
}

TEST(MoeCombine, WeighsEachExpertOfItsToken) {
  const StageCall call = combined({1, 2, 3, -1}, {5, 9}, {1, 1.5f});
  EXPECT_EQ(numbers(computed(call, "real"), "y"), (Doubles{5.5, 0.5}));
}

TEST(MoeCombine, RowsStandWhereTheOrderSays) {
  // Row 0 is slot 1's: 3 * 1 + 1 * 10.
  EXPECT_EQ(numbers(computed(combined({1, 3}, {9, 5}, {1, 10}, {1, 0}), "real"), "y"),
            (Doubles{13}));
}

TEST(MoeCombine, OneSumKeepsWhatARunningSumLoses) {
  const StageCall call = vanishing({0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(numbers(computed(call, "hf_bf16"), "y"), Doubles{33.0 / 32});
  EXPECT_EQ(numbers(computed(call, "inf_bf16"), "y"), Doubles{1});
}

TEST(MoeCombine, TheRunningSumAscendsByExpertAndNotBySlot) {
  // The 1 belongs to the last expert: the small outputs are added up before it.
  EXPECT_EQ(numbers(computed(vanishing({7, 0, 1, 2, 3, 4, 5, 6}), "inf_bf16"), "y"),
            Doubles{1 + 0x1p-5});
}

TEST(MoeCombine, TheRunningSumRoundsEveryProduct) {
  // 3 * (1 + 2^-7) = 3.0234375 lies midway and goes to 3.03125 before -3 cancels it.
  const StageCall call = combined({1 + 0x1p-7f, -3}, {1, 0}, {3, 1});
  EXPECT_EQ(numbers(computed(call, "inf_bf16"), "y"), Doubles{0.03125});
  EXPECT_EQ(numbers(computed(call, "hf_bf16"), "y"), Doubles{0.0234375});
}

}  // namespace
}  // namespace plumb
